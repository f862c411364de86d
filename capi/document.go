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

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

// document is a text that was read here, so that findings in it have places.
type document struct {
	tree  *syntax.Tree
	nodes []*syntax.Node // in the order of the C nodes
	start unsafe.Pointer // of the C nodes: another document at the same address has others
}

//export pentode_parse
func pentode_parse(text *C.char, length C.size_t, path *C.char, problem **C.char) (doc *C.struct_yaml_document_s) {
	defer func() {
		if r := recover(); r != nil {
			*problem = C.CString(fmt.Sprintf("the library failed: %v; please report this", r))
		}
	}()
	defer reading()()
	name := C.GoString(path)
	if name == "" {
		name = "(text)"
	}
	tree := syntax.Parse(source.NewFile(name, strings.Clone(stored(text, length))))
	if d := firstError(tree.Problems()); d != nil {
		at := d.Span.File.Position(d.Span.Start)
		*problem = C.CString(fmt.Sprintf("%s\n  line %d, column %d", d.Message, at.Line, at.Column))
		return nil
	}
	f := flattening{numbers: map[*syntax.Node]int32{}, starts: marker{text: tree.File().Text()}, ends: marker{text: tree.File().Text()}}
	if tree.Root.Style != syntax.Absent {
		f.add(tree.Root)
	}
	doc = f.build()
	if doc == nil {
		*problem = C.CString("there is no memory for the tree")
		return nil
	}
	if library.documents == nil {
		library.documents = map[unsafe.Pointer]*document{}
	}
	library.documents[unsafe.Pointer(doc)] = &document{tree: tree, nodes: f.order, start: unsafe.Pointer(doc.start)}
	return doc
}

// reading lets the heap grow while a tree is read, which makes much that stays and little
// garbage. The function that it returns ends that.
func reading() func() {
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}

// firstError is the first error that the original reader has, too: it stops where the
// first document ends.
func firstError(list diag.List) *diag.Diagnostic {
	for _, d := range list {
		if d.Severity == diag.Error && d.Code != syntax.TextAfterDocument {
			return d
		}
	}
	return nil
}

//export pentode_forget
func pentode_forget(doc *C.struct_yaml_document_s) {
	delete(library.documents, unsafe.Pointer(doc))
}

// flattening lists the nodes of a tree without pointers, for C to build the document from.
type flattening struct {
	starts  marker                 // nodes begin in the order in which they are added
	ends    marker                 // and end in the order in which they are done
	numbers map[*syntax.Node]int32 // of nodes that aliases lead to
	order   []*syntax.Node
	nodes   []C.struct_bridge_node
	list    []C.int32_t
	text    []byte
}

// add numbers a node and what is inside it, and returns its number, counted from 1.
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
	c := C.struct_bridge_node{
		_type: C.NODE_SCALAR, style: style(n.Style), count: C.uint32_t(len(n.Entries)),
		start: f.starts.at(int(n.Text.Start)),
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
	c.end = f.ends.at(int(n.Text.End))
	f.nodes[index] = c
	return C.int32_t(index + 1)
}

// room makes places in the list and returns the first.
func (f *flattening) room(n int) C.uint32_t {
	first := len(f.list)
	f.list = append(f.list, make([]C.int32_t, n)...)
	return C.uint32_t(first)
}

// marker counts lines and characters up to places that follow each other.
type marker struct {
	text                 string
	offset, line, column int
}

// at is the mark of a place. One before the last is marked as the last.
func (m *marker) at(offset int) [3]C.uint32_t {
	for m.offset < offset {
		r, size := utf8.DecodeRuneInString(m.text[m.offset:])
		m.offset += size
		m.column++
		if r == '\n' {
			m.line, m.column = m.line+1, 0
		}
	}
	return [3]C.uint32_t{C.uint32_t(m.offset), C.uint32_t(m.line), C.uint32_t(m.column)}
}

// style is the number that libyaml has for a way of writing.
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
	return 1 // plain, or block
}

func (f *flattening) build() *C.struct_yaml_document_s {
	return C.bridge_document(unsafe.SliceData(f.nodes), C.size_t(len(f.nodes)), unsafe.SliceData(f.list),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(f.text))))
}

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
	w := foreign{nodes: unsafe.Slice(c.start, (uintptr(unsafe.Pointer(c.top))-uintptr(unsafe.Pointer(c.start)))/C.sizeof_struct_yaml_node_s)}
	w.write((*C.struct_yaml_node_s)(node), 0)
	tree := syntax.Parse(source.NewFile("(tree)", w.text.String()))
	return tree, tree.Root
}

// foreign writes a document of another library as YAML, in brackets and quotes.
type foreign struct {
	nodes []C.struct_yaml_node_s
	text  strings.Builder
}

// maxForeign and maxForeignDepth bound what aliases can make of a document.
const (
	maxForeign      = 64 << 20
	maxForeignDepth = 1000
)

func (w *foreign) write(n *C.struct_yaml_node_s, depth int) {
	if depth > maxForeignDepth || w.text.Len() > maxForeign {
		w.text.WriteString("''")
		return
	}
	switch n._type {
	case C.NODE_SEQUENCE:
		s := (*[4]unsafe.Pointer)(unsafe.Pointer(&n.data))
		items := unsafe.Slice((*C.int)(s[0]), (uintptr(s[2])-uintptr(s[0]))/C.sizeof_int)
		w.text.WriteString("[")
		for _, item := range items {
			w.write(&w.nodes[item-1], depth+1)
			w.text.WriteString(",\n")
		}
		w.text.WriteString("]")
	case C.NODE_MAPPING:
		s := (*[4]unsafe.Pointer)(unsafe.Pointer(&n.data))
		pairs := unsafe.Slice((*C.struct_yaml_pair)(s[0]), (uintptr(s[2])-uintptr(s[0]))/C.sizeof_struct_yaml_pair)
		w.text.WriteString("{")
		for _, p := range pairs {
			w.text.WriteString("? ")
			w.write(&w.nodes[p.key-1], depth+1)
			w.text.WriteString(" : ")
			w.write(&w.nodes[p.value-1], depth+1)
			w.text.WriteString(",\n")
		}
		w.text.WriteString("}")
	default:
		s := (*[2]uintptr)(unsafe.Pointer(&n.data))
		p := *(**byte)(unsafe.Pointer(&n.data))
		w.quote(unsafe.String(p, int(s[1])))
	}
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
