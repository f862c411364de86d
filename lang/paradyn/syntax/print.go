package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/token"
)

// width is how long a list may be to stay on one line.
const width = 80

// Print formats a tree: one field a line, blocks indented, lists on one line where
// they fit, at most one empty line. What it cannot read it leaves as it is.
func Print(t *Tree) string {
	p := printer{tree: t, l: t.tokens, opaque: make([]int, t.tokens.Len())}
	for _, d := range t.Defs {
		if d.Opaque {
			for i := d.Tokens.First; i < d.Tokens.End; i++ {
				p.opaque[i] = d.Tokens.First + 1
			}
		}
	}
	p.run()
	return p.out.String()
}

type printer struct {
	tree   *Tree
	l      *token.List
	out    strings.Builder
	opaque []int // for each token of an opaque definition, 1 + its first token
	depth  int
	inline int // the brace that ends the list on this line, or 0
}

// run writes every token that has ink, each after the space it needs.
func (p *printer) run() {
	prev := -1
	for i := range p.l.Tokens {
		switch p.l.Kind(i) {
		case Blank, Newline:
			continue
		}
		if prev >= 0 {
			p.space(prev, i)
		}
		if p.opaque[i] == 0 {
			switch p.l.Kind(i) {
			case BraceOpen:
				p.depth++
				if p.inline == 0 {
					p.inline = p.fits(i)
				}
			case BraceClose:
				p.depth = max(0, p.depth-1)
			}
		}
		p.out.WriteString(p.ink(i))
		if i == p.inline {
			p.inline = 0
		}
		prev = i
	}
	if prev >= 0 {
		p.out.WriteByte('\n')
	}
}

// ink is a token's text; the blanks at the end of a comment are none.
func (p *printer) ink(i int) string {
	text := p.l.At(i)
	if p.l.Kind(i) == Comment {
		return strings.TrimRight(text, " \t\r")
	}
	return text
}

// space writes what goes between two tokens.
func (p *printer) space(prev, i int) {
	breaks, blank := 0, i > prev+1
	for j := prev + 1; j < i; j++ {
		if p.l.Kind(j) == Newline {
			breaks++
		}
	}
	k, last := p.l.Kind(i), p.l.Kind(prev)
	switch {
	case p.opaque[i] != 0 && p.opaque[i] == p.opaque[prev]:
		p.out.WriteString(p.raw(prev, i))
	case last == Comment || last == OpenString:
		p.newline(breaks, i)
	case k == Comment && breaks == 0:
		p.out.WriteString("  ")
	case k == Comment:
		p.newline(breaks, i)
	case k == Other || last == Other:
		// Characters that mean nothing keep their distance.
		if breaks > 0 {
			p.newline(breaks, i)
		} else if blank {
			p.out.WriteByte(' ')
		}
	case k == Semicolon:
	case p.inline != 0:
		p.out.WriteByte(' ')
	case k == BraceClose && last == BraceOpen:
		p.out.WriteByte(' ')
	case k == BraceClose || last == BraceOpen || last == Semicolon || last == BraceClose:
		if last == BraceClose && p.depth == 0 && k != BraceClose {
			breaks = max(breaks, 2)
		}
		if k == BraceClose || last == BraceOpen {
			breaks = 1
		}
		p.newline(breaks, i)
	case p.depth > 0 && p.inList(i):
		p.newline(1, i)
	default:
		p.out.WriteByte(' ')
	}
}

// raw is the original space within an opaque definition.
func (p *printer) raw(prev, i int) string {
	var b strings.Builder
	for j := prev + 1; j < i; j++ {
		b.WriteString(p.l.At(j))
	}
	return b.String()
}

// newline begins a line, after an empty one where there was one.
func (p *printer) newline(breaks, i int) {
	p.out.WriteByte('\n')
	if breaks > 1 {
		p.out.WriteByte('\n')
	}
	depth := p.depth
	if p.l.Kind(i) == BraceClose && p.opaque[i] == 0 {
		depth--
	}
	for range depth {
		p.out.WriteString("    ")
	}
}

// fits returns the brace that closes a list which has its place on one line, or 0.
func (p *printer) fits(open int) int {
	length := 0
	for i := open + 1; i < p.l.Len(); i++ {
		switch p.l.Kind(i) {
		case Blank, Newline:
			continue
		case String, Number:
			length += int(p.l.Tokens[i].End-p.l.Tokens[i].Start) + 1
			if length > width {
				return 0
			}
		case BraceClose:
			return i
		default:
			return 0
		}
	}
	return 0
}

// inList tells whether token i is an item of a list that does not fit on a
// line: what comes before it in its braces are values only.
func (p *printer) inList(i int) bool {
	if k := p.l.Kind(i); k != String && k != Number {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		switch p.l.Kind(j) {
		case Blank, Newline, Comment, String, Number:
		case BraceOpen:
			return true
		default:
			return false
		}
	}
	return false
}
