package syntax

import (
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// definitions are the words that begin a definition with a known form; the
// parser gets back on its feet at them.
var definitions = map[string]bool{
	"daemon": true, "process": true, "visi": true, "tunable_constant": true, "list": true,
}

// Parse reads a text. It never fails: what has no form is a problem.
func Parse(f *source.File) *Tree {
	p := &parser{tree: &Tree{file: f, tokens: scan(f)}}
	p.skip()
	for p.pos < p.tree.tokens.Len() {
		p.definition()
	}
	return p.tree
}

type parser struct {
	tree *Tree
	pos  int  // the next token that means something
	bad  bool // the definition being read has a problem of form
}

// skip moves over blanks, line breaks and comments.
func (p *parser) skip() {
	for p.pos < p.tree.tokens.Len() {
		switch p.tree.Kind(p.pos) {
		case Blank, Newline, Comment:
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) kind() token.Kind { return p.tree.Kind(p.pos) }

func (p *parser) next() int {
	i := p.pos
	p.pos++
	p.skip()
	return i
}

// definition reads one definition, or one piece of text that is none.
func (p *parser) definition() {
	switch p.kind() {
	case Word:
	case Semicolon:
		p.extraSemicolon()
		return
	default:
		p.stray()
		return
	}
	d := Def{Keyword: p.pos, Name: -1}
	first := p.pos
	p.bad = false
	keyword := p.tree.Text(p.next())
	switch {
	case keyword == "tunable_constant":
		p.tunable(&d)
	case keyword == "list":
		p.list(&d)
	case definitions[keyword]:
		p.blocks(&d)
	default:
		p.opaque(&d)
	}
	d.Broken = p.bad
	d.Tokens = Range{first, p.lastInk() + 1}
	p.tree.Defs = append(p.tree.Defs, d)
}

// lastInk is the last token before pos that means something.
func (p *parser) lastInk() int {
	i := p.pos - 1
	for i > 0 {
		switch p.tree.Kind(i) {
		case Blank, Newline, Comment:
			i--
			continue
		}
		break
	}
	return i
}

// stray reports text up to the next word, once.
func (p *parser) stray() {
	first := p.pos
	for p.pos < p.tree.tokens.Len() && p.kind() != Word && p.kind() != Semicolon {
		p.next()
	}
	span := p.tree.tokens.Between(first, p.lastInk()+1)
	switch p.tree.Kind(first) {
	case OpenString:
		p.openString(first)
	case Other:
		p.tree.problems.Report(OddCharacter, p.tree.Span(first), "%s has no meaning here", quoted(p.tree.Text(first)))
	default:
		p.tree.problems.Report(Stray, firstLine(span), "this belongs to no definition").
			Helped("a definition begins with daemon, process, visi, tunable_constant or list")
	}
}

// firstLine cuts a place at its first line break.
func firstLine(s source.Span) source.Span {
	for i := s.Start; i < s.End; i++ {
		if s.File.Text()[i] == '\n' {
			return s.File.Span(s.Start, i)
		}
	}
	return s
}

func quoted(s string) string {
	switch s {
	case "\r":
		return "a carriage return"
	case "\f":
		return "a form feed"
	}
	return "`" + s + "`"
}

func (p *parser) extraSemicolon() {
	i := p.next()
	d := p.tree.problems.Report(ExtraSemicolon, p.tree.Span(i), "no `;` belongs here").Helped("remove it")
	d.Fix(true, "remove it", source.Edit{Span: d.Span})
}

func (p *parser) openString(i int) {
	p.bad = true
	p.tree.problems.Report(OpenStringCode, p.tree.Span(i), "the string does not end on this line").
		Helped("close it with a quote; a backslash does not keep a quote from ending a string")
}

// atDefinition tells whether a definition begins here: a known keyword at
// the beginning of a line. It is where a definition that lacks its brace ends.
func (p *parser) atDefinition() bool {
	if p.kind() != Word || !definitions[p.tree.Text(p.pos)] {
		return false
	}
	for i := p.pos - 1; i >= 0; i-- {
		switch p.tree.Kind(i) {
		case Blank:
		case Newline:
			return true
		default:
			return false
		}
	}
	return true
}
