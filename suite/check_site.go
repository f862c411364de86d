package suite

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang/coil"
)

// sites checks that the programs of the plan match the sites of a pipeline.
func (c *checker) sites() {
	for _, pipe := range c.Pipelines {
		if pipe.Plan == nil || !c.sound(pipe.Config) {
			continue
		}
		c.byteOrders(pipe)
		var runs []*Program
		for _, p := range c.Programs {
			if p.Site != nil && p.Pipe != nil && filepath.Clean(c.path(p.Pipe.Text)) == filepath.Clean(pipe.Config.Document.File.Path()) {
				runs = append(runs, p)
			}
		}
		if len(runs) > 0 {
			c.sitesOf(pipe, runs)
		}
	}
}

// byteOrders reports edges between sites whose targets store numbers in different byte orders, once for each pair of sites.
func (c *checker) byteOrders(pipe *Pipeline) {
	told := map[[2]string]bool{}
	for i := range pipe.Plan.Edges {
		e := &pipe.Plan.Edges[i]
		for _, from := range pipe.Plan.Nodes[e.FromNode].Sites() {
			for _, to := range pipe.Plan.Nodes[e.ToNode].Sites() {
				pair := [2]string{min(from, to), max(from, to)}
				a, b := c.siteTarget(from), c.siteTarget(to)
				if a == nil || b == nil || told[pair] || a.Target().Memory.Endianness == b.Target().Memory.Endianness {
					continue
				}
				told[pair] = true
				c.report(byteOrders, settingSpan(b, "Memory", "Endianness"), "site `%s` is %s-endian, and site `%s` is %s-endian",
					from, strings.ToLower(a.Target().Memory.Endianness), to, strings.ToLower(b.Target().Memory.Endianness)).
					At(e.Span, "data go from one to the other here")
			}
		}
	}
}

// siteTarget returns the target of a site; nil if it is not known.
func (c *checker) siteTarget(site string) *coil.Model {
	config := c.Targets[site]
	if config == nil {
		config = c.Configs[Target]
	}
	m, ok := model[*coil.Model](config)
	if !ok || c.findings(config).HasErrors() {
		return nil
	}
	return m
}

// sitesOf checks the programs that run sites of one pipeline.
func (c *checker) sitesOf(pipe *Pipeline, runs []*Program) {
	sites := pipe.Plan.Sites()
	started := map[string]*Program{}
	hosts := map[string]bool{}
	for _, p := range runs {
		hosts[p.Node.Host] = true
		site := p.Site.Text
		switch first := started[site]; {
		case !slices.Contains(sites, site):
			d := c.report(noSuchSite, p.Site.Span, "the pipeline `%s` has no site `%s`", p.Pipe.Text, site).At(top(pipe.Config), "this pipeline")
			if near, ok := problem.Nearest(site, sites); ok {
				d.Helped("did you mean `%s`?", near)
			} else {
				d.Helped("it has %s", strings.Join(sites, ", "))
			}
		case first != nil:
			c.report(noSuchSite, p.Site.Span, "the site `%s` is started twice", site).At(first.Site.Span, "first started here")
		}
		if started[site] == nil {
			started[site] = p
		}
	}
	for _, site := range sites {
		if started[site] == nil {
			c.report(siteNotStarted, runs[0].Pipe.Span, "the plan does not start the site `%s` of the pipeline", site).
				At(top(pipe.Config), "this pipeline").Helped("add a process with the arguments \"run\" \"%s\" \"--site\" \"%s\"", runs[0].Pipe.Text, site)
		}
	}
	told := map[string]bool{}
	for _, p := range c.Processes {
		if host := p.Node.Host; !hosts[host] && !told[host] {
			told[host] = true
			c.report(hostWithoutSite, p.field("host"), "no site of the pipeline runs on host `%s`", host).At(top(pipe.Config), "this pipeline")
		}
	}
}
