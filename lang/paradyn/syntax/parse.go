package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Parse reads a text. It never fails: text without a valid form becomes a problem.
//
// Only tokens decide where one thing ends and the next begins, never line breaks, so a
// formatted text has the same tree.
func Parse(f *source.File) *Tree {
	tokens, oddComments := scan(f)
	p := &parser{tree: &Tree{Tree: token.NewTree(tokens)}, last: -1, suspect: -1}
	p.grow()
	if oddComments {
		p.oddComments("#")
		p.oddComments("/*")
	}
	p.skip()
	for p.more() {
		p.definition()
	}
	p.endEmpty()
	if p.moreReturns > 0 {
		p.returns.Note("%d more in this file", p.moreReturns)
	}
	return p.tree
}

// grow allocates what the text seems to need, with limits for a text in another language.
func (p *parser) grow() {
	text := p.tree.File().Text()
	braces, ends, quotes := strings.Count(text, "{"), strings.Count(text, ";"), strings.Count(text, `"`)
	p.tree.Defs = make([]Def, 0, min(braces, len(text)/32))
	p.blocks = make([]Block, 0, min(braces, len(text)/32))
	p.fields = make([]Field, 0, min(ends, len(text)/16))
	p.indices = make([]int, 0, min(quotes/2, len(text)/8))
}

type parser struct {
	tree *Tree
	pos  int // the next token that is not blank
	last int // the token before it

	bad  bool // the definition, block or field being read has a wrong form, which is reported
	open bool // it has an open string, which may hide its end

	suspect int  // a string that may not end where its writer intended, or -1
	garbled bool // the suspect string ends too early: the rest of the definition is unreliable

	instead string // the replacement for a comma: a blank between values, else `;`

	missingBraces int // number of closing braces missing from definitions that ended where the next one began

	codeEnds bool // no `*)` follows

	empty     *diag.Diagnostic // about the first of several definitions without fields and closing braces
	moreEmpty int              // the number of such definitions after it

	returns     *diag.Diagnostic // about the first carriage return that is not part of a line break
	moreReturns int

	// The fields, values and blocks of all definitions are stored in common slices, so that few
	// allocations are needed.
	fields  []Field
	indices []int
	blocks  []Block
}

// skip moves past blanks, line breaks and comments.
func (p *parser) skip() { p.pos = p.ink(p.pos) }

// ink returns the first token at or after i that is not a blank, a line break or a comment.
func (p *parser) ink(i int) int {
	tokens := p.tree.Tokens().Tokens
	for i < len(tokens) {
		switch tokens[i].Kind {
		case Blank, Newline, Comment, OddComment:
			i++
		default:
			return i
		}
	}
	return i
}

func (p *parser) more() bool { return p.pos < len(p.tree.Tokens().Tokens) }

func (p *parser) kind() token.Kind { return p.tree.Kind(p.pos) }

func (p *parser) next() int {
	p.last = p.pos
	p.pos = p.ink(p.pos + 1)
	if p.suspect < 0 && p.pos == p.last+1 && p.tree.Kind(p.last) == String {
		switch p.kind() {
		case Word, OpenString:
			p.suspect = p.last
		case OddNumber, Other:
			if p.afterBackslash(p.last) {
				p.suspect = p.last
			}
		}
	}
	return p.last
}

// afterBackslash reports whether the closing quote of a string follows a backslash.
func (p *parser) afterBackslash(str int) bool {
	text := p.tree.Tokens().At(str)
	return text[len(text)-2] == '\\'
}

// lacksQuote reports whether the line of token i has a string that is not closed.
func (p *parser) lacksQuote(i int) bool {
	const maxTokens = 200 // longer lines are not written by hand
	for end := min(i+maxTokens, p.tree.Tokens().Len()); i < end; i++ {
		switch p.tree.Kind(i) {
		case OpenString:
			return true
		case Newline:
			return false
		}
	}
	return false
}

// reportSuspect reports that a string followed directly by text ends too early, if that explains
// another problem.
func (p *parser) reportSuspect() {
	at := p.suspect
	p.suspect = -1
	switch span := p.tree.TokenSpan(at); {
	case p.afterBackslash(at):
		p.report(Backslash, span, "the string ends at this quote; a backslash does not keep it from ending").
			Helped("a string cannot contain quotes")
	case p.open && p.lacksQuote(at): // a string over several lines, which is reported
	case p.lacksQuote(at):
		p.report(OpenStringCode, span, "a quote is missing on this line: the string ends directly before other text").
			Helped("close every string with a quote")
	default:
		return
	}
	p.garbled = true
}

// report adds a problem. If the suspect string ends too early, the text after it is cut into
// strings at the wrong quotes. In that case only the string is reported.
func (p *parser) report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	if p.suspect >= 0 && !p.garbled {
		p.reportSuspect()
	}
	if p.garbled {
		return diag.New(code, span, format, args...)
	}
	return p.tree.Report(code, span, format, args...)
}

// definition reads a definition, or a piece of text that does not belong to any.
func (p *parser) definition() {
	p.bad, p.open, p.garbled, p.suspect, p.instead = false, false, false, -1, ";"
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
	d.Tokens = Range{First: int32(d.Keyword), End: int32(p.last + 1)}
	p.tree.Defs = append(p.tree.Defs, d)
}

// begins reports whether a definition in a known form begins at token i, so that an unclosed
// definition ends there. `daemon "x";` is a field.
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

// stray reports the text up to the next word as one problem.
func (p *parser) stray() {
	if p.missingBraces > 0 && p.kind() == BraceClose {
		p.missingBraces--
		p.next()
		return
	}
	first := p.pos
	opened := 0
	for ; p.kind() == BraceOpen; opened++ {
		p.next()
	}
	if opened > 0 {
		p.recover(opened)
	}
	for p.more() && p.kind() != Word && p.kind() != Semicolon {
		p.next()
	}
	switch p.tree.Kind(first) {
	case OpenString:
		p.openString(first)
	case Other:
		p.odd(first)
	default:
		p.report(Stray, firstLine(p.tree.Tokens().Between(first, p.last+1)), "this belongs to no definition").
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

// extraSemicolons reports misplaced semicolons, with one finding for a sequence of them.
func (p *parser) extraSemicolons() {
	d := p.report(ExtraSemicolon, p.tree.TokenSpan(p.pos), "no `;` belongs here").Helped("remove it")
	var edits []source.Edit
	for p.kind() == Semicolon {
		edits = append(edits, source.Edit{Span: p.tree.TokenSpan(p.next())})
	}
	d.Fix(true, "remove it", edits...)
}

func (p *parser) openString(i int) {
	p.report(OpenStringCode, p.tree.TokenSpan(i), "the string does not end on this line").
		Helped("close it with a quote; a backslash does not keep a quote from ending a string")
	p.bad, p.open = true, true
}
