package paradyn

import (
	"io"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
	"github.com/pentode-dev/pentode/run/launch"
)

// convert writes the plan of a configuration in a neighbouring format, and says
// what that cannot express.
func convert(format string) func(*syntax.Tree, *Model, io.Writer) diag.List {
	return func(t *syntax.Tree, m *Model, w io.Writer) diag.List {
		var lost diag.List
		whole := t.File().Span(0, 0)
		plan, problems, err := m.plan()
		if err != nil {
			lost.Report(lossCode, whole, "%s", err).As(diag.Error)
			return lost
		}
		for _, p := range problems {
			if p.Severity == launch.Error {
				lost.Report(lossCode, whole, "%s", p.Error()).As(diag.Error)
			}
		}
		sentences, err := plan.Convert(format, w)
		if err != nil {
			lost.Report(lossCode, whole, "%s", err).As(diag.Error)
		}
		for _, s := range sentences {
			lost.Report(lossCode, whole, "%s", s)
		}
		return lost
	}
}
