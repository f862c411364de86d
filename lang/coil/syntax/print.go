package syntax

import (
	"strings"
	"unicode/utf8"
)

// Print formats a tree. It writes one blank around the first `=`, none around the
// commas of a list, one empty line before a header and at most one anywhere else. The
// comments of adjacent lines share a column. isList reports whether the value of a
// key is a list; all other values stay as they are.
func Print(t *Tree, isList func(key string) bool) string {
	p := printer{tree: t, isList: isList}
	p.out.Grow(t.File().Len() + t.File().Len()/8)
	toks := t.Tokens().Tokens
	start := 0
	if len(toks) > 0 && toks[0].Kind == BOM {
		p.out.WriteString(bom)
		start = 1
	}
	p.begin = p.out.Len()
	for start < len(toks) {
		stop := start
		for stop < len(toks) && toks[stop].Kind != Newline {
			stop++
		}
		p.line(start, stop)
		start = stop + 1
	}
	p.flush()
	return p.out.String()
}

// maxAligned is the length of the longest text whose comment is aligned with the
// comments of adjacent lines.
const maxAligned = 48

type printer struct {
	tree   *Tree
	isList func(string) bool
	out    strings.Builder
	begin  int  // where the text begins, after a byte order mark
	empty  bool // an empty line must be written before the next line
	// above are comment lines that belong to the line below them.
	above []string
	// block are adjacent lines whose comments share a column.
	block []row
}

type row struct{ text, comment string }

func (p *printer) line(start, stop int) {
	toks := p.tree.Tokens()
	end := stop
	comment := ""
	for end > start && (toks.Kind(end-1) == Blank || toks.Kind(end-1) == Comment) {
		end--
		if toks.Kind(end) == Comment {
			comment = strings.TrimRight(toks.At(end), blanks)
		}
	}
	for start < end && toks.Kind(start) == Blank {
		start++
	}
	switch {
	case start == end && comment == "":
		p.flush()
		p.empty = p.out.Len() > p.begin
	case start == end:
		p.flushBlock()
		p.above = append(p.above, comment)
	case toks.Kind(start) == Open:
		p.flushBlock()
		p.empty = p.empty || p.out.Len() > p.begin
		p.flush()
		p.block = append(p.block, row{p.header(start, end), comment})
		p.flushBlock()
	default:
		p.flushAbove()
		p.block = append(p.block, row{p.entry(start, end), comment})
	}
}

const blanks = " \t\v\f"

// flush writes the lines that were kept in order to align their comments.
func (p *printer) flush() {
	p.flushBlock()
	p.flushAbove()
}

func (p *printer) flushAbove() {
	for _, c := range p.above {
		p.write(c)
	}
	p.above = p.above[:0]
}

func (p *printer) flushBlock() {
	column := 0
	for _, r := range p.block {
		if n := utf8.RuneCountInString(r.text); r.comment != "" && n <= maxAligned {
			column = max(column, n)
		}
	}
	for _, r := range p.block {
		if r.comment == "" {
			p.write(r.text)
			continue
		}
		pad := max(0, column-utf8.RuneCountInString(r.text))
		p.write(r.text + strings.Repeat(" ", pad+2) + r.comment)
	}
	p.block = p.block[:0]
}

func (p *printer) write(text string) {
	if p.empty {
		p.out.WriteByte('\n')
		p.empty = false
	}
	p.out.WriteString(text)
	p.out.WriteByte('\n')
}

// header writes the name directly between its brackets.
func (p *printer) header(start, end int) string {
	toks := p.tree.Tokens()
	var b strings.Builder
	closed := false
	for i := start; i < end; i++ {
		switch toks.Kind(i) {
		case Blank:
			if closed {
				b.WriteByte(' ')
			}
			continue
		case Close:
			closed = true
		}
		b.WriteString(toks.At(i))
	}
	return b.String()
}

// entry puts one blank on both sides of the `=`, or after a directive.
func (p *printer) entry(start, end int) string {
	toks := p.tree.Tokens()
	text := toks.Between(start, end).Text()
	if toks.Kind(start) == Directive {
		path := strings.TrimLeft(text[len(toks.At(start)):], blanks)
		return spaced(toks.At(start), path)
	}
	equals := start
	for equals < end && toks.Kind(equals) != Equals {
		equals++
	}
	if equals == end {
		return text
	}
	key := ""
	if equals > start {
		key = toks.At(start)
	}
	value := ""
	if equals+1 < end {
		value = strings.TrimLeft(toks.Between(equals+1, end).Text(), blanks)
	}
	if p.isList(key) {
		value = p.list(equals+1, end)
	}
	return spaced(spaced(key, "="), value)
}

// spaced joins two texts with a blank if neither is empty. An unclosed quote may end
// in blanks, which stay.
func spaced(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// list removes the blanks around the commas; blanks inside an element stay.
func (p *printer) list(first, end int) string {
	toks := p.tree.Tokens()
	var b strings.Builder
	for i := first; i < end; i++ {
		before, after := toks.Kind(i-1), toks.Kind(i+1)
		if toks.Kind(i) == Blank && (before == Equals || before == Comma || after == Comma) {
			continue
		}
		b.WriteString(toks.At(i))
	}
	return b.String()
}
