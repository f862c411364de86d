package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// mostProblems bounds what is remembered about a text that is none of ours;
// far fewer are ever shown.
const mostProblems = 10_000

// Parse reads a text. It never fails: what has no form is a problem.
//
// Where one thing ends and the next begins depends on the tokens alone, never on line
// breaks, so a formatted text has the same tree.
func Parse(f *source.File) *Tree {
	p := &parser{tree: &Tree{file: f, tokens: scan(f)}, last: -1, suspect: -1}
	p.grow()
	p.skip()
	for p.more() {
		p.definition()
	}
	return p.tree
}

// grow makes room for what the text seems to have; for a text that is none of ours
// not more than its size allows.
func (p *parser) grow() {
	text := p.tree.file.Text()
	braces, ends, quotes := strings.Count(text, "{"), strings.Count(text, ";"), strings.Count(text, `"`)
	p.tree.Defs = make([]Def, 0, min(braces, len(text)/32))
	p.blocks = make([]Block, 0, min(braces, len(text)/32))
	p.fields = make([]Field, 0, min(ends, len(text)/16))
	p.indices = make([]int, 0, min(quotes/2, len(text)/8))
}

type parser struct {
	tree *Tree
	pos  int // the next token that means something
	last int // the one before it

	bad  bool // the piece being read has a problem of form, which was said
	open bool // it has an open string, which may hide its end

	suspect int  // a string that ends in a backslash, or -1
	garbled bool // it ended too early: nothing of the definition can be trusted

	unclosed bool // no `*)` follows any more

	// Fields, values and blocks of all definitions lie one after the other.
	fields  []Field
	indices []int
	blocks  []Block
}

// skip moves over blanks, line breaks and comments.
func (p *parser) skip() { p.pos = p.ink(p.pos) }

// ink is the first token from i on that means something.
func (p *parser) ink(i int) int {
	tokens := p.tree.tokens.Tokens
	for i < len(tokens) {
		switch tokens[i].Kind {
		case Blank, Newline, Comment:
			i++
		default:
			return i
		}
	}
	return i
}

func (p *parser) more() bool { return p.pos < len(p.tree.tokens.Tokens) }

func (p *parser) kind() token.Kind { return p.tree.Kind(p.pos) }

func (p *parser) next() int {
	p.last = p.pos
	p.pos = p.ink(p.pos + 1)
	if p.pos == p.last+1 && p.tree.Kind(p.last) == String {
		p.backslash()
	}
	return p.last
}

// backslash remembers a string that ends in a backslash with text right behind it: its
// writer may not have meant it to end there.
func (p *parser) backslash() {
	if text := p.tree.tokens.At(p.last); text[len(text)-2] == '\\' && p.suspect < 0 {
		switch p.kind() {
		case Word, OddNumber, OpenString, Other:
			p.suspect = p.last
		}
	}
}

// report adds a problem, as long as somebody might read it. After a suspicious backslash the
// text is cut into strings at the wrong quotes: that is the problem, and more is not said.
func (p *parser) report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	if p.suspect >= 0 && !p.garbled {
		at := p.suspect
		p.suspect = -1
		p.report(Backslash, p.tree.Span(at), "the string ends at this quote; a backslash does not keep it from ending").
			Helped("a string has no quotes in it")
		p.garbled = true
	}
	if p.garbled || len(p.tree.problems) >= mostProblems {
		return diag.New(code, span, format, args...)
	}
	return p.tree.problems.Report(code, span, format, args...)
}

// definition reads one definition, or one piece of text that is none.
func (p *parser) definition() {
	p.bad, p.open, p.garbled, p.suspect = false, false, false, -1
	switch p.kind() {
	case Word:
	case Semicolon:
		p.extraSemicolons()
		return
	default:
		p.stray()
		return
	}
	d := Def{Keyword: p.next(), Name: -1}
	switch keyword := p.tree.Text(d.Keyword); keyword {
	case "tunable_constant":
		p.tunable(&d)
	case "list":
		p.list(&d)
		d.Broken = p.bad
	case "daemon", "process", "visi":
		p.definitionBlocks(&d)
	default:
		p.opaque(&d)
	}
	d.Tokens = Range{d.Keyword, p.last + 1}
	p.tree.Defs = append(p.tree.Defs, d)
}

// begins tells whether a definition with a known form begins at token i: where one
// that lacks its brace ends. `daemon "x";` is a field.
func (p *parser) begins(i int) bool {
	if p.tree.Kind(i) != Word {
		return false
	}
	keyword := p.tree.Text(i)
	i = p.ink(i + 1)
	switch keyword {
	case "daemon", "process", "visi":
		if p.tree.Kind(i) == Word {
			i = p.ink(i + 1)
		}
	case "list":
		if k := p.tree.Kind(i); k != Word && k != String {
			return false
		}
		i = p.ink(i + 1)
	case "tunable_constant":
		if p.tree.Kind(i) == String {
			return true
		}
	default:
		return false
	}
	return p.tree.Kind(i) == BraceOpen
}

// stray reports text up to the next word, once.
func (p *parser) stray() {
	first := p.pos
	for p.more() && p.kind() != Word && p.kind() != Semicolon {
		p.next()
	}
	switch p.tree.Kind(first) {
	case OpenString:
		p.openString(first)
	case Other:
		p.odd(first)
	default:
		p.report(Stray, firstLine(p.tree.tokens.Between(first, p.last+1)), "this belongs to no definition").
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

// extraSemicolons reports semicolons where none belongs, all that follow each other at once.
func (p *parser) extraSemicolons() {
	d := p.report(ExtraSemicolon, p.tree.Span(p.pos), "no `;` belongs here").Helped("remove it")
	var edits []source.Edit
	for p.kind() == Semicolon {
		edits = append(edits, source.Edit{Span: p.tree.Span(p.next())})
	}
	d.Fix(true, "remove it", edits...)
}

func (p *parser) openString(i int) {
	p.bad, p.open = true, true
	p.report(OpenStringCode, p.tree.Span(i), "the string does not end on this line").
		Helped("close it with a quote; a backslash does not keep a quote from ending a string")
}

// odd reports a character that the language does not have.
func (p *parser) odd(i int) {
	p.bad = true
	d := p.report(OddCharacter, p.tree.Span(i), "%s has no meaning here", named(p.tree.Text(i)))
	if p.tree.Text(i) == "\ufeff" {
		d.Helped("remove it; the file needs no mark of its encoding").Fix(true, "remove it", source.Edit{Span: d.Span})
	}
}

// named calls characters that a terminal does not show by their names.
func named(s string) string {
	switch r, _ := utf8.DecodeRuneInString(s); {
	case s == "\r":
		return "a carriage return without a line feed"
	case s == "\f":
		return "a form feed"
	case s == "\v":
		return "a vertical tab"
	case r == '\ufeff':
		return "a byte order mark"
	case r == utf8.RuneError:
		return "a byte that is not UTF-8"
	case r < ' ' || r == 0x7f:
		return "a control character"
	}
	return "`" + s + "`"
}

// short keeps messages to a readable length.
func short(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
