package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/token"
)

const (
	width   = 80 // the longest line that may contain a whole list
	deepest = 8  // levels of indentation; valid text has no more
)

// Print formats a tree: one field per line, indented blocks, lists on one line
// if they fit, and at most one empty line in a row. Text that it cannot parse
// stays as it is.
func Print(t *Tree) string {
	p := printer{tree: t, l: t.Tokens()}
	p.out.Grow(t.File().Len() + t.File().Len()/2)
	p.run()
	return p.out.String()
}

type printer struct {
	tree   *Tree
	l      *token.List
	out    strings.Builder
	def    int // the definition being written, or the next one
	depth  int
	inline int  // the closing brace of the list on this line, or 0
	items  bool // since the last brace, there were only values
}

// run writes every visible token after the space it needs.
func (p *printer) run() {
	prev := -1
	for i := range p.l.Tokens {
		k := p.l.Kind(i)
		if k == Blank || k == Newline {
			continue
		}
		for p.def < len(p.tree.Defs) && p.tree.Defs[p.def].Tokens.End <= int32(i) {
			p.def++
		}
		if p.begins(i) {
			p.depth, p.inline, p.items = 0, 0, false // forget the braces that are still open
		}
		if prev >= 0 {
			p.space(prev, i)
		}
		if !p.opaque(i) {
			p.enter(i, k)
		}
		p.out.WriteString(p.ink(i))
		if i == p.inline {
			p.inline = 0
		}
		prev = i
	}
	if prev >= 0 {
		p.lineBreak(prev)
	}
}

// enter updates the depth at a brace.
func (p *printer) enter(i int, k token.Kind) {
	switch k {
	case BraceOpen:
		p.depth++
		if p.inline == 0 {
			p.inline, p.items = p.list(i)
		}
	case BraceClose:
		p.depth = max(0, p.depth-1)
		p.items = false
	}
}

// begins reports whether a definition begins at token i.
func (p *printer) begins(i int) bool {
	return p.def < len(p.tree.Defs) && p.tree.Defs[p.def].Tokens.First == int32(i)
}

// opaque reports whether token i is in a definition that is kept as it is.
func (p *printer) opaque(i int) bool {
	return p.def < len(p.tree.Defs) && p.tree.Defs[p.def].Opaque && p.tree.Defs[p.def].Tokens.First <= int32(i)
}

// lineBreak ends a line. A carriage return that is not part of a line break must
// not become part of one.
func (p *printer) lineBreak(prev int) {
	if text := p.ink(prev); text[len(text)-1] == '\r' {
		p.out.WriteByte('\r')
	}
	p.out.WriteByte('\n')
}

// ink returns the text of a token, without the blanks at the end of a comment.
func (p *printer) ink(i int) string {
	text := p.l.At(i)
	if p.l.Kind(i) == Comment {
		return strings.TrimRight(text, " \t\r")
	}
	return text
}

// space writes the space between two tokens.
func (p *printer) space(prev, i int) {
	breaks, blank := 0, i > prev+1
	for j := prev + 1; j < i; j++ {
		if p.l.Kind(j) == Newline {
			breaks++
		}
	}
	k, last := p.l.Kind(i), p.l.Kind(prev)
	switch {
	case p.opaque(i) && !p.begins(i):
		p.out.WriteString(p.raw(prev, i))
	case last == Comment || last == OddComment || last == OpenString:
		p.newline(prev, breaks, i)
	case (k == Comment || k == OddComment) && breaks == 0:
		p.out.WriteString("  ")
	case k == Comment || k == OddComment:
		p.newline(prev, breaks, i)
	case p.begins(i):
		if last == BraceClose {
			breaks = max(breaks, 2)
		}
		p.newline(prev, breaks, i)
	case !blank && touches(last) && touches(k):
		// A path or similar text without quotes stays in one piece.
	case k == Other || last == Other:
		// Characters that are not part of the language keep the blanks around
		// them.
		if breaks > 0 {
			p.newline(prev, breaks, i)
		} else if blank {
			p.out.WriteByte(' ')
		}
	case k == Semicolon:
	case p.inline != 0:
		p.out.WriteByte(' ')
	case k == BraceClose && last == BraceOpen:
		p.out.WriteByte(' ')
	case k == BraceClose || last == BraceOpen || last == Semicolon || last == BraceClose:
		if k == BraceClose || last == BraceOpen {
			breaks = 1
		}
		p.newline(prev, breaks, i)
	case p.items:
		p.newline(prev, 1, i)
	default:
		p.out.WriteByte(' ')
	}
}

// touches reports whether a token may be part of a text that lacks its quotes.
func touches(k token.Kind) bool { return k == Word || k == Number || k == OddNumber || k == Other }

// raw returns the original space inside an opaque definition.
func (p *printer) raw(prev, i int) string {
	var b strings.Builder
	for j := prev + 1; j < i; j++ {
		b.WriteString(p.l.At(j))
	}
	return b.String()
}

// newline begins a line, after an empty line if there was one.
func (p *printer) newline(prev, breaks, i int) {
	p.lineBreak(prev)
	if breaks > 1 {
		p.out.WriteByte('\n')
	}
	depth := p.depth
	if p.l.Kind(i) == BraceClose && !p.opaque(i) {
		depth--
	}
	for range min(depth, deepest) {
		p.out.WriteString("    ")
	}
}

// list examines what follows a brace. If it is a list of values, items is true,
// and end is its closing brace if the list fits on one line.
func (p *printer) list(open int) (end int, items bool) {
	length := 0
	for i := open + 1; i < p.l.Len(); i++ {
		switch p.l.Kind(i) {
		case Blank, Newline:
		case Comment, OddComment:
			length = width + 1
		case String, Number, Word:
			length += int(p.l.Tokens[i].End-p.l.Tokens[i].Start) + 1
		case BraceClose:
			if length > width {
				return 0, true
			}
			return i, true
		default:
			return 0, false
		}
	}
	return 0, false
}
