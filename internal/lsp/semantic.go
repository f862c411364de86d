package lsp

import (
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
)

// tokenTypes are the names of token types that editors know; each has a colour.
var tokenTypes = []string{
	"comment", "keyword", "string", "number", "operator", "namespace", "property", "enumMember", "macro", "class", "interface",
	"type", "variable", "event", "function", "decorator",
}

// tokenModifiers mark places that declare something.
var tokenModifiers = []string{"declaration"}

// colourOf maps each kind to its colour.
var colourOf = map[lang.Kind]string{
	lang.Comment: "comment", lang.Keyword: "keyword", lang.Text: "string", lang.Number: "number", lang.Operator: "operator",
	lang.Section: "namespace", lang.Block: "namespace", lang.Domain: "namespace", lang.Plugin: "namespace",
	lang.Key: "property", lang.Member: "property", lang.Tunable: "property", lang.Word: "enumMember", lang.Feature: "enumMember",
	lang.Unit: "enumMember", lang.Macro: "macro", lang.Process: "class", lang.Daemon: "class", lang.Port: "interface",
	lang.Type: "type", lang.Cluster: "type", lang.Datum: "variable", lang.Register: "variable", lang.Event: "event",
	lang.Region: "function", lang.Path: "string",
}

func (s *session) semanticTokens(c *lang.Config, p *protocol.DocumentParams) (*protocol.SemanticTokens, error) {
	now := s.keepColours(p.TextDocument.URI, c)
	return &protocol.SemanticTokens{ResultID: now.id, Data: now.data}, nil
}

func (s *session) semanticRange(c *lang.Config, p *protocol.RangeParams) (*protocol.SemanticTokens, error) {
	return &protocol.SemanticTokens{Data: s.paint(c, s.spanOf(c.Document.File, p.Range))}, nil
}

// semanticDelta returns the changes since an earlier answer, or all tokens if that answer is gone.
func (s *session) semanticDelta(c *lang.Config, p *protocol.SemanticDeltaParams) (any, error) {
	before := s.colours[p.TextDocument.URI]
	now := s.keepColours(p.TextDocument.URI, c)
	if before.id == "" || before.id != p.PreviousResultID {
		return &protocol.SemanticTokens{ResultID: now.id, Data: now.data}, nil
	}
	head := 0
	for head < len(before.data) && head < len(now.data) && before.data[head] == now.data[head] {
		head++
	}
	tail := 0
	for tail < len(before.data)-head && tail < len(now.data)-head && before.data[len(before.data)-1-tail] == now.data[len(now.data)-1-tail] {
		tail++
	}
	delta := &protocol.SemanticDelta{ResultID: now.id, Edits: []protocol.SemanticEdit{}}
	if head+tail < max(len(before.data), len(now.data)) {
		delta.Edits = append(delta.Edits, protocol.SemanticEdit{Start: head, DeleteCount: len(before.data) - head - tail, Data: now.data[head : len(now.data)-tail]})
	}
	return delta, nil
}

func (s *session) keepColours(uri string, c *lang.Config) colours {
	s.answers++
	now := colours{strconv.Itoa(s.answers), s.paint(c, c.Document.File.Span(0, c.Document.File.Len()))}
	s.colours[uri] = now
	return now
}

// paint colours a piece of a document. Larger things are painted first, so that a
// macro inside a value keeps its own colour.
func (s *session) paint(c *lang.Config, piece source.Span) []uint32 {
	f := c.Document.File
	var list []lang.Occurrence
	inside := func(span source.Span) bool { return span.Start < piece.End && span.End > piece.Start }
	for w := range c.Document.Words() {
		if inside(w.Span) {
			list = append(list, w)
		}
	}
	words := len(list)
	for _, o := range s.index(c).byPath[f.Path()] {
		if inside(o.Span) {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list[words:], func(a, b lang.Occurrence) int { return b.Span.Len() - a.Span.Len() })
	canvas := make([]uint8, piece.Len())
	for _, o := range list {
		colour := uint8(slices.Index(tokenTypes, colourOf[o.Kind])+1) << 1
		if o.Def {
			colour |= 1
		}
		for i := max(o.Span.Start, piece.Start); i < min(o.Span.End, piece.End); i++ {
			canvas[i-piece.Start] = colour
		}
	}
	return s.encode(f, piece, canvas)
}

// encode converts painted bytes to the numbers of the protocol: each token relative to
// the previous one.
func (s *session) encode(f *source.File, piece source.Span, canvas []uint8) []uint32 {
	data := []uint32{}
	text, l := f.Text(), s.linesOf(f)
	last := protocol.Position{}
	for i := 0; i < len(canvas); {
		colour, start := canvas[i], i
		for i < len(canvas) && canvas[i] == colour && (text[piece.Start+i] != '\n' && text[piece.Start+i] != '\r') {
			i++
		}
		if i == start {
			i++
			continue
		}
		if colour == 0 {
			continue
		}
		from, to := l.position(piece.Start+start, s.utf8), l.position(piece.Start+i, s.utf8)
		column := from.Character
		if from.Line == last.Line {
			column -= last.Character
		}
		data = append(data, uint32(from.Line-last.Line), uint32(column), uint32(to.Character-from.Character), uint32(colour>>1)-1, uint32(colour&1))
		last = from
	}
	return data
}
