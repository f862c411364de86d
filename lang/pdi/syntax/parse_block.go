package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/problem"
)

// maxKey is the largest number of characters between the start of a key and its `:`, as in the original's reader.
const maxKey = 1024

// blockNode reads the value after `-`, `?`, `:` or the start of the document, which may be absent. The value must be indented deeper than indent; if
// dash is set, a sequence may also be indented equally. keys reports whether a collection may begin on the current line.
func (p *parser) blockNode(indent int, dash, keys bool) *Node {
	at, first := p.pos, len(p.toks)
	p.gap(keys)
	if p.absent(indent, dash) {
		return p.absentNode(at, first)
	}
	if !p.enter(p.pos) {
		return p.broken(p.pos, indent)
	}
	n := p.blockContent(indent, dash, keys || p.fresh, properties{}, len(p.toks))
	p.depth--
	return n
}

// enter goes one level down, and reports whether that is allowed.
func (p *parser) enter(at int) bool {
	if p.depth >= maxDepth {
		p.report(TooDeep, at, at+1, "collections are nested more than %d levels deep here", maxDepth).
			Helped("use fewer levels; no reader of such a file gets to the end of it")
		return false
	}
	p.depth++
	p.anchors.deepest = max(p.anchors.deepest, p.depth)
	return true
}

// absent reports whether there is no value here.
func (p *parser) absent(indent int, dash bool) bool {
	if p.done() {
		return true
	}
	col := p.column()
	if !p.fresh || col > indent {
		return false
	}
	if col < indent {
		return true
	}
	// Block scalars need not be indented to begin.
	b := p.peek(0)
	return b != '|' && b != '>' && (!dash || !p.indicator('-'))
}

func (p *parser) absentNode(at, first int) *Node {
	n := p.node(Scalar, Absent, at)
	n.Tokens = Range{First: int32(first), End: int32(first)}
	p.anchors.count++
	return n
}

// indicator reports whether the byte b is next, followed by a gap.
func (p *parser) indicator(b byte) bool { return p.peek(0) == b && p.gapAt(p.pos+1) }

// sign returns `-`, `?` or `:` if that byte is next and followed by a gap, else 0.
func (p *parser) sign() byte {
	if b := p.peek(0); (b == '-' || b == '?' || b == ':') && p.gapAt(p.pos+1) {
		return b
	}
	return 0
}

// blockContent reads a node that is not absent. outer are its properties on lines above, and first is its first token.
func (p *parser) blockContent(indent int, dash, keys bool, outer properties, first int) *Node {
	start, inline, col, line, fresh := p.pos, len(p.toks), p.column(), p.line, p.fresh
	inner, ok := p.properties()
	if !ok {
		return p.broken(start, indent)
	}
	if inner.any() {
		if end := int(p.toks[len(p.toks)-1].End); p.gapAfter() || p.done() {
			if outer, ok = p.merge(outer, inner); !ok {
				return p.broken(start, indent)
			}
			if p.absent(indent, dash) {
				n := p.absentNode(end, first)
				return p.attach(n, outer, first)
			}
			return p.blockContent(indent, dash, true, outer, first)
		}
	}
	var n *Node
	switch sign := p.sign(); {
	case sign == '-':
		if !keys || inner.any() {
			return p.notHere(start, indent, "sequence", "-")
		}
		n = p.blockSequence(col, dash && col == indent)
		return p.attach(n, outer, first)
	case sign == '?':
		if !keys || inner.any() {
			return p.notHere(start, indent, "mapping", "?")
		}
		n = p.blockMapping(col, nil)
		return p.attach(n, outer, first)
	case sign == ':' && !inner.any():
		p.missingKey()
		return p.broken(start, indent)
	case sign == ':':
		n = p.absentNode(p.pos, len(p.toks))
	case p.peek(0) == '|' || p.peek(0) == '>':
		if n = p.blockScalar(indent); n == nil {
			return p.broken(start, indent)
		}
	default:
		if n = p.inline(indent); n == nil {
			return p.broken(start, indent)
		}
		p.blanks()
	}
	if n.Style == Literal || n.Style == Folded || !p.indicator(':') {
		if inner.any() {
			if outer, ok = p.merge(outer, inner); !ok {
				return p.broken(start, indent)
			}
		}
		return p.attach(n, outer, first)
	}
	if !p.keyFits(start, line, keys, fresh) {
		return p.broken(start, indent)
	}
	key := p.attach(n, inner, inline)
	return p.attach(p.blockMapping(col, key), outer, first)
}

// gapAfter moves to the next token and reports whether it is on another line.
func (p *parser) gapAfter() bool {
	line := p.line
	p.gap(false)
	return p.line != line
}

// keyFits reports whether a node followed by `:` can be a key. fresh reports whether the node is the first on its line.
func (p *parser) keyFits(start, line int, keys, fresh bool) bool {
	switch {
	case p.line != line && fresh:
		p.lineWithoutColon(start)
		return false
	case p.line != line:
		at := p.pos
		for at > p.line && isBlank(p.text[at-1]) {
			at--
		}
		begin := p.line
		for begin < at && isBlank(p.text[begin]) {
			begin++
		}
		p.report(WrongIndent, begin, at, "`%s` is indented below a line that has a value already", problem.Clip(p.text[begin:at], problem.Short)).
			At(p.span(start, lineStop(p.text, start, len(p.text))), "this value would continue on the next line").
			Helped("indent it like the key it follows, or remove the value above to make it a mapping")
		return false
	case !keys:
		p.report(SecondColon, p.pos, p.pos+1, "a value on this line cannot itself be a key with a value").
			Labelled("the second `: `").
			Helped("quote the whole value, or begin a new line for the inner mapping")
		return false
	}
	return p.keyShort(start)
}

func (p *parser) keyShort(start int) bool {
	if p.pos-start > maxKey && utf8.RuneCountInString(p.text[start:p.pos]) > maxKey {
		p.report(KeyTooLong, start, start+16, "this key is longer than %d characters", maxKey).
			Helped("shorten it, or write it after `? ` with the `: ` on the next line")
		return false
	}
	return true
}

// lineWithoutColon reports a key whose line ends without its colon.
func (p *parser) lineWithoutColon(start int) {
	end := lineStop(p.text, start, len(p.text))
	for end > start && isBlank(p.text[end-1]) {
		end--
	}
	p.report(MissingColon, start, end, "there is no `:` after `%s`", problem.Clip(p.text[start:end], problem.Short)).
		Helped("write `key: value`, or `key:` with the value on further lines that are indented")
}

func (p *parser) missingKey() {
	p.report(MissingKey, p.pos, p.pos+1, "there is no key before the `:`").
		Helped("write `key: value`; an empty key is written `\"\"`")
}

func (p *parser) notHere(start, indent int, what, sign string) *Node {
	p.report(WrongPlace, p.pos, p.pos+1, "a %s that begins with `%s` cannot begin on this line", what, sign).
		Helped("begin it on the next line, indented, or quote the text if it is a value")
	return p.broken(start, indent)
}

// blockSequence reads items whose `-` is in column col. An indentless sequence is the value of a key in the same column, and ends where the next key
// begins.
func (p *parser) blockSequence(col int, indentless bool) *Node {
	n := p.node(Sequence, Block, p.pos)
	base := len(p.stack)
	for more := true; more; more = p.nextItem(col, indentless) {
		e := Entry{Tokens: Range{First: int32(len(p.toks))}}
		p.take(1, Dash)
		p.fresh = false
		e.head = int32(len(p.toks))
		e.Value = p.blockNode(col, false, true)
		e.Tokens.End = max(e.head, e.Value.Tokens.End)
		p.push(e)
	}
	p.collect(n, base)
	p.anchors.count++
	return n
}

// nextItem moves to the next `-` of a sequence, or to the text after the sequence.
func (p *parser) nextItem(col int, indentless bool) bool {
	for {
		p.skip()
		if p.ended(col) {
			return false
		}
		if p.fresh && p.column() == col {
			if p.indicator('-') {
				return true
			}
			if indentless {
				return false
			}
		}
		p.misplaced(col, "`- ` and an item")
	}
}

// ended reports whether a block collection has no more lines.
func (p *parser) ended(col int) bool { return p.done() || p.fresh && p.column() < col }

// misplaced reports a line, or the rest of a line, that does not fit into a block collection.
func (p *parser) misplaced(col int, expected string) {
	line := strings.TrimRight(p.text[p.pos:lineStop(p.text, p.pos, len(p.text))], " \t")
	text, end := problem.Clip(line, problem.Short), p.pos+len(line)
	switch {
	case p.peek(0) == ']' || p.peek(0) == '}':
		p.report(StrayBracket, p.pos, p.pos+1, "`%c` closes nothing", p.peek(0)).
			Helped("remove it, or open it before")
	case !p.fresh:
		d := p.report(TextAfterValue, p.pos, end, "`%s` follows a complete value", text)
		if before := p.text[max(0, p.pos-2):p.pos]; before == `""` || before == "''" {
			d.Helped("`%s` is an empty value already: write one quote at each end", before)
		} else {
			d.Helped("quote the whole value, separate items by commas inside brackets, or begin a new line")
		}
	case p.column() > col:
		p.report(WrongIndent, p.pos, end, "`%s` is indented by %d, which matches no line above that it could belong to", text, p.column()).
			Helped("lines that belong together are indented equally; expected here: %d", col)
	default:
		p.report(WrongPlace, p.pos, end, "expected %s, found `%s`", expected, text).
			Helped("a collection holds either items with `- ` or keys with `:`, not both")
	}
	p.broken(p.pos, col)
}

// blockMapping reads the keys in column col. The first key may have been read already.
func (p *parser) blockMapping(col int, key *Node) *Node {
	start := p.pos
	first := int32(len(p.toks))
	if key != nil {
		first = key.Tokens.First
		start = int(p.toks[first].Start)
	}
	n := p.node(Mapping, Block, start)
	n.Tokens.First = first
	base := len(p.stack)
	for more := true; more; key, more = p.nextKey(col) {
		if key == nil {
			p.push(p.longPair(col))
			continue
		}
		e := Entry{Key: key, Tokens: Range{First: key.Tokens.First}}
		p.take(1, Colon)
		p.fresh = false
		e.head = int32(len(p.toks))
		e.Value = p.blockNode(col, true, false)
		e.Tokens.End = max(e.head, e.Value.Tokens.End)
		p.push(e)
	}
	p.collect(n, base)
	p.anchors.count++
	return n
}

// longPair reads `? key`, and `: value` on a line below.
func (p *parser) longPair(col int) Entry {
	e := Entry{Tokens: Range{First: int32(len(p.toks))}}
	p.take(1, Question)
	p.fresh = false
	e.head = int32(len(p.toks))
	e.Key = p.blockNode(col, true, true)
	e.Tokens.End = max(e.head, e.Key.Tokens.End)
	end, tokens := p.pos, len(p.toks)
	p.skip()
	if !p.done() && p.fresh && p.column() == col && p.indicator(':') {
		p.take(1, Colon)
		p.fresh = false
		e.head = int32(len(p.toks))
		e.Value = p.blockNode(col, true, true)
		e.Tokens.End = max(e.head, e.Value.Tokens.End)
		return e
	}
	e.Value = p.absentNode(end, tokens)
	return e
}

// nextKey moves to the colon of the next key, or to the text after the mapping. The key is nil at a `?`.
func (p *parser) nextKey(col int) (key *Node, more bool) {
	for {
		p.skip()
		if p.ended(col) {
			return nil, false
		}
		switch sign := p.sign(); {
		case !p.fresh || p.column() > col || sign == '-':
			p.misplaced(col, "a key")
		case sign == '?':
			return nil, true
		case sign == ':':
			p.missingKey()
			p.broken(p.pos, col)
		default:
			if key := p.simpleKey(col); key != nil {
				return key, true
			}
		}
	}
}

// simpleKey reads a key that is followed by its colon on the same line.
func (p *parser) simpleKey(col int) *Node {
	start, first, line := p.pos, len(p.toks), p.line
	props, ok := p.properties()
	if !ok {
		p.broken(start, col)
		return nil
	}
	if props.any() && (p.gapAfter() || p.done()) {
		p.lineWithoutColon(start)
		p.broken(start, col)
		return nil
	}
	var n *Node
	switch {
	case props.any() && p.indicator(':'):
		n = p.absentNode(p.pos, len(p.toks))
	case p.peek(0) == ']' || p.peek(0) == '}' || props.any() && p.sign() != 0:
		p.misplaced(col, "a key")
		return nil
	default:
		if n = p.inline(col); n == nil {
			p.broken(start, col)
			return nil
		}
		p.blanks()
	}
	if p.line != line || !p.indicator(':') {
		p.lineWithoutColon(start)
		p.broken(start, col)
		return nil
	}
	if !p.keyShort(start) {
		p.broken(start, col)
		return nil
	}
	return p.attach(n, props, first)
}
