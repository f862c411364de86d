package pdi

import (
	"errors"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
)

// engine lets the engine read every declaration.
func (c *checker) engine() {
	if c.unreadable {
		return
	}
	env := c.environment(c.dialect, nil)
	for _, list := range [][]*Declaration{c.Metadata, c.Data} {
		for _, d := range list {
			t, err := data.ParseType(d.value.Node, env)
			if err == nil && c.dialect == data.Documented && !d.dynamic {
				_, err = t.Evaluate()
			}
			if c.refused(d, err); c.refusals > enough {
				return
			}
		}
	}
	if c.dialect == data.Upstream {
		return // it reads a type when it is used
	}
	c.otherDialect()
	for _, d := range c.Types {
		t, err := data.ParseType(d.value.Node, env)
		if err == nil && !d.dynamic {
			_, err = t.Evaluate()
		}
		if c.refused(d, err); c.refusals > enough {
			return
		}
	}
}

// otherDialect says what the original program refuses of a tree that is fine to its document.
func (c *checker) otherDialect() {
	if c.found.HasErrors() {
		return
	}
	env := c.environment(data.Upstream, nil)
	for _, list := range [][]*Declaration{c.Metadata, c.Data} {
		for _, d := range list {
			if !d.compare || c.refusals > enough {
				continue
			}
			_, err := data.ParseType(d.value.Node, env)
			var e *data.Error
			if err == nil || !errors.As(err, &e) {
				continue
			}
			at := d.value
			if v, ok := c.find(e.Node); ok {
				at = v
			}
			c.refusals++
			if c.explained(at.span(), dialectsDiffer) {
				continue
			}
			if t := c.types[at.Text]; t != nil && at.is(data.ScalarNode) {
				c.report(dialectsDiffer, at, "the original program does not end on a type that leads back to itself, as `%s` does through a pointer", clip(t.Name))
				continue
			}
			c.report(dialectsDiffer, at, "the original program refuses this: %s", e.Message)
		}
	}
}

// explained reports whether a finding of the code is about a place.
func (c *checker) explained(span source.Span, code *diag.Code) bool {
	for _, have := range c.found {
		if have.Code == code && (span.Contains(have.Span) || have.Span.Contains(span)) {
			return true
		}
	}
	return false
}

// environment is what the engine reads types against: the user types, and those of plugins.
func (m *Model) environment(d data.Dialect, machine *data.Machine) *data.Env {
	env := &data.Env{Dialect: d, Machine: machine}
	for _, d := range m.Types {
		_ = env.Define(d.Name, d.value.Node) // one that is there twice is reported already
	}
	if machine == nil {
		machine = data.X86_64()
	}
	for _, p := range knownPlugins {
		for _, name := range p.types {
			_ = env.Provide(name, data.ScalarOf(machine, name, data.Opaque, machine.Pointer))
		}
	}
	return env
}

// refused reports what the engine says about a declaration, unless a rule has
// said it already.
func (c *checker) refused(d *Declaration, err error) {
	var e *data.Error
	if err == nil || !errors.As(err, &e) {
		return
	}
	c.refusals++
	if n := e.Node; e.Status != data.StatusSpecTree && n != nil && n.Kind == data.ScalarNode && c.dialect == data.Documented && len(c.compile(n.Text).refs) > 0 {
		return // a value that is not there yet is no mistake
	}
	why, lost := c.damage.types[e.Node]
	if why == nil {
		why = c.reason[d]
	}
	if why != nil {
		why.Severity = diag.Error
	}
	if why != nil || lost {
		return
	}
	at := d.value
	if v, ok := c.find(e.Node); ok {
		at = v
	}
	span := at.span()
	if c.damage.at(span) {
		return
	}
	for _, have := range c.found {
		if have.Code == layout && have.Span == span {
			return // said of another declaration that has it inside
		}
		if have.Code == dialectsDiffer && c.dialect == data.Documented {
			continue
		}
		if explains[have.Code] && (span.Contains(have.Span) || have.Span.Contains(span)) {
			have.Severity = diag.Error
			return
		}
	}
	x := c.reportAt(layout, span, at.file, "%s", e.Message).As(diag.Error)
	if !d.value.span().Contains(span) {
		x.At(d.key.span(), "in the type of `%s`", clip(d.Name))
	}
}
