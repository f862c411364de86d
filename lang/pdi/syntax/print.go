package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/token"
)

// Print formats a tree: one blank after `-`, `:` and `,`, none inside brackets, at most one empty line in a row, no blanks at the end of a line, and
// line feeds as line ends. The indentation of lines and the content of scalars do not change, because blanks can have a meaning there. A text that is
// not YAML does not change, nor does a source of C++.
func Print(t *Tree) string {
	if t.embedded || t.Problems().HasErrors() {
		return t.File().Text()
	}
	p := printer{tree: t, toks: t.Tokens().Tokens, starts: make([]bool, len(t.Tokens().Tokens)+1)}
	p.mark(t.Root)
	p.out.Grow(t.File().Len() + t.File().Len()/16)
	p.print()
	return p.out.String()
}

type printer struct {
	tree   *Tree
	toks   []token.Token
	starts []bool // a block collection begins at this token, so its column must stay
	out    strings.Builder

	flow   int
	breaks int // line breaks not yet written
	blank  int // the token of the blanks not yet written, plus one
}

// mark finds the first tokens of block collections.
func (p *printer) mark(n *Node) {
	if n.Style == Block {
		p.starts[n.Tokens.First] = true
	}
	for _, e := range n.Entries {
		if e.Key != nil {
			p.mark(e.Key)
		}
		p.mark(e.Value)
	}
}

func (p *printer) print() {
	for i, tok := range p.toks {
		switch tok.Kind {
		case Newline:
			p.newline(i)
			continue
		case Blank:
			p.blank = i + 1
			continue
		}
		p.gap(i)
		text := p.tree.Tokens().At(i)
		switch tok.Kind {
		case Comment:
			text = strings.TrimRight(text, " \t")
		case ListOpen, MapOpen:
			p.flow++
		case ListClose, MapClose:
			p.flow--
		case Plain, Single, Double, BlockText:
			if strings.IndexByte(text, '\r') >= 0 {
				text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
			}
		}
		p.out.WriteString(text)
	}
	p.end()
}

// newline counts line breaks. Line breaks of Unicode are kept: other programs do not treat them as white space.
func (p *printer) newline(i int) {
	p.blank = 0
	if text := p.tree.Tokens().At(i); text[0] >= 0x80 {
		p.gap(i)
		p.out.WriteString(text)
		return
	}
	p.breaks++
}

// gap writes the white space between the last token and token i.
func (p *printer) gap(i int) {
	limit := 2
	switch {
	case p.atStart() && p.toks[i].Kind != ByteOrder: // a byte order mark after empty lines would lose its meaning
		limit = 0
	case p.atStart() || p.atLine():
		limit = 1
	}
	breaks := min(p.breaks, limit)
	blank := p.blank
	p.breaks, p.blank = 0, 0
	for range breaks {
		p.out.WriteByte('\n')
	}
	if breaks > 0 || p.atLine() || p.atStart() {
		if blank > 0 {
			p.out.WriteString(p.tree.Tokens().At(blank - 1))
		}
		return
	}
	p.inside(i, blank)
}

// inside writes the blanks between two tokens of one line.
func (p *printer) inside(i, blank int) {
	before := i - 1
	if blank > 0 {
		before = blank - 2
	}
	last, next := p.tree.Tokens().Kind(before), p.tree.Tokens().Kind(i)
	switch {
	case next == Newline:
	case next == Comment, next == Rest, last == ByteOrder, p.starts[i] && (last == Dash || last == Question || last == Colon):
		// Comments are often aligned, and the column of a block collection has a meaning.
		if blank > 0 {
			p.out.WriteString(p.tree.Tokens().At(blank - 1))
		}
	case blank == 0:
		if p.flow > 0 && (last == Comma || last == Colon) && next != ListClose && next != MapClose && next != Comma {
			p.out.WriteByte(' ')
		}
	case last == ListOpen || last == MapOpen:
	case next == Comma || next == ListClose || next == MapClose || next == Colon:
		// After any other token, the blank separates the two.
		if !ends[last] {
			p.out.WriteByte(' ')
		}
	default:
		p.out.WriteByte(' ')
	}
}

// ends are the kinds of tokens that need no blank after them.
var ends = [Host + 1]bool{Plain: true, Single: true, Double: true, ListClose: true, MapClose: true}

// end ends the last line, unless the line break would become part of a scalar.
func (p *printer) end() {
	if p.atStart() || p.atLine() {
		return
	}
	if p.breaks == 0 {
		last := len(p.toks) - 1
		for last > 0 && p.toks[last].Kind == Blank {
			last--
		}
		if k := p.toks[last].Kind; k == BlockText || k == Rest {
			return
		}
	}
	p.out.WriteByte('\n')
}

// atLine reports whether a line begins here.
func (p *printer) atLine() bool {
	text := p.out.String()
	return text == "" || endsLine(text, len(text))
}

// atStart reports whether nothing is written yet, except a byte order mark.
func (p *printer) atStart() bool { return p.out.Len() == 0 || p.out.String() == "\ufeff" }
