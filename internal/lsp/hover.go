package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
)

// hover describes a place: its documentation, then the resolved value
// with every step that led to it. If an included file has several meanings,
// the first document that includes it decides.
func (s *session) hover(_ context.Context, p *protocol.PositionParams) (*protocol.Hover, error) {
	if f, offset := s.inProject(p); f != nil {
		return s.describeProject(f, offset)
	}
	c, at, err := s.place(p)
	if err != nil {
		return nil, err
	}
	path := at.File.Path()
	for _, config := range s.contexts(path) {
		all := s.at(config, path, at.Start)
		text, value := "", ""
		for _, f := range all { // the innermost occurrence first
			if text == "" {
				text = config.Describe(f.Occurrence)
			}
			if e, ok := s.entry(config, f.Key); ok && value == "" {
				value = s.steps(&e)
			}
		}
		parts := slices.DeleteFunc([]string{s.shorten(text), value}, func(part string) bool { return part == "" })
		if len(parts) == 0 {
			continue
		}
		r := s.rangeOf(c.Document.File.Span(all[0].Span.Start, all[0].Span.End))
		return &protocol.Hover{Contents: protocol.Markdown(strings.Join(parts, "\n\n---\n\n")), Range: &r}, nil
	}
	return nil, errNothing
}

// maxSteps is the maximum number of steps shown for a value.
const maxSteps = 12

// maxShown is the maximum number of characters shown of a value.
const maxShown = 400

// steps shows a value and its origin, each step with a link.
func (s *session) steps(e *origin.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s` = `%s`", e.Key, problem.Clip(e.Value, maxShown))
	from := max(0, len(e.Steps)-maxSteps)
	for _, step := range e.Steps[from:] {
		fmt.Fprintf(&b, "\n1. %s `%s`", step.What, problem.Clip(step.Text, problem.Short))
		if !step.Span.IsZero() {
			pos := step.Span.Position()
			fmt.Fprintf(&b, " at [%s:%d](%s#L%d)", base(step.Span.File.Path()), pos.Line, s.uri(step.Span.File.Path()), pos.Line)
		}
		if step.Note != "" {
			fmt.Fprintf(&b, ", %s", s.shorten(step.Note))
		}
	}
	return b.String()
}
