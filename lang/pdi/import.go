package pdi

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo/structs"
)

// WriteStruct writes a struct of a compiled program as the section `types`: first the structs that it contains, each as a
// record with the compiler's offsets.
func WriteStruct(w io.Writer, name string, s *structs.Struct) error {
	i := &importer{out: bufio.NewWriter(w), names: map[*structs.Struct]string{}, tags: map[string]string{}, taken: map[string]bool{}}
	i.out.WriteString("types:\n")
	i.call(s, name)
	i.record(s)
	return i.out.Flush()
}

// importer writes structs, each once.
type importer struct {
	out   *bufio.Writer
	names map[*structs.Struct]string
	tags  map[string]string // names given to structs, by their tags in the program
	taken map[string]bool
	depth int
}

// record writes a struct after the structs that are its members.
func (i *importer) record(s *structs.Struct) {
	i.depth++
	defer func() { i.depth-- }()
	if !s.Union {
		for _, m := range s.Members {
			i.contained(m.Type, i.names[s]+"_"+m.Name)
		}
	}
	fmt.Fprintf(i.out, "  %s:\n    type: record\n    buffersize: %d\n", quoted(i.names[s]), s.Size)
	if s.Union {
		i.out.WriteString("    # a union: its members overlap, which a record cannot have\n")
		fmt.Fprintf(i.out, "    members:\n      bytes: {disp: 0, type: array, subtype: byte, size: %d}\n", s.Size)
		return
	}
	if len(s.Members) > 0 {
		i.out.WriteString("    members:\n")
	}
	anonymous := 0
	for _, m := range s.Members {
		name := m.Name
		if name == "" {
			name = fmt.Sprintf("anonymous_%d", anonymous)
			anonymous++
		}
		typ, why := i.typeText(m.Type, 0)
		if m.Unsupported != "" {
			why = m.Unsupported
		}
		if why != "" {
			fmt.Fprintf(i.out, "      # %s at %d is left out: %s\n", oneLine(name), m.Offset, oneLine(why))
			continue
		}
		fmt.Fprintf(i.out, "      %s: {disp: %d, %s}\n", quoted(name), m.Offset, typ)
	}
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

// maxNesting is how deeply structs may nest.
const maxNesting = 100

// contained writes a struct that is a member, or an element of a member.
func (i *importer) contained(t *structs.Type, anonymous string) {
	for t != nil && t.Kind == structs.Array {
		t = t.Elem
	}
	if t == nil || t.Kind != structs.Record || t.Struct == nil || i.names[t.Struct] != "" || i.depth > maxNesting {
		return
	}
	i.call(t.Struct, i.unique(t, anonymous))
	i.record(t.Struct)
}

// call gives a struct its name. The name is also stored by tag, because a pointer may lead to another value for the same
// struct.
func (i *importer) call(s *structs.Struct, name string) {
	i.taken[name] = true
	i.names[s] = name
	if s.Name != "" {
		i.tags[s.Name] = name
	}
}

// unique returns a name that no other struct has.
func (i *importer) unique(t *structs.Type, anonymous string) string {
	base := t.Struct.Name
	if base == "" {
		base = t.Typedef
	}
	if base == "" {
		base = anonymous
	}
	if isBuiltin(base) {
		base += "_struct"
	}
	name := base
	for n := 2; i.taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	return name
}

// typeText writes a type as keys of a mapping, or returns why it cannot.
func (i *importer) typeText(t *structs.Type, depth int) (text, why string) {
	if t == nil || depth > maxNesting {
		return "", "its type is not known"
	}
	switch t.Kind {
	case structs.Base, structs.Enum:
		return i.baseText(t)
	case structs.Pointer:
		return "type: pointer, subtype: " + i.pointed(t.Elem), ""
	case structs.Record:
		if name := i.names[t.Struct]; name != "" {
			return "type: " + quoted(name), ""
		}
		return "", "its struct is not known"
	case structs.Array:
		var dims []string
		for _, d := range t.Dims {
			if d < 0 {
				return "", "the size of the array is not part of its type"
			}
			dims = append(dims, fmt.Sprint(d))
		}
		elem, why := i.typeText(t.Elem, depth+1)
		return fmt.Sprintf("type: array, size: [%s], subtype: {%s}", strings.Join(dims, ", "), elem), why
	}
	return "", "`" + t.Name + "` has no type in a tree"
}

// pointed returns the name of the type that a pointer leads to if the type is part of the tree, else `byte`.
func (i *importer) pointed(t *structs.Type) string {
	if t != nil && t.Kind == structs.Record {
		if name := i.names[t.Struct]; name != "" {
			return quoted(name)
		}
		if name := i.tags[t.Name]; name != "" && t.Name != "" {
			return quoted(name)
		}
	}
	if t != nil && t.Kind == structs.Base {
		if text, why := i.baseText(t); why == "" && !strings.Contains(text, ",") {
			return strings.TrimPrefix(text, "type: ")
		}
	}
	return "byte"
}

// baseText returns the tree's number type with the size of a type of the program.
func (i *importer) baseText(t *structs.Type) (text, why string) {
	bits := t.Size * 8
	sized := bits == 8 || bits == 16 || bits == 32 || bits == 64
	switch t.Encoding {
	case structs.Float:
		switch bits {
		case 32:
			return "type: float", ""
		case 64:
			return "type: double", ""
		case 128:
			return "type: real, kind: 16", ""
		}
	case structs.SignedChar, structs.UnsignedChar:
		if bits == 8 && t.Name == "char" {
			return "type: char", ""
		}
		if sized {
			return fmt.Sprintf("type: %s%d", map[bool]string{true: "int", false: "uint"}[t.Encoding == structs.SignedChar], bits), ""
		}
	case structs.Signed:
		if sized {
			return fmt.Sprintf("type: int%d", bits), ""
		}
	case structs.Unsigned, structs.Bool:
		if sized {
			return fmt.Sprintf("type: uint%d", bits), ""
		}
	case structs.Complex:
		if bits == 64 || bits == 128 {
			return fmt.Sprintf("type: array, size: 2, subtype: %s", map[int64]string{64: "float", 128: "double"}[bits]), ""
		}
	}
	return "", fmt.Sprintf("a tree has no number like `%s` of %d bytes", t.Name, t.Size)
}
