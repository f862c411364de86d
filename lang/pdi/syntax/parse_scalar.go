package syntax

import (
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/token"
)

// The bytes at which the scan of a plain scalar stops for a check, outside and inside brackets.
var (
	plainStops = token.NewSet(" \t\n\r:\xc2\xe2")
	flowStops  = token.NewSet(" \t\n\r:\xc2\xe2,[]{}")
)

// run returns the number of bytes before the first one of the set.
func run(text string, stops *token.Set) int {
	for i := range len(text) {
		if stops[text[i]] {
			return i
		}
	}
	return len(text)
}

// plain reads a scalar without quotes. It continues over lines that are indented deeper than indent, up to `: `, a comment, or, inside brackets, a
// bracket or comma.
func (p *parser) plain(indent int, flow bool) *Node {
	n := p.node(Scalar, PlainStyle, p.pos)
	stops := plainStops
	if flow {
		stops = flowStops
	}
	start, at, end, line := p.pos, p.pos, p.pos, p.line
	several := false
scan:
	for {
		if n := run(p.text[at:], stops); n > 0 {
			at += n
			end = at
		}
		if at >= len(p.text) {
			break
		}
		switch b := p.text[at]; b {
		case ':':
			if p.gapAt(at + 1) {
				break scan
			}
			if flow && isFlowSign(p.text[at+1]) {
				p.report(TightColon, at, at+1, "inside brackets a `:` must be followed by a blank").
					Helped("write `: `, or quote the text if the colon belongs to it")
				n = nil
				break scan
			}
			at++
			end = at
		case ',', '[', ']', '{', '}':
			break scan
		default:
			next, newLine := p.plainGap(at, indent)
			if next == at {
				at++
				end = at
				continue
			}
			at = next
			p.eaten = at
			if newLine >= 0 && (p.anyMarkerAt(at) && at == newLine || !flow && at-newLine <= indent) ||
				at >= len(p.text) || p.text[at] == '#' || p.plainEnds(at, flow) {
				break scan
			}
			if newLine >= 0 {
				several, line = true, newLine
			}
		}
	}
	if n == nil {
		return nil
	}
	if end == start {
		// Only a sign with another meaning at this position gets here.
		p.report(CannotStart, start, start+1, "a value cannot begin with `%c`", p.text[start]).Helped("quote the text")
		return nil
	}
	p.take(end-start, Plain)
	p.line, p.fresh = line, false
	n.Text.End = int32(end)
	p.close(n)
	if several {
		p.decode(n)
	} else {
		n.Value = p.text[start:end]
	}
	return n
}

// plainEnds reports whether a plain scalar ends before the byte at a position.
func (p *parser) plainEnds(at int, flow bool) bool {
	b := p.text[at]
	return b == ':' && p.gapAt(at+1) || flow && b != '?' && isFlowSign(b)
}

func isFlowSign(b byte) bool {
	return b == ',' || b == '?' || b == '[' || b == ']' || b == '{' || b == '}'
}

// plainGap moves over blanks and line breaks; newLine is the start of the last line, or -1.
func (p *parser) plainGap(at, indent int) (next, newLine int) {
	newLine = -1
	for at < len(p.text) {
		b := p.text[at]
		if isBlank(b) {
			if b == '\t' && newLine >= 0 && at-newLine <= indent {
				p.tab(at)
			}
			at++
			continue
		}
		if !lineEnd[b] {
			break
		}
		n := breakLen(p.text, at)
		if n == 0 {
			break
		}
		at += n
		newLine = at
	}
	return at, newLine
}

// decode computes the value of a scalar that is not simply a piece of the text.
func (p *parser) decode(n *Node) {
	p.decoder.text = p.text
	p.decoder.node(n)
	n.Value = string(p.decoder.out)
}

var (
	singleStops = token.NewSet("'\n\r\xc2\xe2")
	doubleStops = token.NewSet("\"\\\n\r\xc2\xe2")
)

// quoted reads '…' or "…".
func (p *parser) quoted(quote byte) *Node {
	n := p.node(Scalar, SingleQuoted, p.pos)
	kind, stops := Single, singleStops
	if quote == '"' {
		n.Style, kind, stops = DoubleQuoted, Double, doubleStops
	}
	start, at, line := p.pos, p.pos+1, p.line
	simple, bad := true, false
	for {
		at += run(p.text[at:], stops)
		if at >= len(p.text) || at == line && at > start && p.anyMarkerAt(at) {
			return p.unclosedQuote(start, at, quote)
		}
		if p.text[at] == quote {
			if quote != '\'' || at+1 >= len(p.text) || p.text[at+1] != quote {
				break
			}
			simple = false
			at += 2
			continue
		}
		if p.text[at] == '\\' {
			simple = false
			size, ok := p.escapeSize(at)
			bad = bad || !ok
			if k := breakLen(p.text, at+1); k > 0 {
				line = at + 1 + k
				if p.anyMarkerAt(line) {
					return p.unclosedQuote(start, at, quote)
				}
			}
			at += size
			continue
		}
		k := breakLen(p.text, at)
		if k == 0 {
			at++
			continue
		}
		simple = false
		at += k
		line = at
		if p.anyMarkerAt(at) {
			return p.unclosedQuote(start, at, quote)
		}
	}
	at++
	p.take(at-start, kind)
	p.line, p.fresh = line, false
	n.Text.End = int32(at)
	p.close(n)
	switch {
	case bad:
		n.Style, n.Value = Broken, p.text[start+1:at-1]
	case simple:
		n.Value = p.text[start+1 : at-1]
	default:
		p.decode(n)
	}
	return n
}

func (p *parser) unclosedQuote(start, end int, quote byte) *Node {
	p.reread -= end - start
	d := p.report(UnclosedQuote, start, start+1, "the quote `%c` is not closed", quote)
	if quote == '\'' {
		d.Helped("write `'` at the end of the text; a `'` inside of it is written twice")
	} else {
		d.Helped("write `\"` at the end of the text; a `\"` inside of it is written `\\\"`")
	}
	return nil
}

// escapeSize returns the number of bytes of an escape, and whether the escape exists.
func (p *parser) escapeSize(at int) (int, bool) {
	if at+1 >= len(p.text) {
		return 1, true
	}
	if k := breakLen(p.text, at+1); k > 0 {
		return 1 + k, true
	}
	b := p.text[at+1]
	if n := hexDigits(b); n > 0 {
		if _, ok := hexValue(p.text, at+2, n); ok {
			return 2 + n, true
		}
		p.report(BadEscape, at, at+2, "`\\%c` must be followed by the %d hexadecimal digits of a character", b, n).
			Helped("write all %d digits, or `\\\\` for a backslash", n)
		return 2, false
	}
	if escapes[b] == "" {
		end := at + 2
		for end < len(p.text) && p.text[end]&0xc0 == 0x80 {
			end++
		}
		p.report(BadEscape, at, end, "`%s` is not an escape in double quotes", p.text[at:end]).
			Helped("write `\\\\` for a backslash, or use single quotes, where a backslash is a backslash")
		return end - at, false
	}
	return 2, true
}

// blockScalar reads `|` or `>` and the lines below that are indented deeper than indent.
func (p *parser) blockScalar(indent int) *Node {
	n := p.node(Scalar, Literal, p.pos)
	if p.peek(0) == '>' {
		n.Style = Folded
	}
	start := p.pos
	size, extra := blockHeader(p.text[p.pos:])
	if extra == 0 {
		p.report(BadHeader, p.pos, p.pos+size, "a block scalar cannot be indented by 0").
			Helped("write a digit from 1 to 9, or none to take the indentation of the first line")
		return nil
	}
	p.take(size, Header)
	p.fresh = false
	n.Text.End = int32(p.pos)
	p.close(n)
	p.gapLine()
	if p.pos < len(p.text) && breakLen(p.text, p.pos) == 0 {
		end := lineStop(p.text, p.pos, len(p.text))
		p.report(BadHeader, p.pos, min(end, p.pos+40), "the text of a block scalar begins on the next line, but `%s` follows its sign", problem.Clip(p.text[p.pos:end], problem.Short)).
			Helped("after `|` or `>` come at most a digit, `+` or `-`, and a comment; quote the text if it is a value")
		return nil
	}
	keep, _ := chomping(p.text[start : start+size])
	if k := breakLen(p.text, p.pos); k > 0 {
		p.take(k, Newline)
		p.line, p.fresh = p.pos, true
	}
	if extra > 0 {
		n.indent = int32(max(indent, 0) + extra)
	}
	end, line, ok := p.blockLines(n, indent, keep)
	if !ok {
		return nil
	}
	if end > p.pos {
		p.take(end-p.pos, BlockText)
		p.line, p.fresh = line, line == end
		n.Text.End = int32(end)
		n.Tokens.End = int32(len(p.toks))
		p.decode(n)
	}
	return n
}

// blockHeader reads the header of a block scalar. The indentation is -1 if none is given.
func blockHeader(text string) (size, indent int) {
	size, indent = 1, -1
	chomp := false
	for ; size < len(text) && size <= 2; size++ {
		switch b := text[size]; {
		case (b == '+' || b == '-') && !chomp:
			chomp = true
		case b >= '0' && b <= '9' && indent < 0:
			indent = int(b - '0')
		default:
			return size, indent
		}
	}
	return size, indent
}

// blockLines returns the end of the lines of a block scalar, and the start of the line that contains it. Unless the header gives the indentation, the
// first line that is not empty decides it.
func (p *parser) blockLines(n *Node, indent int, keep bool) (end, line int, ok bool) {
	at := p.pos
	end, line = at, p.line
	content := false
	deepest := 0
	for at < len(p.text) {
		begin := at
		for at < len(p.text) && p.text[at] == ' ' && (n.indent == 0 || at-begin < int(n.indent)) {
			at++
		}
		deepest = max(deepest, at-begin)
		if (n.indent == 0 || at-begin < int(n.indent)) && at < len(p.text) && p.text[at] == '\t' {
			p.report(TabIndent, at, at+1, "a tab is used to indent a block scalar, where YAML allows blanks only").
				Helped("replace it by blanks")
			return 0, 0, false
		}
		if k := breakLen(p.text, at); k > 0 {
			at += k
			if keep || !content {
				end, line = at, at
			}
			continue
		}
		if n.indent == 0 {
			n.indent = int32(max(deepest, indent+1, 1))
		}
		if at-begin != int(n.indent) || at >= len(p.text) {
			break
		}
		content = true
		at = lineStop(p.text, at, len(p.text))
		end, line = at, begin
		if k := breakLen(p.text, at); k > 0 {
			at += k
			if keep {
				end, line = at, at
			}
		}
	}
	if n.indent == 0 {
		n.indent = int32(max(deepest, indent+1, 1))
	}
	return end, line, true
}
