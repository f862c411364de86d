package lsp

import (
	"slices"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// inlayHint returns hints shown inside the text: facts that the language
// knows, and the values of expressions with macros.
func (s *session) inlayHint(c *lang.Config, p *protocol.RangeParams) ([]protocol.InlayHint, error) {
	f := c.Document.File
	piece := s.spanOf(f, p.Range)
	list := []protocol.InlayHint{}
	add := func(h lang.Hint) {
		shown, set := s.settings.Hints[h.Kind]
		if set && !shown || h.At.File.Path() != f.Path() || h.At.End < piece.Start || h.At.End > piece.End {
			return
		}
		list = append(list, protocol.InlayHint{
			Position: s.linesOf(f).position(h.At.End, s.utf8), Label: problem.Clip(h.Text, problem.Short), PaddingLeft: true,
		})
	}
	for h := range c.Hints(f) {
		add(h)
	}
	for _, o := range s.index(c).byPath[f.Path()] {
		if o.Key == "" || o.Symbol != "" || o.Kind == lang.Macro || o.Span.End < piece.Start || o.Span.Start > piece.End {
			continue
		}
		if value, ok := s.becomes(c, o); ok {
			add(lang.Hint{At: o.Span, Text: "= " + value, Kind: lang.ValueHint})
		}
	}
	slices.SortStableFunc(list, func(a, b protocol.InlayHint) int {
		return cmpPosition(a.Position, b.Position)
	})
	return list, nil
}

func cmpPosition(a, b protocol.Position) int {
	if a.Line != b.Line {
		return a.Line - b.Line
	}
	return a.Character - b.Character
}

// computed are the steps after which a value differs from the written text.
var computed = []origin.What{origin.Macro, origin.Path, origin.Map, origin.Environment, origin.Localhost, origin.Alias}

// becomes returns the value of a setting that an occurrence writes, if it differs from
// the text and this place decides it.
func (s *session) becomes(c *lang.Config, o lang.Occurrence) (string, bool) {
	e, ok := s.entry(c, o.Key)
	if !ok || e.Value == o.Span.Text() || !slices.ContainsFunc(e.Steps, func(x origin.Step) bool { return slices.Contains(computed, x.What) }) {
		return "", false
	}
	var last source.Span
	for _, step := range e.Steps {
		if step.What == origin.Set || step.What == origin.Alias {
			last = step.Span
		}
	}
	if last.IsZero() || last.File.Path() != o.Span.File.Path() {
		return "", false
	}
	l := s.linesOf(o.Span.File)
	return e.Value, l.position(last.Start, true).Line == l.position(o.Span.Start, true).Line
}
