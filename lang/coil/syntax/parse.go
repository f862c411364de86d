package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Parse reads a text. It never fails: lines without a valid form become problems.
func Parse(f *source.File) *Tree {
	p := &parser{tree: &Tree{Tree: token.NewTree(scan(f))}, text: f.Text()}
	p.toks = p.tree.Tokens().Tokens
	if p.older() {
		return p.tree
	}
	p.tree.Sections = make([]Section, 0, strings.Count(p.text, "\n[")+1)
	// Every key has its own `=`, so this array is large enough for all keys.
	p.entries = make([]Entry, 0, strings.Count(p.text, "="))
	p.lines()
	p.encoding()
	return p.tree
}

type parser struct {
	tree *Tree
	text string
	toks []token.Token

	entries []Entry // of the section that is being read
	lost    []Text  // of the section that is being read
	pos     int     // next token
	end     int     // end of the line without trailing blanks and comment
}

// lines goes through the text line by line.
func (p *parser) lines() {
	start := 0
	if len(p.toks) > 0 && p.toks[0].Kind == BOM {
		start = 1
	}
	for start < len(p.toks) {
		stop := start
		for stop < len(p.toks) && p.toks[stop].Kind != Newline {
			stop++
		}
		p.pos, p.end = start, stop
		p.trimLine()
		line := Range{First: int32(start), End: int32(stop)}
		if p.pos < p.end {
			switch p.toks[p.pos].Kind {
			case Open:
				p.finish()
				p.header(line)
			case Directive:
				p.include(line)
			default:
				p.entry(line)
			}
		}
		start = stop + 1
	}
	p.finish()
}

// trimLine removes blanks and the comment from [pos, end).
func (p *parser) trimLine() {
	for p.pos < p.end && p.toks[p.pos].Kind == Blank {
		p.pos++
	}
	for p.end > p.pos && (p.toks[p.end-1].Kind == Blank || p.toks[p.end-1].Kind == Comment) {
		p.end--
	}
}

// finish adds the keys read so far to their section.
func (p *parser) finish() {
	if n := len(p.tree.Sections); n > 0 {
		p.tree.Sections[n-1].Entries, p.tree.Sections[n-1].Lost = p.entries, p.lost
	} else {
		p.tree.Stray = p.entries
	}
	p.entries, p.lost = p.entries[len(p.entries):], nil
}

func (p *parser) report(code *diag.Code, first, end int, format string, args ...any) *diag.Diagnostic {
	return p.tree.Report(code, p.tree.Tokens().Between(first, end), format, args...)
}

// header reads `[Name]`. A header without its closing bracket still begins a
// section, so that the keys below it are not reported.
func (p *parser) header(line Range) {
	open := p.pos
	at := p.toks[open].End
	s := Section{Line: line, Name: Text{Start: at, End: at}}
	for p.pos++; p.pos < p.end && p.toks[p.pos].Kind != Close; p.pos++ {
		if t := p.toks[p.pos]; t.Kind == Name {
			s.Name = Text{Start: t.Start, End: t.End}
		}
	}
	if p.pos == p.end {
		p.report(MissingBracket, open, p.end, "the section header has no `]`").
			Labelled("opened here").Helped("write `]` after the name").
			Fix(true, "write `]`", source.Edit{Span: p.tree.File().Span(int(s.Name.End), int(s.Name.End)), Text: "]"})
	} else if first := p.skipBlank(p.pos + 1); first < p.end && !p.doubled(s.Name, first) {
		p.report(TextAfterHeader, first, p.end, "this text after the `]` means nothing").
			Helped("a key begins a new line, a comment begins with `#` or `;`")
	}
	p.tree.Sections = append(p.tree.Sections, s)
}

// doubled reports whether the header is `[[Name]]`. If so, it reports only the
// name.
func (p *parser) doubled(name Text, rest int) bool {
	return strings.HasPrefix(p.tree.Of(name), "[") && p.tree.Tokens().Between(rest, p.end).Text() == "]"
}

func (p *parser) skipBlank(i int) int {
	for i < p.end && p.toks[i].Kind == Blank {
		i++
	}
	return i
}

// include reads `@include "path"`.
func (p *parser) include(line Range) {
	word := p.tree.Tokens().At(p.pos)
	if word != "@include" {
		p.tree.Partial = true
		p.report(UnknownDirective, p.pos, p.pos+1, "`%s` is not a directive; there is only `@include`", word).
			Suggest(strings.EqualFold(word, "@include"), "@include")
		return
	}
	path, ok := p.path(p.skipBlank(p.pos + 1))
	if !ok {
		p.tree.Partial = true
		return
	}
	late := len(p.tree.Sections) > 0 || len(p.entries) > 0
	p.tree.Includes = append(p.tree.Includes, Include{Line: line, Path: path, Late: late})
}

// path reads the path of an include. first is the token after the directive.
func (p *parser) path(first int) (Text, bool) {
	if first == p.end {
		p.report(ValueMissing, p.pos, p.pos+1, "`@include` does not say which file").
			Helped("write `@include \"base.coilcfg\"`")
		return Text{}, false
	}
	path := Text{Start: p.toks[first].Start, End: p.toks[p.end-1].End}
	if p.toks[first].Kind != Quoted {
		return path, !p.quotes(first)
	}
	if first+1 < p.end && p.closed(first) {
		p.report(TextAfterQuote, p.skipBlank(first+1), p.end, "this text after the closing quote means nothing").
			Helped("an `@include` has one file; write a line for each")
		return Text{}, false
	}
	if p.quotes(first) {
		return Text{}, false
	}
	path.Start++
	path.End--
	if path.Empty() {
		p.report(ValueMissing, first, p.end, "`@include` does not say which file").
			Helped("write `@include \"base.coilcfg\"`")
	}
	return path, !path.Empty()
}

// entry reads `key = value`.
func (p *parser) entry(line Range) {
	first := p.pos
	for p.pos < p.end && p.toks[p.pos].Kind != Equals {
		p.pos++
	}
	if p.pos == p.end {
		p.formless(first)
		return
	}
	if p.pos == first {
		p.report(MissingName, p.pos, p.pos+1, "there is no key before the `=`").Helped("write `key = value`")
		return
	}
	key := p.toks[first]
	e := Entry{Line: line, Key: Text{Start: key.Start, End: key.End}}
	if value := p.skipBlank(p.pos + 1); value < p.end {
		e.Value = Text{Start: p.toks[value].Start, End: p.toks[p.end-1].End}
		e.Broken = p.quotes(value)
	} else {
		at := p.toks[p.pos].End
		e.Value = Text{Start: at, End: at}
		e.Broken = true
		p.report(ValueMissing, first, first+1, "`%s` has no value", p.tree.Of(e.Key)).
			Helped("write a value after the `=`; a list is emptied with `\"\"`")
	}
	p.entries = append(p.entries, e)
}

// formless reports a line without a valid form, and suggests the form it
// resembles.
func (p *parser) formless(first int) {
	d := p.report(MissingEquals, first, p.end, "this line is neither a section, nor `key = value`, nor an include").Labelled("no `=` here")
	at := p.toks[first].Start
	line := p.text[at:p.toks[p.end-1].End]
	word := line
	if i := strings.IndexFunc(line, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }); i >= 0 {
		word = line[:i]
	}
	p.lost = append(p.lost, Text{Start: at, End: at + int32(len(word))})
	rest := strings.Trim(line[len(word):], blanks)
	value := strings.Trim(strings.TrimPrefix(rest, ":"), blanks)
	switch {
	case strings.EqualFold(word, "include") && rest != "":
		p.tree.Partial = true
		d.Helped("an include begins with `@`: `@include \"base.coilcfg\"`")
	case word != "" && strings.HasPrefix(rest, ":") && value != "":
		d.Helped("write `%s = %s`", word, value)
	case word != "" && rest == ":":
		d.Helped("a section is written `[%s]`", word)
	default:
		d.Helped("write `key = value`, or put `#` before it if it is a comment")
	}
}

// closed reports whether a quoted token has its closing quote.
func (p *parser) closed(i int) bool {
	t := p.toks[i]
	return t.End-t.Start >= 2 && p.text[t.End-1] == '"'
}

// quotes reports quotes that are not closed or that are followed by more text. It
// returns whether there were any.
func (p *parser) quotes(first int) bool {
	for i := first; i < p.end; i++ {
		t := p.toks[i]
		if t.Kind != Quoted {
			continue
		}
		if !p.closed(i) {
			p.report(UnclosedQuote, i, i+1, "the quote is not closed on this line").
				Helped("write `\"` at the end; there are no escapes, so a quoted text cannot contain a quote")
			return true
		}
		if next := p.skipBlank(i + 1); next < p.end && p.toks[next].Kind != Comma {
			p.report(TextAfterQuote, next, p.end, "this text after the closing quote means nothing").
				Helped("put all of the value into one pair of quotes, or a comma between two elements of a list")
			return true
		}
	}
	return false
}

// encoding warns about the first byte that is not UTF-8.
func (p *parser) encoding() {
	if utf8.ValidString(p.text) {
		return
	}
	for i, r := range p.text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(p.text[i:]); size == 1 {
				p.tree.Report(NotUTF8, p.tree.File().Span(i, i+1), "the byte 0x%02x is not UTF-8", p.text[i]).
					Helped("save the file as UTF-8; the bytes are kept as they are")
				return
			}
		}
	}
}
