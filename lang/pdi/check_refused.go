package pdi

import (
	"errors"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
)

// refused lets every plugin read its own configuration, as it does when a program starts. If the plugin refuses it, that is an error, even if the
// rules allow the configuration. A plugin stops at its first mistake; the rules find the others.
func (c *checker) refused() {
	if c.full() || len(c.damage.places) > 0 || c.damage.partial {
		return // the missing part may be in a file that could not be read
	}
	for name, err := range data.Refused(c.Spec(), data.Options{Dialect: c.dialect, Plugins: c.known}) {
		e, ok := errors.AsType[*data.Error](err)
		if !ok || e.Node != nil && e.Node.Text == leftOut {
			continue
		}
		span := c.spanOf(e)
		if span.IsZero() {
			span = c.plugins[name].key.span() // the value comes from the command line
		}
		d := c.foundAt(span, c.plugins[name].config.span())
		if d == nil {
			d = c.add(diag.Of(refusedCode(e), &e.Problem)).Note("in the configuration of the plugin `%s`", name)
			d.Span = span
		}
		c.end(d.As(diag.Error))
		if d.Code == badExpression { // a plugin that reads one expression while it is loaded reads all of them
			for _, other := range c.found {
				if other.Code == d.Code && c.plugins[name].config.span().Contains(other.Span) {
					c.end(other)
				}
			}
		}
		if original := strings.TrimSpace(data.UpstreamText(e)); c.dialect == data.Upstream && original != d.Message {
			d.Note("`PDI_init` says: %s", problem.Clip(original, maxQuoted))
		}
	}
}

// maxQuoted is the largest number of characters that are quoted from a message of the original program.
const maxQuoted = 200

// foundAt returns the existing finding that explains why a plugin refuses its configuration at a place, or nil. Such a finding is at the same
// place, or inside it and also an error for the original program, or about a `<<`, which hides keys.
func (c *checker) foundAt(at, config source.Span) *diag.Diagnostic {
	for _, d := range c.found {
		if d.Span == at && d.Severity <= diag.Warning || at.Contains(d.Span) && c.fatal[d] || d.Code == mergeKey && config.Contains(d.Span) {
			return d
		}
	}
	return nil
}

// refusedCode returns the code for an error with which a plugin refuses its configuration.
func refusedCode(e *data.Error) *diag.Code {
	if code := typeCodes[e.Kind]; code != nil {
		return code
	}
	return refusedPlugin
}
