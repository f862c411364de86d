package suite

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
)

// fedTree is a specification tree with all processes that feed it.
type fedTree struct {
	tree
	by []feeder
}

// feeder is a process that feeds a tree.
type feeder struct {
	*Expose
	pipeline *Pipeline
}

func (f feeder) event() string { return f.Node.Config["event"].Value }

// eventSpan returns where the process names its event, or could name it.
func (f feeder) eventSpan() source.Span {
	if f.event() == "" {
		return f.pipeline.process(f.Node)
	}
	return f.pipeline.setting(f.Node, "event")
}

// feeds returns the names that the process feeds.
func (f feeder) feeds() []string {
	names := constantNames(f.Node.Config)
	for i := range f.Node.In {
		names = append(names, f.Node.In[i].Name)
	}
	return names
}

// pluginThat reports whether is returns true for a plugin of the tree, or a plugin is unknown.
func (f *fedTree) pluginThat(is func(*data.Plugin) bool) bool {
	return slices.ContainsFunc(f.model.Plugins, func(p *pdi.Plugin) bool {
		known := f.model.FindPlugin(p.Name)
		return known == nil || known.Removed != "" || is(known)
	})
}

// runsCode reports whether a plugin may share data that its configuration does not name.
func runsCode(p *data.Plugin) bool { return p.RunsCode }

// hearsAll reports whether a plugin may do something on an event that its configuration does not name.
func hearsAll(p *data.Plugin) bool { return p.HearsAll }

// fed checks every tree against all that the pipelines feed it. If a pipeline has errors, it may feed more than is known.
func (c *checker) fed() {
	var list []*fedTree
	lost := false // a process names a tree that does not exist
	byTree := map[*lang.Config]*fedTree{}
	for _, p := range c.Pipelines {
		if !c.sound(p.Config) {
			return
		}
		for _, e := range p.Exposes {
			config := c.opened(e.Path, Data)
			m, ok := model[*pdi.Model](config)
			lost = lost || e.Tree == nil
			if e.Tree == nil || !ok || !c.sound(config) || declaresNothing(m) {
				continue
			}
			if byTree[config] == nil {
				byTree[config] = &fedTree{tree: tree{config, m}}
				list = append(list, byTree[config])
			}
			byTree[config].by = append(byTree[config].by, feeder{e, p})
		}
	}
	for _, f := range list {
		c.placed(f)
		c.events(f)
		if !lost && !c.misfed[filepath.Clean(f.config.Document.File.Path())] { // otherwise it is fed under another name
			c.unfed(f)
		}
	}
}

// placed reports plugins that cannot run in a pipeline. A pipeline whose tree has such a plugin fails at its start.
func (c *checker) placed(f *fedTree) {
	for _, p := range f.model.Plugins {
		known := f.model.FindPlugin(p.Name)
		if known != nil && known.Runs&data.Pipelines != 0 {
			continue
		}
		x := c.report(pluginElsewhere, p.Span(), "the plugin `%s` does not run in a pipeline", p.Name)
		if known != nil && known.Runs != 0 {
			x.Note("it runs in %s", strings.Join(known.Runs.Names(), " and in "))
		}
		for _, by := range f.by[:min(4, len(f.by))] {
			x.At(by.pipeline.process(by.Node), "this feeds the tree")
		}
		x.Helped("remove it from the tree that the pipeline feeds")
	}
}

// unfed finds data that the tree reads, but no process or plugin feeds.
func (c *checker) unfed(f *fedTree) {
	picture, err := f.config.Graph()
	store, storeErr := f.model.Values(nil, nil)
	if err != nil || storeErr != nil || f.pluginThat(runsCode) {
		return
	}
	r := &readers{to: map[string][]string{}, fed: map[string]bool{}}
	for _, by := range f.by {
		for _, name := range by.feeds() {
			r.fed[name] = true
		}
	}
	written := map[string]bool{}
	for _, e := range picture.Edges {
		r.to[e.From] = append(r.to[e.From], e.To)
		if strings.HasPrefix(e.From, "plugins.") {
			written[e.To] = true
		}
	}
	lacking := f.lackingSizes(store)
	for _, d := range slices.Concat(f.model.Metadata, f.model.Data) {
		id := d.Section + "." + d.Name
		if written[id] {
			continue
		}
		by, severity := f.by, diag.Warning
		if lacking[d.Name] != nil {
			by, severity = lacking[d.Name], diag.Error
		} else if r.fed[d.Name] {
			continue
		}
		reader := r.live(id, map[string]bool{})
		if reader == "" {
			continue
		}
		x := c.report(notFed, d.Span(), "nothing feeds `%s`, which %s reads", d.Name, readerName(picture, reader)).As(severity)
		for _, by := range by[:min(4, len(by))] {
			x.At(by.pipeline.process(by.Node), "this feeds %s", listed(by.feeds()))
		}
		x.Helped("connect a port `%s`, or give it a constant: `%s%s = …`", d.Name, valuesPrefix, d.Name)
	}
}

// lackingSizes returns the names on which the type of something fed depends, and that its own pipeline does not feed: every pipeline has its own
// store. Each name leads to the processes that cannot feed.
func (f *fedTree) lackingSizes(s *data.Store) map[string][]feeder {
	fed := map[*Pipeline]map[string]bool{}
	for _, by := range f.by {
		if fed[by.pipeline] == nil {
			fed[by.pipeline] = map[string]bool{}
		}
		for _, name := range by.feeds() {
			fed[by.pipeline][name] = true
		}
	}
	lacking := map[string][]feeder{}
	for _, by := range f.by {
		missed := map[string]bool{}
		for _, name := range by.feeds() {
			for need := range needs(s, name) {
				if !fed[by.pipeline][need] && !missed[need] {
					missed[need] = true
					lacking[need] = append(lacking[need], by)
				}
			}
		}
	}
	return lacking
}

// readers finds the readers of a node in the tree's graph.
type readers struct {
	to  map[string][]string
	fed map[string]bool // names of data and metadata
}

// live returns a reader that is used during a run: a plugin, or something that is fed; "" if there is none.
func (r *readers) live(id string, seen map[string]bool) string {
	seen[id] = true
	for _, to := range r.to[id] {
		section, name, _ := strings.Cut(to, ".")
		switch {
		case section == "plugins", section != "types" && r.fed[name]:
			return to
		case section == "types" && !seen[to] && r.live(to, seen) != "":
			return to
		}
	}
	return ""
}

func readerName(g *graph.Graph, id string) string {
	for _, n := range g.Nodes {
		if n.ID == id {
			section, _, _ := strings.Cut(id, ".")
			return map[string]string{"plugins": "the plugin ", "types": "the type "}[section] + "`" + label(n) + "`"
		}
	}
	return "`" + id + "`"
}

// awaited is an event for which a tree waits.
type awaited struct {
	name string
	at   source.Span
}

// eventKeys matches the settings of a tree that name events: `on_event: NAME`, a list of names, or a mapping by name.
var eventKeys = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^plugins\..*\.on_event(?:\[\d+\]$|$|\."([^"]+)"|\.([^."\[]+))`)
})

// raisedKeys matches the settings that name events that the tree raises.
var raisedKeys = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^plugins\.set_value\..*\]\.event$`) })

// events checks that every event for which a tree waits happens, and that the tree waits for every event that happens: no program would report that
// during the run.
func (c *checker) events(f *fedTree) {
	happens := map[string]bool{}
	var names []string
	for _, e := range f.by {
		if name := e.event(); name != "" {
			happens[name] = true
			names = append(names, name)
		}
	}
	waits, raised := eventsOf(f.config)
	for _, name := range raised {
		if strings.Contains(name, "$") {
			return // only the run knows the name
		}
		happens[name] = true
	}
	waited := map[string]bool{}
	missed := false
	for _, w := range waits {
		if waited[w.name] || happens[w.name] {
			waited[w.name] = true
			continue
		}
		waited[w.name], missed = true, true
		d := c.report(noSuchEvent, w.at, "the event `%s` never happens: no process of the pipeline triggers it", w.name)
		if near, ok := problem.Nearest(w.name, names); ok {
			d.Helped("did you mean `%s`?", near)
		}
		for _, e := range f.by {
			if name := e.event(); name != "" {
				d.At(e.eventSpan(), "this triggers `%s`", name)
			} else {
				d.At(e.eventSpan(), "this triggers no event")
			}
		}
	}
	if missed || f.pluginThat(hearsAll) {
		return
	}
	for _, e := range f.by {
		if name := e.event(); name != "" && !waited[name] {
			c.report(noSuchEvent, e.eventSpan(), "the event `%s` has no effect: the tree does nothing on it", name).
				At(top(f.config), "this tree is fed")
		}
	}
}

// eventsOf returns the events for which the plugins of a tree wait, and those that they raise.
func eventsOf(tree *lang.Config) (waits []awaited, raised []string) {
	for e := range tree.Values() {
		if e.Implicit {
			continue
		}
		if raisedKeys().MatchString(e.Key) {
			raised = append(raised, e.Value)
		}
		m := eventKeys().FindStringSubmatch(e.Key)
		if m == nil {
			continue
		}
		name, at := cmp.Or(m[1], m[2], e.Value), e.Decided().Span
		if m[1]+m[2] != "" {
			at = keyBefore(at, name)
		}
		if !strings.Contains(name, "$") { // otherwise only the run knows the name
			waits = append(waits, awaited{name, at})
		}
	}
	return waits, raised
}

// keyBefore returns the position of the key of a value: the last key with this name before it.
func keyBefore(at source.Span, key string) source.Span {
	if at.File == nil {
		return at
	}
	i := strings.LastIndex(at.File.Text()[:at.Start], key)
	if i < 0 {
		return at
	}
	return at.File.Span(i, i+len(key))
}
