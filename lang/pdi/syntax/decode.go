package syntax

import (
	"strings"
	"unicode/utf8"
)

// decoder computes the value of a scalar from its text. The text has passed the scanner, so all its escapes exist.
type decoder struct {
	text   string
	out    []byte
	pieces []piece
	keep   bool // record pieces
}

// node decodes a scalar into out.
func (d *decoder) node(n *Node) {
	d.out, d.pieces = d.out[:0], d.pieces[:0]
	start, end := int(n.Text.Start), int(n.Text.End)
	switch n.Style {
	case PlainStyle:
		d.flow(start, end, 0)
	case SingleQuoted:
		d.flow(start+1, end-1, '\'')
	case DoubleQuoted:
		d.flow(start+1, end-1, '"')
	case Literal, Folded:
		d.block(n)
	}
}

// copy appends bytes of the text unchanged.
func (d *decoder) copy(start, end int) {
	if start < end {
		d.put(d.text[start:end], start, end)
	}
}

// put appends value, which comes from the bytes of the text from start to end.
func (d *decoder) put(value string, start, end int) {
	if value == "" {
		return
	}
	if d.keep {
		d.pieces = append(d.pieces, piece{int32(len(d.out)), int32(start), int32(end)})
	}
	d.out = append(d.out, value...)
}

// flow decodes plain and quoted text: a single line break becomes a blank, further ones are kept, and blanks around line breaks are dropped.
func (d *decoder) flow(at, end int, quote byte) {
	run := at // the start of the bytes to copy
	for at < end {
		b := d.text[at]
		switch {
		case b == quote && quote == '\'':
			d.copy(run, at)
			d.put("'", at, at+2)
			at += 2
			run = at
		case b == '\\' && quote == '"':
			d.copy(run, at)
			if n := breakLen(d.text, at+1); n > 0 {
				at = d.breaks(at, at+1+n, end, "")
			} else {
				at = d.escape(at)
			}
			run = at
		case lineEnd[b] && breakLen(d.text, at) > 0:
			stop := at
			for stop > run && isBlank(d.text[stop-1]) {
				stop--
			}
			d.copy(run, stop)
			first := breakText(d.text, at)
			at = d.breaks(stop, at+breakLen(d.text, at), end, first)
			run = at
		default:
			at++
		}
	}
	d.copy(run, min(at, end))
}

// breaks decodes the text after a first line break, which lies between start and at: empty lines, then the blanks before the next text.
func (d *decoder) breaks(start, at, end int, first string) int {
	var more strings.Builder
	for at < end {
		if isBlank(d.text[at]) {
			at++
		} else if n := breakLen(d.text, at); n > 0 {
			more.WriteString(breakText(d.text, at))
			at += n
		} else {
			break
		}
	}
	switch {
	case first != "\n":
		d.put(first+more.String(), start, at)
	case more.Len() == 0:
		d.put(" ", start, at)
	default:
		d.put(more.String(), start, at)
	}
	return at
}

// escapes maps the character after a backslash to its value.
var escapes = [256]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r",
	'e': "\x1b", ' ': " ", '"': "\"", '/': "/", '\\': "\\", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// hexDigits returns the number of digits of such an escape.
func hexDigits(b byte) int {
	switch b {
	case 'x':
		return 2
	case 'u':
		return 4
	case 'U':
		return 8
	}
	return 0
}

// escape decodes the escape at a backslash and returns its end.
func (d *decoder) escape(at int) int {
	b := d.text[at+1]
	n := hexDigits(b)
	if n == 0 {
		d.put(escapes[b], at, at+2)
		return at + 2
	}
	r, _ := hexValue(d.text, at+2, n)
	d.put(string(utf8.AppendRune(nil, r)), at, at+2+n)
	return at + 2 + n
}

// hexValue reads n hexadecimal digits.
func hexValue(text string, at, n int) (rune, bool) {
	if at+n > len(text) {
		return 0, false
	}
	var v uint32
	for _, c := range []byte(text[at : at+n]) {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | uint32(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | uint32(c-'a'+10)
		case c >= 'A' && c <= 'F':
			v = v<<4 | uint32(c-'A'+10)
		default:
			return 0, false
		}
	}
	if v > 0x10ffff || v >= 0xd800 && v <= 0xdfff {
		return 0, false
	}
	return rune(v), true
}

// block decodes a block scalar. A literal one keeps its line breaks; a folded one turns a single line break into a blank if neither line begins with
// a blank.
func (d *decoder) block(n *Node) {
	at, end := int(n.Text.Start), int(n.Text.End)
	head := at
	for at < end && breakLen(d.text, at) == 0 {
		at++
	}
	keep, strip := chomping(d.text[head:at])
	if at < end {
		at += breakLen(d.text, at)
	}
	pending := breaks{d: d}          // the line break after the last line, and the breaks of empty lines after it
	blankBefore, any := false, false // the last line began with a blank; there is a last line
	for at < end {
		lineStart := at
		for at < end && at-lineStart < int(n.indent) && d.text[at] == ' ' {
			at++
		}
		if k := breakLen(d.text, at); k > 0 && at < end {
			pending.more = append(pending.more, piece{start: int32(at), end: int32(at + k)})
			at += k
			continue
		}
		if at >= end {
			break
		}
		blank := isBlank(d.text[at])
		pending.fold(n.Style == Folded && any && !blankBefore && !blank)
		start := at
		at = lineStop(d.text, at, end)
		d.copy(start, at)
		// The last line break is not in the node unless the header keeps it.
		k := breakLen(d.text, at)
		pending.hasFirst, pending.more = k > 0, pending.more[:0]
		pending.first = piece{start: int32(at), end: int32(at + k)}
		any, blankBefore = true, blank
		at += k
	}
	if strip {
		return
	}
	pending.writeFirst()
	if keep {
		pending.writeMore()
	}
}

// breaks are line breaks not yet written, because the next line decides their form.
type breaks struct {
	d        *decoder
	hasFirst bool
	first    piece
	more     []piece
}

func (b *breaks) writeFirst() {
	if b.hasFirst {
		b.d.put(breakText(b.d.text, int(b.first.start)), int(b.first.start), int(b.first.end))
	}
}

func (b *breaks) writeMore() {
	for _, p := range b.more {
		b.d.put(breakText(b.d.text, int(p.start)), int(p.start), int(p.end))
	}
}

// fold writes the breaks before another line.
func (b *breaks) fold(folds bool) {
	switch {
	case !folds || breakText(b.d.text, int(b.first.start)) != "\n":
		b.writeFirst()
	case len(b.more) == 0:
		b.d.put(" ", int(b.first.start), int(b.first.end))
	}
	b.writeMore()
}

// chomping reads from a header what happens to line breaks at the end.
func chomping(header string) (keep, strip bool) {
	for i := 1; i < len(header) && i <= 2; i++ {
		switch header[i] {
		case '+':
			return true, false
		case '-':
			return false, true
		case ' ', '\t':
			return false, false
		}
	}
	return false, false
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// lineEnd are the bytes with which a line break can begin.
var lineEnd = [256]bool{'\n': true, '\r': true, 0xc2: true, 0xe2: true}

// breakLen returns the length of the line break at a position, or 0. Besides the usual line breaks, YAML 1.1 has three of Unicode.
func breakLen(text string, at int) int {
	if at >= len(text) {
		return 0
	}
	switch text[at] {
	case '\n':
		return 1
	case '\r':
		if at+1 < len(text) && text[at+1] == '\n' {
			return 2
		}
		return 1
	case 0xc2:
		if strings.HasPrefix(text[at:], "\u0085") {
			return 2
		}
	case 0xe2:
		if strings.HasPrefix(text[at:], "\u2028") || strings.HasPrefix(text[at:], "\u2029") {
			return 3
		}
	}
	return 0
}

// breakText returns the value of the line break at a position.
func breakText(text string, at int) string {
	if text[at] == 0xe2 {
		return text[at : at+3]
	}
	return "\n"
}

// lineStop returns the end of the line, before its break.
func lineStop(text string, at, end int) int {
	for at < end && (!lineEnd[text[at]] || breakLen(text, at) == 0) {
		at++
	}
	return at
}
