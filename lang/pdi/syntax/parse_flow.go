package syntax

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
)

// inline reads a node that is not a block collection: an alias, a scalar, or a collection in brackets. It returns nil after reporting a problem.
func (p *parser) inline(indent int) *Node {
	switch p.peek(0) {
	case '[', '{':
		p.failed = false
		n := p.flowCollection(indent)
		if p.failed {
			p.failed = false
			return nil
		}
		return n
	case '-', '?', ':':
		return p.plain(indent, false)
	}
	return p.leaf(indent, false)
}

// leaf reads an alias or a scalar of a style that is allowed everywhere.
func (p *parser) leaf(indent int, flow bool) *Node {
	switch b := p.peek(0); b {
	case '*':
		return p.alias()
	case '"', '\'':
		return p.quoted(b)
	case '%', '@', '`', '|', '>', '#', ',', '[', ']', '{', '}', '&', '!', '\t':
		d := p.report(CannotStart, p.pos, p.pos+1, "a value cannot begin with `%c`", b)
		if b == ']' || b == '}' || b == ',' {
			d.Helped("remove it, or quote the text if it is a value")
		} else {
			d.Helped("quote the text: `'%c…'`", b)
		}
		return nil
	}
	return p.plain(indent, flow)
}

// flowFail gives up the outermost collection in brackets. If the position looks like the next line of the enclosing block, the problem is the open
// bracket.
func (p *parser) flowFail(indent, open int, code *diag.Code, format string, args ...any) *diag.Diagnostic {
	p.failed = true
	at := p.line
	for at < len(p.text) && isBlank(p.text[at]) {
		at++
	}
	if p.done() || indent >= 0 && p.line > open && at-p.line <= indent {
		closer := byte(']')
		if p.text[open] == '{' {
			closer = '}'
		}
		return p.report(Unclosed, open, open+1, "`%c` is not closed", p.text[open]).
			Helped("write `%c` after the last item", closer)
	}
	return p.report(code, p.pos, p.pos+1, format, args...)
}

// flowCollection reads `[…]` or `{…}`.
func (p *parser) flowCollection(indent int) *Node {
	open := p.pos
	if !p.enter(open) {
		p.failed = true
		return nil
	}
	mapping := p.text[open] == '{'
	var n *Node
	closer := byte(']')
	if mapping {
		n, closer = p.node(Mapping, Flow, open), '}'
		p.take(1, MapOpen)
	} else {
		n = p.node(Sequence, Flow, open)
		p.take(1, ListOpen)
	}
	base := len(p.stack)
	for first := true; ; first = false {
		p.flowGap()
		if !first && p.peek(0) == ',' && !p.done() {
			p.take(1, Comma)
			p.flowGap()
		} else if !first && (p.done() || p.peek(0) != closer) {
			p.expectComma(indent, open, closer)
			break
		}
		if p.done() {
			p.flowFail(indent, open, Unclosed, "")
			break
		}
		if p.peek(0) == closer {
			break
		}
		e := p.flowEntry(indent, open, mapping)
		if p.failed {
			break
		}
		p.push(e)
	}
	p.depth--
	if p.failed {
		p.stack = p.stack[:base]
		return nil
	}
	p.collect(n, base)
	if mapping {
		p.take(1, MapClose)
	} else {
		p.take(1, ListClose)
	}
	p.fresh = false
	n.Text.End = int32(p.pos)
	p.close(n)
	return n
}

// expectComma reports text found in place of a comma or a closing bracket.
func (p *parser) expectComma(indent, open int, closer byte) {
	switch b := p.peek(0); b {
	case ':':
		p.flowFail(indent, open, MissingComma, "expected `,` or `%c`, found `:`", closer).
			Helped("a key and its `:` are on one line, and each item has one value")
	case ']', '}':
		p.flowFail(indent, open, StrayBracket, "`%c` closes nothing here: the open bracket is `%c`", b, p.text[open]).
			At(p.span(open, open+1), "opened here")
	default:
		end := min(lineStop(p.text, p.pos, len(p.text)), p.pos+40)
		p.flowFail(indent, open, MissingComma, "expected `,` or `%c`, found `%s`", closer, problem.Clip(p.text[p.pos:end], problem.Short)).
			Helped("separate items by commas, or quote the text if it is one value")
	}
}

// flowEntry reads an item of a collection in brackets.
func (p *parser) flowEntry(indent, open int, mapping bool) Entry {
	e := Entry{Tokens: Range{First: int32(len(p.toks))}}
	e.head = e.Tokens.First
	line, start := p.line, p.pos
	long := p.peek(0) == '?'
	var pair *Node
	if long {
		if !mapping {
			pair = p.node(Mapping, Flow, start)
		}
		p.take(1, Question)
		p.flowGap()
	}
	var key *Node
	switch b := p.peek(0); {
	case p.done():
		p.flowFail(indent, open, Unclosed, "")
	case long && mapping && (b == ':' || b == ',' || b == '}'):
		key = p.absentNode(p.pos, len(p.toks))
	default:
		key = p.flowNode(indent, open)
	}
	if p.failed {
		return e
	}
	at, tokens := p.pos, len(p.toks)
	e.Tokens.End = int32(tokens)
	p.flowGap()
	colon := p.peek(0) == ':' && (long || p.line == line)
	if colon && !long && !p.keyShort(start) {
		p.failed = true
		return e
	}
	if !mapping && !long && !colon {
		e.Value = key
		return e
	}
	inner := Entry{Key: key, Tokens: e.Tokens, head: e.head}
	if colon {
		p.take(1, Colon)
		at, tokens = p.pos, len(p.toks)
		inner.head = int32(tokens)
		inner.Tokens.End = inner.head
		p.flowGap()
		if b := p.peek(0); b != ',' && (b != '}' || !mapping) && (b != ']' || mapping) {
			inner.Value = p.flowNode(indent, open)
			if p.failed {
				return e
			}
			inner.Tokens.End = inner.Value.Tokens.End
		}
	}
	if inner.Value == nil {
		inner.Value = p.absentNode(at, tokens)
	}
	if mapping {
		return inner
	}
	return p.singlePair(pair, inner, start)
}

// singlePair returns the mapping for `key: value` as an item of a sequence in brackets.
func (p *parser) singlePair(pair *Node, e Entry, start int) Entry {
	if pair == nil {
		pair = p.node(Mapping, Flow, start)
		pair.Tokens.First = e.Tokens.First
	}
	p.push(e)
	p.collect(pair, len(p.stack)-1)
	pair.Text.End = p.toks[e.Tokens.End-1].End
	p.anchors.count++
	return Entry{Value: pair, Tokens: e.Tokens, head: e.Tokens.First}
}

// flowNode reads a node inside brackets.
func (p *parser) flowNode(indent, open int) *Node {
	first := len(p.toks)
	props, ok := p.properties()
	if !ok {
		p.failed = true
		return nil
	}
	end, tokens := p.pos, len(p.toks)
	if props.any() {
		p.flowGap()
	}
	if p.done() {
		p.flowFail(indent, open, Unclosed, "")
		return nil
	}
	var n *Node
	switch b := p.peek(0); {
	case b == ',' || b == ']' || b == '}' || b == ':':
		if !props.any() {
			p.flowFail(indent, open, MissingItem, "expected an item, found `%c`", b).
				Helped("remove it, or write an empty item as `\"\"`")
			return nil
		}
		n = p.absentNode(end, tokens)
	case b == '?' || b == '-' && p.gapAt(p.pos+1):
		p.flowFail(indent, open, MissingItem, "expected an item, found `%c`", b).
			Helped("inside brackets items are separated by commas; quote the text if it is a value")
		return nil
	case b == '[' || b == '{':
		n = p.flowCollection(indent)
	default:
		n = p.leaf(indent, true)
	}
	if n == nil || p.failed {
		p.failed = true
		return nil
	}
	return p.attach(n, props, first)
}
