package paradyn

import (
	"io"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
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
		at := m.places()
		at[""] = whole
		for _, p := range problems {
			if p.Severity == launch.Error {
				span := at[p.Place]
				p.Place = "" // the span says it
				lost.Report(lossCode, span, "%s", p.Error()).As(diag.Error)
			}
		}
		losses, err := plan.Convert(format, w)
		if err != nil {
			lost.Report(lossCode, whole, "%s", err).As(diag.Error)
		}
		for _, l := range losses {
			lost.Report(lossCode, at[l.Place], "%s", l.Message)
		}
		return lost
	}
}

// places finds the definitions that the launch engine knows by the places of Decls.
func (m *Model) places() map[string]source.Span {
	at := map[string]source.Span{}
	for _, blocks := range [][]*Block{m.Daemons, m.Processes, m.Visis} {
		for _, b := range blocks {
			at[b.Head.String()] = b.Head
		}
	}
	for _, t := range m.Tunables {
		at[t.Place.Span.String()] = t.Place.Span
	}
	return at
}
