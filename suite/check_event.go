package suite

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// awaited is an event on which a tree does something.
type awaited struct {
	name string
	at   source.Span
}

// eventKeys are the settings of a tree that name events: `on_event: NAME`, a
// list of names, or a mapping by name.
var eventKeys = regexp.MustCompile(`^plugins\..*\.on_event(?:\[\d+\]$|$|\."([^"]+)"|\.([^."\[]+))`)

// events checks that what a tree waits for happens, and that what happens is
// waited for: neither program would ever say so.
func (c *checker) events() {
	byTree := map[*lang.Config][]*Expose{}
	var trees []*lang.Config
	at := map[*Expose]source.Span{}
	for _, p := range c.Pipelines {
		for _, e := range p.Exposes {
			if e.Tree == nil {
				continue
			}
			at[e] = p.process(e.Node)
			if e.Node.Config["event"].Value != "" {
				at[e] = p.setting(e.Node, "event")
			}
			tree := c.opened(e.Path, Data)
			if byTree[tree] == nil {
				trees = append(trees, tree)
			}
			byTree[tree] = append(byTree[tree], e)
		}
	}
	for _, tree := range trees {
		if tree != nil && !c.findings(tree).HasErrors() {
			c.eventsOf(tree, byTree[tree], at)
		}
	}
}

func (c *checker) eventsOf(tree *lang.Config, feeding []*Expose, at map[*Expose]source.Span) {
	happens := map[string]bool{}
	var names []string
	for _, e := range feeding {
		if name := e.Node.Config["event"].Value; name != "" {
			happens[name] = true
			names = append(names, name)
		}
	}
	waits := map[string]bool{}
	missed := false
	for _, w := range eventsAwaited(tree) {
		if waits[w.name] || happens[w.name] {
			waits[w.name] = true
			continue
		}
		waits[w.name], missed = true, true
		d := c.report(noSuchEvent, w.at, "the event `%s` never happens: no process of the pipeline triggers it", w.name)
		if near, ok := diag.Nearest(w.name, names); ok {
			d.Helped("did you mean `%s`?", near)
		}
		for _, e := range feeding {
			if name := e.Node.Config["event"].Value; name != "" {
				d.At(at[e], "this triggers `%s`", name)
			} else {
				d.At(at[e], "this triggers no event")
			}
		}
	}
	for _, e := range feeding {
		if name := e.Node.Config["event"].Value; name != "" && !waits[name] && !missed {
			c.report(noSuchEvent, at[e], "the event `%s` has no effect: the tree does nothing on it", name).
				At(top(tree), "this tree is fed")
		}
	}
}

// eventsAwaited are the events that the plugins of a tree name.
func eventsAwaited(tree *lang.Config) []awaited {
	var list []awaited
	for e := range tree.Values() {
		m := eventKeys.FindStringSubmatch(e.Key)
		if m == nil || e.Implicit {
			continue
		}
		name := cmp.Or(m[1], m[2], e.Value)
		if !strings.Contains(name, "$") { // else only the run knows it
			list = append(list, awaited{name, e.Decided().Span})
		}
	}
	return list
}
