package main

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// document is a text that this library has parsed. Messages use it to show where in the
// text an error is.
type document struct {
	tree  *syntax.Tree
	nodes []*syntax.Node // the nodes of the text, in the same order as the C nodes
	start unsafe.Pointer // the address of the C nodes; it tells whether a document at a known address is still the same one
}

//export pentode_parse
func pentode_parse(text *C.char, length C.size_t, path *C.char, problem **C.char) (doc *C.struct_yaml_document_s) {
	defer func() {
		if recover() != nil {
			*problem = C.CString(data.Fault("reading the text").Error())
		}
	}()
	defer reading()()
	name := C.GoString(path)
	if name == "" {
		name = "(text)"
	}
	tree := syntax.Parse(source.NewFile(name, strings.Clone(stored(text, length))))
	if d := tree.Unreadable(); d != nil {
		at := d.Span.File.Position(d.Span.Start)
		*problem = C.CString(fmt.Sprintf("%s\n  line %d, column %d", d.Message, at.Line, at.Column))
		return nil
	}
	f := flattening{tree: tree, numbers: map[*syntax.Node]int32{}, starts: marker{text: tree.File().Text()}, ends: marker{text: tree.File().Text()}}
	if tree.Root.Style != syntax.Absent {
		f.add(tree.Root)
	}
	doc = f.build()
	if doc == nil {
		*problem = C.CString("not enough memory for the tree")
		return nil
	}
	if library.documents == nil {
		library.documents = map[unsafe.Pointer]*document{}
	}
	library.documents[unsafe.Pointer(doc)] = &document{tree: tree, nodes: f.order, start: unsafe.Pointer(doc.start)}
	return doc
}

// reading makes Go collect garbage less often while a tree is read: most of the memory allocated
// meanwhile stays in use, so collecting garbage would be wasted work. The returned
// function restores the limit.
func reading() func() {
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}

//export pentode_forget
func pentode_forget(doc *C.struct_yaml_document_s) {
	delete(library.documents, unsafe.Pointer(doc))
}

// flattening lists the nodes of a tree without pointers, in the form that Go may pass to
// C. C builds the document from the list.
type flattening struct {
	tree    *syntax.Tree
	starts  marker                 // positions where nodes begin, in the order in which nodes are added
	ends    marker                 // positions where nodes end, in the order in which nodes are finished
	numbers map[*syntax.Node]int32 // for nodes that aliases refer to: their numbers in the list
	order   []*syntax.Node
	nodes   []C.struct_bridge_node
	list    []C.int32_t
	text    []byte
}

// add numbers a node and its children, and returns its number, counted from 1.
func (f *flattening) add(n *syntax.Node) C.int32_t {
	if n.Kind == syntax.Alias {
		n = n.Resolved()
	}
	if number, ok := f.numbers[n]; ok {
		return C.int32_t(number)
	}
	index := len(f.nodes)
	if !n.Anchor().Empty() {
		f.numbers[n] = int32(index + 1)
	}
	f.order = append(f.order, n)
	f.nodes = append(f.nodes, C.struct_bridge_node{})
	start, end := f.tree.Marks(n)
	c := C.struct_bridge_node{
		_type: C.NODE_SCALAR, style: style(n.Style), count: C.uint32_t(len(n.Entries)),
		start: f.starts.at(start).c(),
	}
	switch n.Kind {
	case syntax.Sequence:
		c._type = C.NODE_SEQUENCE
		c.first = f.room(len(n.Entries))
		for i, e := range n.Entries {
			number := f.add(e.Value)
			f.list[int(c.first)+i] = number
		}
	case syntax.Mapping:
		c._type = C.NODE_MAPPING
		c.first = f.room(2 * len(n.Entries))
		for i, e := range n.Entries {
			key := f.add(e.Key)
			value := f.add(e.Value)
			f.list[int(c.first)+2*i], f.list[int(c.first)+2*i+1] = key, value
		}
	default:
		c.first, c.count = C.uint32_t(len(f.text)), C.uint32_t(len(n.Value))
		f.text = append(f.text, n.Value...)
	}
	c.end = f.ends.at(end).c()
	f.nodes[index] = c
	return C.int32_t(index + 1)
}

// room reserves n consecutive entries in the list and returns the index of the first.
func (f *flattening) room(n int) C.uint32_t {
	first := len(f.list)
	f.list = append(f.list, make([]C.int32_t, n)...)
	return C.uint32_t(first)
}

// marker converts byte offsets in a text to line and column. The offsets must be requested
// in increasing order.
type marker struct {
	text                 string
	offset, line, column int
}

// at moves the marker forward to an offset; it never moves back. An offset after the end
// of the text counts as the start of a new line.
func (m *marker) at(offset int) *marker {
	for m.offset < min(offset, len(m.text)) {
		r, size := utf8.DecodeRuneInString(m.text[m.offset:])
		m.offset += size
		m.column++
		if r == '\n' {
			m.line, m.column = m.line+1, 0
		}
	}
	if offset > len(m.text) && m.column > 0 {
		m.line, m.column = m.line+1, 0
	}
	return m
}

// c returns the position as C needs it: index, line and column.
func (m *marker) c() [3]C.uint32_t {
	return [3]C.uint32_t{C.uint32_t(m.offset), C.uint32_t(m.line), C.uint32_t(m.column)}
}

// style returns libyaml's number for a style.
func style(s syntax.Style) C.int32_t {
	switch s {
	case syntax.SingleQuoted, syntax.Flow:
		return 2
	case syntax.DoubleQuoted:
		return 3
	case syntax.Literal:
		return 4
	case syntax.Folded:
		return 5
	}
	return 1 // the style `plain` of a scalar, or `block` of a sequence or mapping
}

func (f *flattening) build() *C.struct_yaml_document_s {
	return C.bridge_document(unsafe.SliceData(f.nodes), C.size_t(len(f.nodes)), unsafe.SliceData(f.list),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(f.text))))
}
