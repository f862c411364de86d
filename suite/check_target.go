package suite

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
)

// target checks what the run is built for against the data and this machine.
func (c *checker) target(m *coil.Model) {
	if c.findings(c.Configs[Target]).HasErrors() {
		return // it has said enough
	}
	built := m.Target()
	here, err := c.host.Target()
	if err == nil {
		c.machine(m, here, built)
	}
	c.layouts(m, built, here)
}

// machine checks that this machine is what the target asks for, where
// something of the run is started here.
func (c *checker) machine(m *coil.Model, here, built target.Target) {
	at, severity := c.startedHere()
	if at.IsZero() {
		return
	}
	for _, reason := range target.Satisfies(nil, here, built) {
		switch reason.What {
		case "Endianness":
			if len(c.trees()) == 0 {
				c.report(hostLacks, settingSpan(m, "Memory", "Endianness"), "the target is %s-endian, and this machine is not", strings.ToLower(reason.A)).
					As(severity).At(at, "started on this machine")
			}
		case "Features":
			for _, name := range strings.Split(strings.ReplaceAll(reason.A, "`", ""), ",") {
				name = strings.TrimSpace(name)
				c.report(hostLacks, featureSpan(m, name), "the target asks for `%s`, which this machine lacks", name).
					As(severity).At(at, "started on this machine")
			}
		default:
			c.report(hostLacks, settingSpan(m, "Target", reason.What), "the target has the %s `%s`, and this machine `%s`", strings.ToLower(reason.What), reason.A, reason.B).
				As(severity).At(at, "started on this machine")
		}
	}
}

// startedHere is the place that starts something on this machine. Programs
// of others were built for the target, so there it is an error.
func (c *checker) startedHere() (source.Span, diag.Severity) {
	if len(c.Programs) == 0 {
		if len(c.Pipelines) > 0 {
			return c.Pipelines[0].top(), diag.Warning
		}
		return source.Span{}, diag.Warning
	}
	var at source.Span
	for _, p := range c.Processes() {
		if !p.Local {
			continue
		}
		if !p.OurOwn() {
			return p.field("host"), diag.Error
		}
		if at.IsZero() {
			at = p.field("host")
		}
	}
	return at, diag.Warning
}

// featureSpan is where a target asks for a feature, or for one that implies it.
func featureSpan(m *coil.Model, name string) source.Span {
	for _, key := range [][2]string{{"Target", "Features"}, {"Extensions", "SIMD"}, {"Extensions", "Crypto"}} {
		s := m.Lookup(key[0], key[1])
		if s == nil {
			continue
		}
		for _, it := range s.Value.Items {
			if table.Normal(it.Text) == table.Normal(name) {
				return it.Span
			}
		}
	}
	return settingSpan(m, "Target", "Features")
}
