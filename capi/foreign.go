package main

// #include "bridge.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

// treeOf returns the tree that the program passes. If another library built the document,
// treeOf writes it as text and parses that text.
func treeOf(doc, node unsafe.Pointer) (*syntax.Tree, *syntax.Node) {
	if node == nil || doc == nil {
		tree := syntax.Parse(source.NewFile("(tree)", ""))
		return tree, tree.Root
	}
	c := (*C.struct_yaml_document_s)(doc)
	if d := library.documents[doc]; d != nil && d.start == unsafe.Pointer(c.start) {
		i := (uintptr(node) - uintptr(d.start)) / C.sizeof_struct_yaml_node_s
		return d.tree, d.nodes[i]
	}
	w := &foreign{nodes: unsafe.Slice(c.start, (uintptr(unsafe.Pointer(c.top))-uintptr(unsafe.Pointer(c.start)))/C.sizeof_struct_yaml_node_s)}
	w.write((*C.struct_yaml_node_s)(node), -1, "")
	tree := syntax.Parse(source.NewFile("(tree)", w.text.String()))
	w.file, w.nodes = tree.File(), nil // drop what refers to the document, which the program may free
	library.foreign = w
	return tree, tree.Root
}

// foreign is a document that another library has built, written again as YAML in flow
// style. The user has never seen this text, so messages name the path of a node and its
// line and column in the original document instead.
type foreign struct {
	nodes  []C.struct_yaml_node_s
	text   strings.Builder
	file   *source.File // the text written by this type
	places []place
}

// place tells for a node where it is in the written text, and which path leads to it in
// the original document.
type place struct {
	start, end int
	parent     int    // the number of the parent, -1 for the root
	step       string // the step from the parent
	region     string
}

// maxForeign and maxForeignDepth limit the size and the depth of the written text,
// because a few aliases can stand for a huge document.
const (
	maxForeign      = 64 << 20
	maxForeignDepth = 1000
)

// write writes a node; step leads to it from its parent.
func (w *foreign) write(n *C.struct_yaml_node_s, parent int, step string) {
	if w.depth(parent) > maxForeignDepth || w.text.Len() > maxForeign {
		w.text.WriteString("''")
		return
	}
	me := len(w.places)
	from, to := n.start_mark, n.end_mark
	w.places = append(w.places, place{
		start: w.text.Len(), parent: parent, step: step,
		region: fmt.Sprintf("(%d:%d -> %d:%d)", from.line+1, from.column+1, to.line+1, to.column+1),
	})
	defer func() { w.places[me].end = w.text.Len() }()
	switch n._type {
	case C.NODE_SEQUENCE:
		s := (*[4]unsafe.Pointer)(unsafe.Pointer(&n.data))
		items := unsafe.Slice((*C.int)(s[0]), (uintptr(s[2])-uintptr(s[0]))/C.sizeof_int)
		w.text.WriteString("[")
		for i, item := range items {
			w.write(&w.nodes[item-1], me, fmt.Sprintf("[%d]", i))
			w.text.WriteString(",\n")
		}
		w.text.WriteString("]")
	case C.NODE_MAPPING:
		s := (*[4]unsafe.Pointer)(unsafe.Pointer(&n.data))
		pairs := unsafe.Slice((*C.struct_yaml_pair)(s[0]), (uintptr(s[2])-uintptr(s[0]))/C.sizeof_struct_yaml_pair)
		w.text.WriteString("{")
		for i, p := range pairs {
			key := &w.nodes[p.key-1]
			step := fmt.Sprintf("<%d>", i)
			if key._type == C.NODE_SCALAR {
				step = "." + scalarText(key)
			}
			w.text.WriteString("? ")
			w.write(key, me, step)
			w.text.WriteString(" : ")
			w.write(&w.nodes[p.value-1], me, step)
			w.text.WriteString(",\n")
		}
		w.text.WriteString("}")
	default:
		w.quote(scalarText(n))
	}
}

// scalarText returns the text of a scalar, whose node begins with the address and the
// length of the text.
func scalarText(n *C.struct_yaml_node_s) string {
	s := (*struct {
		value  *byte
		length C.size_t
	})(unsafe.Pointer(&n.data))
	return strings.Clone(unsafe.String(s.value, int(s.length)))
}

func (w *foreign) depth(i int) int {
	depth := 0
	for ; i >= 0; i = w.places[i].parent {
		depth++
	}
	return depth
}

// find returns the innermost node at a position of the text.
func (w *foreign) find(s source.Span) (path, region string, ok bool) {
	if w == nil || s.File != w.file {
		return "", "", false
	}
	best := -1
	for i, p := range w.places { // outer nodes come first
		if p.start <= s.Start && s.End <= p.end {
			best = i
		}
	}
	if best < 0 {
		return "", "", false
	}
	for i := best; w.places[i].parent >= 0; i = w.places[i].parent {
		path = w.places[i].step + path
	}
	return "(tree)" + path, w.places[best].region, true
}

// quote writes a scalar in double quotes.
func (w *foreign) quote(s string) {
	w.text.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.text.WriteByte('\\')
			w.text.WriteRune(r)
		case r < ' ' || r >= 0x7f:
			fmt.Fprintf(&w.text, "\\U%08x", r)
		default:
			w.text.WriteRune(r)
		}
	}
	w.text.WriteByte('"')
}
