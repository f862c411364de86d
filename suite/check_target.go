package suite

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/run/target/table"
)

// target checks the target of the run against the data and this machine.
func (c *checker) target(m *coil.Model) {
	if c.findings(c.Configs[Target]).HasErrors() {
		return // the file's own errors come first
	}
	built := m.Target()
	here, err := c.host.Target()
	if err == nil {
		c.machine(m, here, built)
	}
	c.layouts(m, built, here)
}

// machine checks that this machine has what the target requires, if the run starts something here.
func (c *checker) machine(m *coil.Model, here, built target.Target) {
	at, severity := c.startedHere()
	if at.IsZero() {
		return
	}
	for _, reason := range (target.Machines{}).Satisfies(here, built) {
		switch reason.Key {
		case target.KeyEndianness:
			if len(c.specifications()) == 0 {
				c.report(hostLacks, settingSpan(m, "Memory", "Endianness"), "the target is %s-endian, but this machine is not", strings.ToLower(reason.A)).
					As(severity).At(at, "started on this machine")
			}
		case target.KeyFeatures:
			c.features(m, here, built, at, severity)
		default:
			c.report(hostLacks, settingSpan(m, "Target", string(reason.Key)), "the target has the %s `%s`, but this machine has `%s`", strings.ToLower(string(reason.Key)), reason.A, reason.B).
				As(severity).At(at, "started on this machine")
		}
	}
}

// startedHere returns a place that starts something on this machine. Programs of the user were built for the target, so for them a difference is an
// error.
func (c *checker) startedHere() (source.Span, diag.Severity) {
	if len(c.Programs) == 0 {
		if len(c.Pipelines) > 0 {
			return c.Pipelines[0].top(), diag.Warning
		}
		return source.Span{}, diag.Warning
	}
	var at source.Span
	for _, p := range c.Processes {
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

// features reports every feature in the configuration that this machine lacks, directly or through a feature that it implies.
func (c *checker) features(m *coil.Model, here, built target.Target, at source.Span, severity diag.Severity) {
	seen := map[string]bool{} // a feature may also be named as an extension
	for _, key := range [][2]string{{"Target", "Features"}, {"Extensions", "SIMD"}, {"Extensions", "Crypto"}} {
		s := m.Lookup(key[0], key[1])
		if s == nil {
			continue
		}
		for _, it := range s.Value.Items {
			lacks := lackOf(here, built, it.Text)
			if lacks == "" || seen[lacks] {
				continue
			}
			seen[lacks] = true
			d := c.report(hostLacks, it.Span, "the target requires `%s`, which this machine lacks", it.Text).
				As(severity).At(at, "started on this machine")
			if table.Normal(lacks) != table.Normal(it.Text) {
				d.Note("it means %s", lacks)
			}
		}
	}
}

// lackOf says what a machine lacks for one feature of a target; "" if it has the feature.
func lackOf(here, built target.Target, feature string) string {
	built.Features, built.Extensions = []string{feature}, target.Extensions{}
	for _, reason := range (target.Machines{}).Satisfies(here, built) {
		if reason.Key == target.KeyFeatures {
			return strings.ReplaceAll(reason.A, "`", "")
		}
	}
	return ""
}
