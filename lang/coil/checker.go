package coil

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// checker checks a model against the rules.
type checker struct {
	*Model
	found diag.List
	// Names that have been reported already: one mistake, one message.
	sections map[*Section]bool
	settings map[*Setting]bool
	vendors  map[string]bool
}

func (c *checker) report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	return c.found.Report(code, span, format, args...)
}

// crowded reports whether there are so many findings that further ones will not be
// shown.
func (c *checker) crowded() bool { return len(c.found) > diag.MaxPerFile*2 }

// nearest returns the name of which the given name is a misspelling, or "".
func (c *checker) nearest(name string, names []string) string {
	if c.crowded() {
		return ""
	}
	near, _ := problem.Nearest(name, names)
	return near
}
