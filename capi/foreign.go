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

// treeOf finds the tree that the program hands over: a document that was read here, or
// one of another library, which is written out as text and read.
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
	w.file, w.nodes = tree.File(), nil // the document may go
	library.foreign = w
	return tree, tree.Root
}

// foreign is a document of another library, written as YAML in brackets and quotes. It has
// marks but no text that anybody wrote: messages name the path of a node, and its marks.
type foreign struct {
	nodes  []C.struct_yaml_node_s
	text   strings.Builder
	file   *source.File // of the text
	places []place
}

// place is where a node is in the text, and where it was in its own document.
type place struct {
	start, end int
	parent     int    // its number, -1 for the root
	step       string // from there
	region     string
}

// maxForeign and maxForeignDepth bound what aliases can make of a document.
const (
	maxForeign      = 64 << 20
	maxForeignDepth = 1000
)

// write writes a node that is reached by a step from its parent.
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

// scalarText is the text of a scalar, which begins with its address and its length.
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

// find is the innermost node around a place of the text.
func (w *foreign) find(s source.Span) (path, region string, ok bool) {
	if w == nil || s.File != w.file {
		return "", "", false
	}
	best := -1
	for i, p := range w.places { // outer ones come first
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
