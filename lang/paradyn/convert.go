package paradyn

import (
	"io"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
	"github.com/pentode-dev/pentode/run/launch"
)

// convert writes the plan of a configuration in another format, and reports
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
		for _, d := range Diagnose(problems) {
			lost = append(lost, placed(d, whole))
		}
		var at launch.Place
		if m.place != nil {
			at = m.place()
		}
		losses, err := plan.Convert(format, at, w)
		if err != nil {
			lost.Report(lossCode, whole, "%s", err).As(diag.Error)
		}
		for _, l := range losses {
			lost = append(lost, placed(diag.Of(lossCode, l), whole))
		}
		return lost
	}
}

// placed is a diagnostic of the whole file where it has no place of its own.
func placed(d *diag.Diagnostic, whole source.Span) *diag.Diagnostic {
	if d.Span.IsZero() {
		d.Span = whole
	}
	return d
}
