package syntax

import "slices"

// node returns a new node that begins at a byte and the next token.
func (p *parser) node(kind Kind, style Style, start int) *Node {
	if len(p.nodes) == cap(p.nodes) {
		p.nodes = make([]Node, 0, room(cap(p.nodes)))
	}
	p.nodes = p.nodes[:len(p.nodes)+1]
	n := &p.nodes[len(p.nodes)-1]
	n.Kind, n.Style = kind, style
	n.Text = Text{Start: int32(start), End: int32(start)}
	n.Tokens.First = int32(len(p.toks))
	n.Tokens.End = n.Tokens.First
	return n
}

// room returns the next amount to allocate, given the amount used: small files need little, and large files should allocate seldom.
func room(used int) int { return min(max(2*used, 16), 1024) }

// close ends a node at the last token.
func (p *parser) close(n *Node) {
	n.Tokens.End = int32(len(p.toks))
	p.anchors.count++
}

// push keeps an entry until its collection ends.
func (p *parser) push(e Entry) {
	if len(p.stack) == cap(p.stack) {
		p.stack = slices.Grow(p.stack, 2*len(p.stack)+64)
	}
	p.stack = append(p.stack, e)
}

// collect ends a collection with the entries that were pushed since base.
func (p *parser) collect(n *Node, base int) {
	count := len(p.stack) - base
	if count > 0 {
		if cap(p.entries)-len(p.entries) < count {
			p.entries = make([]Entry, 0, max(count, room(cap(p.entries))))
		}
		at := len(p.entries)
		p.entries = append(p.entries, p.stack[base:]...)
		n.Entries = p.entries[at:len(p.entries):len(p.entries)]
		last := n.Entries[count-1]
		n.Tokens.End = last.Tokens.End
		if n.Style == Block {
			n.Text.End = p.toks[last.Tokens.End-1].End
		}
	}
	p.stack = p.stack[:base]
}
