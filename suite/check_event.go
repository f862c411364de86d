package suite

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/problem"
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
var eventKeys = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^plugins\..*\.on_event(?:\[\d+\]$|$|\."([^"]+)"|\.([^."\[]+))`)
})

// raisedKeys are those that raise one.
var raisedKeys = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^plugins\.set_value\..*\]\.event$`) })

// events checks that what a tree waits for happens, and that what happens is
// waited for: no program would report it during the run.
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
			return // only the run knows it
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

// eventsOf are the events that the plugins of a tree wait for and raise.
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
		if !strings.Contains(name, "$") { // else only the run knows it
			waits = append(waits, awaited{name, at})
		}
	}
	return waits, raised
}

// keyBefore is the place of the key under which something stands: the last of
// that name before it.
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
