package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/source"
)

// oddComments reports all comments in the style of another language, which begins
// them with begin, as one finding.
func (p *parser) oddComments(begin string) {
	first, more := -1, 0
	var edits []source.Edit
	for i := range p.tree.Tokens().Tokens {
		if p.tree.Kind(i) != OddComment || !strings.HasPrefix(p.tree.Tokens().At(i), begin) {
			continue
		}
		if span := p.tree.TokenSpan(i); begin == "#" {
			edits = append(edits, source.Edit{Span: source.Span{File: span.File, Start: span.Start, End: span.Start + 1}, Text: "//"})
		}
		if first < 0 {
			first = i
		} else {
			more++
		}
	}
	if first < 0 {
		return
	}
	d := p.report(OddCharacter, firstLine(p.tree.TokenSpan(first)), "a comment begins with `//`, not with `%s`", begin)
	if more > 0 {
		d.Note("%d more in this file", more)
	}
	if len(edits) == 0 {
		d.Helped("write `//` before each of its lines")
	} else {
		d.Helped("write `//`").Fix(true, "write `//`", edits...)
	}
}

// odd reports a character that the language does not have. For characters that
// people know from other languages, it suggests what to write instead.
func (p *parser) odd(i int) {
	p.bad = true
	text := p.tree.Text(i)
	if text == "\r" && p.returns != nil {
		p.moreReturns++
		return
	}
	d := p.report(OddCharacter, p.tree.TokenSpan(i), "%s has no meaning here", named(text))
	switch text {
	case "\ufeff":
		d.Helped("remove it; the file needs no byte order mark").Fix(true, "remove it", source.Edit{Span: d.Span})
	case "\r":
		d.Helped("lines end in a line feed, perhaps with a carriage return before it")
		p.returns = d
	case ",":
		d.Helped("fields and settings end in `;`; values in braces are separated by blanks").Replace(true, p.instead)
	case "=", ":":
		d.Helped("a value follows its name without `%s`", text).Fix(true, "remove it", source.Edit{Span: d.Span, Text: " "})
	case "[", "]", "(", ")":
		d.Helped("use braces: `{ … }`")
	case "'", "`", "“", "”", "‘", "’", "«", "»", "„":
		d.Helped("a string is in straight double quotes: `\"…\"`")
	case "\u00a0", "\u2007", "\u202f":
		d.Helped("write a blank").Replace(true, " ")
	}
}

// named returns names for characters that a terminal does not show.
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
	case unicode.IsSpace(r):
		return fmt.Sprintf("a blank of another kind (U+%04X)", r)
	case !unicode.IsPrint(r):
		return fmt.Sprintf("a character that cannot be seen (U+%04X)", r)
	}
	return "`" + s + "`"
}

// closing maps the opening quotes of other languages to their closing quotes.
var closing = map[string]string{"'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "„": "“"}

// unquoted reports a value that should be a string but has no quotes, or the
// quotes of another language, and moves past it. Single words and numbers are left
// to the caller.
func (p *parser) unquoted() bool {
	text, end := "", p.foreignString()
	switch {
	case end > 0:
		text = p.tree.Tokens().Between(p.pos+1, end-1).Text()
	case p.bareText() > 0:
		end = p.bareText()
		text = p.tree.Tokens().Between(p.pos, end).Text()
	default:
		return false
	}
	span := p.tree.Tokens().Between(p.pos, end)
	for p.pos < end {
		p.next()
	}
	if !p.bad {
		p.bad = true
		d := p.report(NotQuoted, firstLine(span), "this must be in double quotes")
		if !strings.ContainsAny(text, "\r\n") {
			d.Helped("write `\"%s\"`", text).Replace(true, `"`+text+`"`)
		}
	}
	return true
}

// foreignString returns the end of `'text'`, or -1. The text may have line breaks.
func (p *parser) foreignString() int {
	const maxTokens = 60 // the largest number of tokens in one value
	tokens := p.tree.Tokens()
	if tokens.Kind(p.pos) != Other {
		return -1
	}
	want, ok := closing[tokens.At(p.pos)]
	if !ok {
		return -1
	}
	for i := p.pos + 1; i < min(p.pos+maxTokens, tokens.Len()); i++ {
		switch tokens.Kind(i) {
		case Word, Number, OddNumber, Blank, Newline:
		case Other:
			if tokens.At(i) == want && i > p.pos+1 {
				return i + 1
			}
		default:
			return -1
		}
	}
	return -1
}

// bareText returns the end of a path, an option, an address or a similar text:
// several tokens without a blank between them. It returns -1 if there is no such
// text here.
func (p *parser) bareText() int {
	const first, later = "/-~*<>@.\\+%", "/-~*<>@.\\+%:=?!&|^#"
	tokens := p.tree.Tokens()
	i, ink := p.pos, false
	for allowed := first; i < tokens.Len(); i, allowed = i+1, later {
		if k := tokens.Kind(i); k == Word || k == Number || k == OddNumber {
			ink = true
		} else if k != Other || !strings.Contains(allowed, tokens.At(i)) {
			break
		}
	}
	if single := i == p.pos+1; !ink || single && tokens.Kind(p.pos) != OddNumber {
		return -1
	}
	return i
}
