package pdi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
	"github.com/pentode-dev/pentode/run/data"
)

// program checks the tree against the sources of its program.
func (c *checker) program() {
	if c.code == nil || c.full() || len(c.damage.places) > 0 || c.damage.partial {
		return
	}
	c.events()
	for _, list := range [][]*Declaration{c.Metadata, c.Data} {
		for _, d := range list {
			c.shared(d)
		}
	}
	c.unusedCalls()
}

// given reports whether the program or a plugin may set the value of a name.
func (c *checker) given(name string) bool {
	return c.code.gives[name] || c.provided[name] && !c.code.written(name) || len(c.code.Named(name, calls.Share)) > 0 || c.code.May(name, calls.Share)
}

// events reports the events that the tree waits for but that neither the program nor a plugin triggers.
func (c *checker) events() {
	if c.code.blind {
		return
	}
	seen := map[string]bool{}
	for _, w := range c.code.waits {
		name := w.Text
		if seen[name] || c.code.raised[name] || strings.HasPrefix(name, "pdi_") || len(c.code.Named(name, calls.Event)) > 0 || c.code.May(name, calls.Event) {
			continue
		}
		seen[name] = true
		d := c.report(neverTriggered, w, "the event `%s` never happens: no source of the program triggers it", name)
		c.nearest(d, name, calls.Event, func(near string) bool {
			return !slices.ContainsFunc(c.code.waits, func(w value) bool { return w.Text == near })
		})
	}
}

// nearest adds the similar name from the program's calls that was probably intended. Without one, it adds a note about which source files were
// read.
func (c *checker) nearest(d *diag.Diagnostic, name string, kind calls.Kind, free func(string) bool) {
	names := slices.DeleteFunc(c.code.Names(kind), func(name string) bool { return !free(name) })
	verb := map[calls.Kind]string{calls.Event: "triggers", calls.Share: "shares"}[kind]
	near, ok := problem.Nearest(name, names)
	if !ok {
		d.Note("%s", c.code.read())
		return
	}
	c.code.missed[near] = true
	d.At(c.code.Named(near, kind)[0].Span, "the program %s `%s`", verb, near).Helped("did you mean `%s`?", near)
}

// shared checks a declaration against the calls that share its data.
func (c *checker) shared(d *Declaration) {
	list := c.code.Named(d.Name, calls.Share)
	if len(list) == 0 {
		if c.given(d.Name) || d.Name == mergeWord {
			return
		}
		x := diag.New(neverShared, d.key.span(), "no source of the program shares `%s`", d.Name)
		c.nearest(x, d.Name, calls.Share, func(name string) bool { return c.names[name] == nil })
		switch idle := !c.used[d.Name] && len(x.Labels) == 0; {
		case idle && d.Section == metadataSection: // unusedMetadata already reports it
		case idle:
			c.add(x.As(diag.Info))
		default:
			c.add(x)
		}
		return
	}
	c.direction(d, list)
	c.order(d, list)
	c.element(d, list)
}

// direction checks that PDI is allowed to do what the tree requests. It is enough if one call allows it, because the others may serve another
// purpose.
func (c *checker) direction(d *Declaration, list []*calls.Call) {
	var all calls.Direction
	if c.code.May(d.Name, calls.Share) {
		return // another call may share it in any direction
	}
	for _, call := range list {
		if call.Direction == 0 || call.Implied {
			return // only known at run time
		}
		all |= call.Direction
	}
	first := list[0]
	switch fills, takes := c.code.fills[d.Name], c.code.takes[d.Name]; {
	case !fills.absent() && all&calls.In == 0:
		c.report(wrongDirection, fills, "`%s` cannot be written into: the program lets PDI only read it", d.Name).
			At(first.Span, "shared here with `PDI_OUT`").Helped("share it with `PDI_IN` or `PDI_INOUT`")
	case !takes.absent() && all&calls.Out == 0:
		c.report(wrongDirection, takes, "`%s` cannot be read: the program lets PDI only write into it", d.Name).
			At(first.Span, "shared here with `PDI_IN`").Helped("share it with `PDI_OUT` or `PDI_INOUT`")
	case d.Section == metadataSection && all&calls.Out == 0:
		c.report(wrongDirection, d.key, "metadata must be readable, and the program lets PDI only write into `%s`", d.Name).
			At(first.Span, "shared here with `PDI_IN`").Helped("share it with `PDI_INOUT`, or move it to `data`")
	case fills.absent() && all&calls.Out == 0 && !c.code.blind && !c.runsCode() && !c.code.gives[d.Name]:
		c.report(wrongDirection, d.key, "the program waits for a value of `%s`, and nothing in the tree gives it one", d.Name).
			At(first.Span, "shared here with `PDI_IN`").Helped("let a plugin read it, or share it with `PDI_OUT`")
	}
}

// runsCode reports whether a plugin runs user code, which may do anything with the data.
func (m *Model) runsCode() bool {
	return slices.ContainsFunc(m.Plugins, func(p *Plugin) bool {
		spec := m.FindPlugin(p.Name)
		return spec == nil || spec.RunsCode
	})
}

// order checks that the program shares the sizes which a datum's type reads before it shares the datum.
func (c *checker) order(d *Declaration, list []*calls.Call) {
	for name := range c.code.depends[d.Name] {
		if c.code.gives[name] || c.provided[name] || c.code.May(name, calls.Share) {
			continue
		}
		for _, call := range list {
			if call.Implied {
				continue
			}
			if later, ok := c.code.After(name, call); ok {
				c.report(sizeLater, d.value, "`%s` is shared before `%s`, which its type reads", d.Name, name).
					At(call.Span, "shared here").At(later.Span, "`%s` has its first value only here", name).
					Helped("share `%s` first", name)
				return
			}
		}
	}
}

// element checks the type of the program's memory against the declared type.
func (c *checker) element(d *Declaration, list []*calls.Call) {
	if d.template == nil {
		return
	}
	typ, ok := d.template.Element()
	scalar, number := typ.(*data.Scalar)
	if !ok || !number || scalar.Kind == data.Opaque {
		return
	}
	for _, call := range list {
		e := call.Element
		if e == nil || e.Size == scalar.Size() && e.Real == (scalar.Kind == data.Float) {
			continue
		}
		c.report(otherElement, d.value, "`%s` is declared as `%s`, and the memory that the program shares is `%s`", d.Name, scalar.Name, e.Name).
			At(call.Span, "shared here").Labelled("the program has %s", width(e))
		return
	}
}

// width describes the size of an element in memory.
func width(e *calls.Element) string {
	kind := "integers"
	if e.Real {
		kind = "floating point numbers"
	}
	if e.Size == 1 {
		return kind + " of 1 byte"
	}
	return fmt.Sprintf("%s of %d bytes", kind, e.Size)
}

// unusedCalls reports calls of the program that have no effect, unless other trees may use them.
func (c *checker) unusedCalls() {
	if !c.code.own || c.code.blind {
		return
	}
	waited := map[string]bool{}
	for _, w := range c.code.waits {
		waited[w.Text] = true
	}
	seen := map[string]bool{}
	for i := range c.code.Calls {
		call := &c.code.Calls[i]
		name := call.Name
		if name == "" || seen[name] || c.code.missed[name] || call.Implied || call.Lone || !c.code.ForTree(call) {
			continue
		}
		switch {
		case call.Kind == calls.Event && !waited[name] && !c.code.hears:
			seen[name] = true
			c.reportAt(notHeard, call.Span, "nothing in the tree waits for the event `%s`", name).At(c.Top(), "this tree")
		case call.Kind == calls.Share && c.names[name] == nil && !c.provided[name] && !c.code.gives[name]:
			seen[name] = true
			c.reportAt(notHeard, call.Span, "the tree does not declare `%s`, so no plugin can use it", name).At(c.Top(), "this tree")
		}
	}
}

// sharedTogether reports whether a datum is still shared at every call that shares data whose type reads it; in that case it needs no copy.
// where is a call at which it is not shared.
func (c *checker) sharedTogether(name string) (together bool, where *calls.Call) {
	if c.code == nil {
		return false, nil
	}
	for _, d := range c.Data {
		if !c.code.depends[d.Name][name] {
			continue
		}
		for _, call := range c.code.Named(d.Name, calls.Share) {
			if !c.code.Together(name, call) {
				return false, call
			}
			together = true
		}
	}
	return together, nil
}
