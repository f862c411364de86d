package syntax

import "github.com/pentode-dev/pentode/core/source"

// Marks returns the first byte of a node and the byte after its last, as libyaml counts them, the reader of the original program: anchor and tag
// belong to the node, a block collection extends to the next token, and a block scalar includes its last line breaks. An end after the text is the
// start of a line that the reader adds.
func (t *Tree) Marks(n *Node) (start, end int) {
	start, end = int(n.Text.Start), int(n.Text.End)
	if anchor := n.Anchor(); !anchor.Empty() {
		start = min(start, int(anchor.Start)-1) // with its `&`
	}
	if tag := n.Tag(); !tag.Empty() {
		start = min(start, int(tag.Start))
	}
	switch n.Style {
	case Absent:
		if next := t.following(n); start == end && next < t.Tokens().Len() {
			switch t.Tokens().Kind(next) {
			case Comma, MapClose, ListClose:
				start = t.Tokens().Span(next).Start
				end = start
			}
		}
	case Literal, Folded:
		end = t.lastBreak(n)
	case Block:
		end = t.blockEnd(n)
	}
	return start, end
}

// blockEnd returns the end of a block collection: the next token or, if there is none, the end of the text if that is to the left of the collection,
// else the line after it.
func (t *Tree) blockEnd(n *Node) int {
	if next := t.following(n); next < t.Tokens().Len() {
		return t.Tokens().Span(next).Start
	}
	file := t.File()
	if file.Position(file.Len()).Column < file.Position(int(n.Text.Start)).Column {
		return file.Len()
	}
	return file.Len() + 1
}

// following returns the first token with a meaning after a node.
func (t *Tree) following(n *Node) int {
	tokens := t.Tokens()
	sameLine := true // there, a tag or an anchor belongs to a last entry that is absent
	for i := int(n.Tokens.End); i < tokens.Len(); i++ {
		switch kind := tokens.Kind(i); {
		case kind == Newline:
			sameLine = false
		case kind == Blank, kind == Comment, sameLine && (kind == Tag || kind == Anchor):
		default:
			return i
		}
	}
	return tokens.Len()
}

// lastBreak returns the position after the last line break of a block scalar, which empty lines may follow.
func (t *Tree) lastBreak(n *Node) int {
	text, end := t.File().Text(), int(n.Text.End)
	for i := end; i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r'); i++ {
		if text[i] != ' ' {
			end = i + 1
		}
	}
	return end
}

// NodeAt returns the node whose place is s, or nil.
func (t *Tree) NodeAt(s source.Span) *Node {
	return t.Root.at(Text{Start: int32(s.Start), End: int32(s.End)})
}

func (n *Node) at(x Text) *Node {
	if n.Text == x {
		return n
	}
	for _, e := range n.Entries {
		if e.Key != nil {
			if found := e.Key.at(x); found != nil {
				return found
			}
		}
		if found := e.Value.at(x); found != nil {
			return found
		}
	}
	return nil
}
