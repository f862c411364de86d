package sprokit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// check returns all findings except the syntax errors of the document.
func check(m *Model) diag.List {
	if m.fragment {
		return nil // a fragment is checked inside the files that include it
	}
	c := &checker{m: m, list: slices.Clone(m.problems), reported: map[*Setting]bool{}}
	c.reserved()
	c.flow()
	c.entries()
	c.placeholders()
	return c.list
}

// reserved checks the sections that the language itself uses.
func (c *checker) reserved() {
	c.scheduler()
	for key, s := range c.m.of("_scheduler") {
		name, _, own := strings.Cut(key, ":")
		others := own && name != "thread_pool" && slices.Contains(schedulers, name) // the key of another scheduler: it has no effect with this one, but is not wrong
		if key == "type" || s.Key == poolThreads || others || s.unit == nil || s.is(wasRead) {
			continue
		}
		d := c.report(flowCode[pipe.UnknownKey], s.unit, s.keySpan(), "nothing reads `%s`", s.Key)
		if near, ok := problem.Nearest(s.Key, specialNames()); ok {
			d.Helped("%s", problem.DidYouMean(strings.TrimPrefix(near, "_scheduler:")))
		} else {
			d.Helped("the scheduler is named by `_scheduler:type`, its own keys are `_scheduler:NAME:KEY`")
		}
	}
	for key, s := range c.m.of("_pipeline") {
		if !strings.HasPrefix(key, "_edge") && s.unit != nil && !s.is(wasRead) {
			c.report(flowCode[pipe.UnknownKey], s.unit, s.keySpan(), "nothing reads `%s`", s.Key).
				Helped("`_pipeline` has `_edge`, `_edge_by_type` and `_edge_by_conn`")
		}
	}
}

// scheduler checks the name of the scheduler and the number of its workers.
func (c *checker) scheduler() {
	if s, ok := c.m.Lookup(poolThreads); ok {
		if _, err := strconv.ParseUint(s.Value, 10, 16); err != nil && !c.emptied(s, "expected a number of workers", diag.Error) {
			c.report(flowCode[pipe.BadValue], s.unit, c.anywhere(s.ValueSpan()), "`%s` is not a number of workers", s.Value).
				Helped("write a whole number; 0 means one for each processor")
		}
	}
	s, ok := c.m.Lookup(schedulerType)
	if !ok || slices.Contains(schedulers, s.Value) || c.emptied(s, "expected the name of a scheduler", diag.Error) {
		return
	}
	c.report(flowCode[pipe.UnknownScheduler], s.unit, c.anywhere(s.ValueSpan()), "there is no scheduler `%s`", s.Value).
		Labelled("schedulers are %s", strings.Join(schedulers, ", ")).Suggest(false, schedulers...)
}

// entries finds settings that are replaced before they are used, and settings that are not used at all.
func (c *checker) entries() {
	whole := c.whole()
	if whole {
		c.idle = c.idleSections()
	}
	for i := range c.m.settings {
		s := &c.m.settings[i]
		if s.unit == nil && s.from == nil && whole {
			c.unusedOverride(s)
		}
		if s.unit == nil || s.is(refused) {
			continue
		}
		c.mixed(s, diag.Warning)
		c.hidden(s)
		if s.is(replaced) && !s.is(wasRead) {
			continue // reported at the setting that replaces it
		}
		c.shadow(s)
		if whole && !s.is(wasRead) {
			c.unused(s)
		}
		if s.is(wasRead) {
			c.signs(s)
		}
	}
	for i := range c.m.settings {
		if s := &c.m.settings[i]; s.is(replaced) && s.unit != nil {
			c.shadow(s)
		}
	}
}

// hidden reports a command with invisible characters, which may do something other than it seems.
func (c *checker) hidden(s *Setting) {
	found := lang.Hidden(s.Value, c.anywhere(s.ValueSpan()))
	if found == nil {
		return
	}
	name, key, _ := strings.Cut(s.Key, ":")
	p := c.m.process(name)
	if p == nil {
		return
	}
	if t, known := c.m.Registry.Lookup(p.Type); known {
		if k, ok := t.KeyFor(key); ok && k.Runs {
			c.list.Add(found)
		}
	}
}

// shadow reports a setting that another one of the same file replaces before it is used. Settings that a different file replaces are not reported,
// because that is how defaults are changed.
func (c *checker) shadow(s *Setting) {
	if s.prev < 0 {
		return
	}
	before := &c.m.settings[s.prev]
	if before.unit != s.unit || before.is(wasRead) || before.is(refused) {
		return
	}
	c.report(shadowed, s.unit, before.keySpan(), "this value of `%s` is never used", s.Key).
		At(s.keySpan(), "the key is set again here").Helped("remove one of the two")
}

// signs reports a name in a `config` section that looks like a path of several names, but is a single name. It does not report keys of processes,
// because keys of algorithms look like that.
func (c *checker) signs(s *Setting) {
	root, rest, _ := strings.Cut(s.Key, ":")
	if c.m.process(root) == nil && !strings.HasPrefix(root, "_") && strings.ContainsAny(rest, nameSigns) && !c.m.headless[root] {
		c.report(keySign, s.unit, s.keySpan(), "`%s` is one name: `.` and `/` do not separate a key from its block", s.unit.tree.Name(s.stmt)).
			Helped(blockSign)
	}
}

const (
	nameSigns = "./"
	blockSign = "a key in a block is written `block:key`"
)

// unused reports a setting that neither a process nor a macro reads.
func (c *checker) unused(s *Setting) {
	root, rest, _ := strings.Cut(s.Key, ":")
	if p := c.m.process(root); p != nil && (!s.is(localName) || hasKey(c.m.typeOf(p, nil), rest)) || c.m.headless[root] || s.is(replaced) || c.mentioned(s) {
		return
	}
	switch root {
	case "_pipeline", "_scheduler":
		return // these sections are checked key by key
	case "_global":
		c.global(s, rest)
		return
	}
	if s.is(localName) {
		c.report(unusedLocal, s.unit, s.keySpan(), "nothing reads `$LOCAL{%s}`", s.unit.tree.Name(s.stmt))
		return
	}
	d := c.idleEntry(s, root)
	if d == nil {
		return
	}
	var names []string
	for i := range c.m.Processes {
		names = append(names, c.m.Processes[i].Name)
		if i == 1000 {
			break
		}
	}
	if near, ok := problem.Nearest(root, names); ok && s.root > 0 {
		d.Helped("did you mean the process `%s`?", near)
	} else if strings.ContainsAny(s.Key, nameSigns) {
		d.Helped("`.` and `/` are part of a name: " + blockSign)
	}
}

// unusedOverride reports a `-s` whose key does not occur in any process, macro or line of the pipeline. The keys of a known process are checked with
// its type.
func (c *checker) unusedOverride(s *Setting) {
	root, _, _ := strings.Cut(s.Key, ":")
	if s.is(wasRead) || s.prev >= 0 || c.m.process(root) != nil || c.m.headless[root] {
		return
	}
	var near string
	switch root {
	case "_global":
		return
	case "_pipeline", "_scheduler":
		if strings.HasPrefix(s.Key, "_pipeline:_edge") || specialKey(s.Key) != nil {
			return
		}
		near, _ = problem.Nearest(s.Key, specialNames())
	default:
		near, _ = problem.Nearest(s.Key, c.keyNames())
	}
	d := c.report(unusedEntry, nil, c.anywhere(source.Span{}), "nothing reads -s %s=%s: no process, no line and no macro has the key", s.Key, problem.Clip(s.Raw, problem.Short))
	if near != "" {
		d.Helped("%s", problem.DidYouMean(near))
	}
}

// keyNames returns the keys that the pipeline sets, and the keys of its processes.
func (c *checker) keyNames() []string {
	var names []string
	for s := range c.m.each {
		if s.unit != nil {
			names = append(names, s.Key)
		}
	}
	for i := range c.m.Processes {
		p := &c.m.Processes[i]
		if t, ok := c.m.Registry.Lookup(p.Type); ok {
			for _, k := range t.Keys {
				names = append(names, p.Name+":"+k.Name)
			}
		}
		if i == 1000 {
			break
		}
	}
	return names
}

// global reports a key that is set for all processes but that no process has.
func (c *checker) global(s *Setting, key string) {
	for i := range c.m.Processes {
		p := &c.m.Processes[i]
		if _, known := c.m.Registry.Lookup(p.Type); !known || hasKey(c.m.typeOf(p, nil), key) {
			return
		}
	}
	c.report(unusedEntry, s.unit, s.keySpan(), "nothing reads `%s`: no process has the key `%s`", s.Key, key)
}

// mentioned reports whether a line that could not be read may use a setting.
func (c *checker) mentioned(s *Setting) bool {
	if c.searched == maxSearches {
		return false
	}
	name := "{" + s.Key + "}"
	if s.is(localName) {
		name = "{" + s.unit.tree.Name(s.stmt) + "}"
	}
	for _, u := range c.m.units {
		if len(u.tree.Problems()) > 0 {
			c.searched++
			if strings.Contains(u.tree.File().Text(), name) {
				return true
			}
		}
		if c.searched == maxSearches {
			break
		}
	}
	return false
}

// maxSearches is how many files are searched completely.
const maxSearches = 100

// idleSections returns the number of entries of each section that is not used at all.
func (c *checker) idleSections() map[string]int {
	idle := map[string]int{}
	for root, list := range c.m.byRoot {
		if c.m.process(root) != nil {
			continue
		}
		n := 0
		for _, i := range list {
			s := &c.m.settings[i]
			if s.is(wasRead) {
				n = 0
				break
			}
			if !s.is(localName) && len(s.Key) > len(root) {
				n++
			}
		}
		if n > 1 {
			idle[root] = n
		}
	}
	return idle
}

// idleEntry reports an unused entry. If its whole section is unused, it reports the section, only once.
func (c *checker) idleEntry(s *Setting, root string) *diag.Diagnostic {
	n, whole := c.idle[root]
	switch {
	case !strings.Contains(s.Key, ":"):
		return c.report(unusedEntry, s.unit, s.keySpan(), "nothing reads `%s`: there is no `$CONFIG{%s}`", s.Key, s.Key)
	case !whole:
		return c.report(unusedEntry, s.unit, s.keySpan(), "nothing reads `%s`: there is no process `%s`, and no `$CONFIG{%s}`", s.Key, root, s.Key)
	case n < 0:
		return nil
	}
	c.idle[root] = -1
	return c.report(unusedEntry, s.unit, s.keySpan(), "nothing reads the %d entries of `%s`: there is no process `%s`, and no `$CONFIG{%s:…}`", n, root, root, root)
}
