package syntax

import "strings"

// maxLine is the length from which a line is left unchanged: an installed PInsight reads lines in pieces of 1023 bytes, and other blanks would make
// it split the line at another place.
const maxLine = 1000

// Print formats a tree. Headers begin at the margin, keys are indented, one empty line is before a header, and at most one anywhere else.
func Print(t *Tree) string {
	p := printer{tree: t}
	p.out.Grow(t.File().Len() + t.File().Len()/8)
	toks := t.Tokens().Tokens
	// Drop empty lines at the end.
	for len(toks) > 0 && (toks[len(toks)-1].Kind == Blank || toks[len(toks)-1].Kind == Newline) {
		toks = toks[:len(toks)-1]
	}
	for start := 0; start < len(toks); {
		stop := start
		for stop < len(toks) && toks[stop].Kind != Newline {
			stop++
		}
		p.line(start, stop)
		start = stop + 1
	}
	p.flushComments("")
	return p.out.String()
}

type printer struct {
	tree     *Tree
	out      strings.Builder
	inside   bool // below a header
	empty    bool // an empty line must be written
	comments []string
}

func (p *printer) line(start, stop int) {
	raw := p.tree.Tokens().Between(start, stop).Text()
	text := strings.Trim(raw, " \t\r\v\f")
	switch {
	case text == "":
		// Comments followed by an empty line belong to the lines above them.
		p.flushComments(p.indent())
		p.empty = p.out.Len() > 0
	case len(raw) >= maxLine:
		p.flushComments(p.indent())
		p.space()
		p.out.WriteString(strings.TrimSuffix(raw, "\r"))
		p.out.WriteByte('\n')
		p.inside = p.inside || text[0] == '['
	case text[0] == '#':
		p.comments = append(p.comments, text)
	case text[0] == '[':
		p.empty = p.empty || p.out.Len() > 0
		p.flushComments("")
		p.inside = true
		if formatted := header(text); len(formatted) < maxLine {
			text = formatted
		}
		p.write("", text)
	default:
		p.flushComments(p.indent())
		p.write(p.indent(), entry(text))
	}
}

func (p *printer) indent() string {
	if p.inside {
		return "    "
	}
	return ""
}

// flushComments writes the comment lines read so far, with the indentation of the line below them.
func (p *printer) flushComments(indent string) {
	for _, c := range p.comments {
		p.write(indent, c)
	}
	p.comments = p.comments[:0]
}

func (p *printer) space() {
	if p.empty {
		p.out.WriteByte('\n')
		p.empty = false
	}
}

func (p *printer) write(indent, text string) {
	p.space()
	p.out.WriteString(indent)
	p.out.WriteString(text)
	p.out.WriteByte('\n')
}

// entry puts one blank on both sides of the first `=`. The rest of the value stays unchanged, with all blanks before a comment, because an installed
// PInsight reads them as part of the value.
func entry(text string) string {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return text
	}
	gap := " "
	if strings.HasPrefix(value, "#") {
		gap = "" // after a blank, the `#` would begin a comment
	}
	return strings.Trim(strings.Trim(key, blanks)+" ="+gap+strings.Trim(value, blanks), " ")
}

// header puts blanks after commas and around colons, except where adding or removing a blank would make an installed PInsight read the line
// differently.
func header(text string) string {
	end := strings.IndexByte(text, ']')
	if end < 0 {
		return text
	}
	if i := commentStart(text); i >= 0 && i < end {
		return text // the closing bracket is in a comment
	}
	inside, tail := text[1:end], text[end+1:]
	comment := ""
	if i := commentStart(tail); i >= 0 {
		body := strings.TrimRight(tail[:i], blanks)
		tail, comment = body, tail[len(body):]
	}
	inside = strings.TrimRight(afterCommas(inside), blanks)
	if i := strings.IndexByte(inside, ' '); i > 0 && !strings.ContainsAny(inside[:i], "(.,:") {
		inside = inside[:i+1] + strings.TrimLeft(inside[i:], " ")
	}
	return "[" + inside + "]" + aroundColons(afterCommas(tail)) + comment
}

const blanks = " \t\r\v\f"

// commentStart returns the position at which a comment begins by the scanner's rules, or -1.
func commentStart(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] == '#' && blank[text[i-1]] {
			return i
		}
	}
	return -1
}

func afterCommas(text string) string {
	if !strings.Contains(text, ",") {
		return text
	}
	parts := strings.Split(text, ",")
	for i := 1; i < len(parts); i++ {
		if strings.HasPrefix(parts[i], "#") {
			continue // after a blank, the `#` would begin a comment
		}
		parts[i] = strings.TrimLeft(parts[i], blanks)
		if parts[i] != "" {
			parts[i] = " " + parts[i]
		}
	}
	return strings.Join(parts, ",")
}

// aroundColons puts a blank before and after every colon. Two adjacent colons stay together, because an installed PInsight reads them as one
// separator.
func aroundColons(text string) string {
	text = strings.TrimRight(text, blanks)
	var b strings.Builder
	var last byte = ']'
	for i := 0; i < len(text); i++ {
		c := text[i]
		if blank[c] {
			if last != ' ' {
				b.WriteByte(' ')
				last = ' '
			}
			continue
		}
		if last != ' ' && c != '#' && (c == ':') != (last == ':') && (c == ':' || last == ':') {
			b.WriteByte(' ')
		}
		b.WriteByte(c)
		last = c
	}
	return b.String()
}
