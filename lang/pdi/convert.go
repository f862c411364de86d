package pdi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/convert"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

func toC(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	return m.declareAll(w, convert.C, convert.NameInC)
}

// toFortran writes a module. Its name is a placeholder for the user to change.
func toFortran(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	io.WriteString(w, "module types\n  use, intrinsic :: iso_c_binding\n  implicit none\n\n")
	lost := m.declareAll(w, convert.Fortran, convert.NameInFortran)
	io.WriteString(w, "end module types\n")
	return lost
}

// toGo writes a whole Go file. Its package name is a placeholder for the user to change.
func toGo(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	io.WriteString(w, "package types\n\n")
	return m.declareAll(w, convert.Go, convert.NameInGo)
}

func toNumpy(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	return m.declareAll(w, convert.Numpy, convert.NameInNumpy)
}

func toHDF5(_ *syntax.Tree, m *Model, w io.Writer) diag.List { return m.declareAll(w, hdf5Text, nil) }

// declarer writes declarations in another language, one after the other.
type declarer struct {
	io.Writer
	declare func(name string, t data.Type, m *data.Machine) (string, error)
	called  func(name string) string // converts a name to the language's rules; nil if every name is allowed
	machine *data.Machine

	written       map[string]bool // blocks that have been written
	taken         map[string]bool // names in the other language that are in use
	head, between string
}

// declareAll writes all types, metadata and data whose size is known without the values of data.
func (m *Model) declareAll(w io.Writer, declare func(string, data.Type, *data.Machine) (string, error), called func(string) string) diag.List {
	var lost diag.List
	x := &declarer{Writer: w, declare: declare, called: called, machine: data.X86_64(), written: map[string]bool{}, taken: map[string]bool{}}
	env := m.environment(x.machine)
	for _, list := range [][]*Declaration{m.Types, m.Metadata, m.Data} {
		for _, d := range list {
			if err := x.add(d, env); err != nil {
				lack := lost.Report(notConverted, d.key.span(), "`%s` is not written: %s", d.Name, data.Message(err))
				if len(Needs(err)) > 0 {
					lack.Helped("give sizes that depend on data with `-s`, for instance `-s %s.size[0]=10`", d.Section+"."+keyName(d.Name))
				}
			}
		}
	}
	return lost
}

// add writes one declaration. Lines that several declarations begin with, such as headers, are written once.
func (x *declarer) add(d *Declaration, env *data.Env) error {
	template, err := data.ParseType(d.value.Node, env)
	if err != nil {
		return err
	}
	t, err := template.Evaluate()
	if err != nil {
		return err
	}
	head, blocks, err := x.blocks(d.Name, t)
	if err != nil {
		return err
	}
	if head != x.head {
		x.head, x.between = head, ""
		io.WriteString(x, head)
	}
	for _, block := range blocks {
		if !x.written[block] {
			x.written[block] = true
			fmt.Fprintf(x, "%s%s\n", x.between, strings.TrimRight(block, "\n"))
			x.between = "\n"
		}
	}
	return nil
}

// blocks returns the parts of a declaration: the types it needs, then the declaration itself. If two different declarations get the same name in
// the other language, the later one gets a number.
func (x *declarer) blocks(name string, t data.Type) (head string, blocks []string, err error) {
	for n := 1; ; n++ {
		own := name
		if n > 1 {
			own = fmt.Sprintf("%s_%d", name, n)
		}
		text, err := x.declare(own, t, x.machine)
		if err != nil {
			return "", nil, err
		}
		head, rest := splitHead(text)
		blocks := strings.Split(strings.TrimRight(rest, "\n"), "\n\n")
		if x.called == nil || !x.taken[x.called(own)] || x.written[blocks[len(blocks)-1]] {
			if x.called != nil {
				x.taken[x.called(own)] = true
			}
			return head, blocks, nil
		}
	}
}

// splitHead splits headers and imports from a declaration.
func splitHead(text string) (head, rest string) {
	for _, mark := range []string{"#include", "import ", "package "} {
		if strings.HasPrefix(text, mark) {
			if i := strings.Index(text, "\n\n"); i >= 0 {
				return text[:i+2], text[i+2:]
			}
		}
	}
	return "", text
}

// toJSON merges the sections of all trees and writes them. Every value is a string, as it is to PDI.
func toJSON(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	budget := maxValues
	out := m.merged(&budget)
	if err := jsontext.Write(w, out); err != nil {
		return diag.List{diag.New(notConverted, m.main().top(), "the tree cannot be written: %s", err)}
	}
	if budget < 0 {
		return diag.List{diag.New(notConverted, m.main().top(), "aliases expand to more than %d values; the rest is left out", maxValues)}
	}
	return nil
}

// merged returns the sections of all trees, in the order in which they first appear.
func (m *Model) merged(budget *int) *object {
	out := &object{}
	for _, f := range m.Files {
		for key, val := range f.root.pairs() {
			name := key.Text
			if !key.is(data.ScalarNode) || !isSection(name) || name == includeSection || mainOnly(name) && f != m.main() || val.empty() {
				continue
			}
			if have, ok := out.get(name).(*object); ok && val.is(data.MappingNode) {
				have.add(val, budget)
				continue
			}
			if out.get(name) == nil {
				out.put(name, written(name, plainValue(val, budget)))
			}
		}
	}
	return out
}

// written expands the shorthand forms of sections: a level becomes a log, a path becomes a list.
func written(section string, v any) any {
	text, single := v.(string)
	switch {
	case single && section == loggingSection:
		o := &object{}
		o.put("level", text)
		return o
	case single && section == pathSection:
		return []any{text}
	}
	return v
}

func plainValue(v value, budget *int) any {
	if *budget--; *budget < 0 {
		return nil
	}
	switch v.Kind {
	case data.SequenceNode:
		list := make([]any, 0, len(v.Items))
		for _, item := range v.items() {
			list = append(list, plainValue(item, budget))
		}
		return list
	case data.MappingNode:
		o := &object{}
		o.add(v, budget)
		return o
	}
	return v.Text
}

// object is a JSON object that keeps the order of its keys.
type object struct {
	keys   []string
	values map[string]any
}

func (o *object) get(key string) any { return o.values[key] }

func (o *object) put(key string, v any) {
	if o.values == nil {
		o.values = map[string]any{}
	}
	if _, ok := o.values[key]; ok {
		return // if a key repeats, the first one counts
	}
	o.keys = append(o.keys, key)
	o.values[key] = v
}

func (o *object) add(v value, budget *int) {
	for key, val := range v.pairs() {
		if key.is(data.ScalarNode) {
			o.put(key.Text, plainValue(val, budget))
		}
	}
}

// MarshalJSON writes the keys in their order.
func (o *object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, key := range o.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(o.values[key]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// hdf5Text describes the dataset that decl_hdf5 creates for a type, in the notation of the HDF5 tools.
func hdf5Text(name string, t data.Type, m *data.Machine) (string, error) {
	if !data.Sound(t) {
		return "", data.Errorf(data.StatusType, nil, "the type reaches outside its own buffer")
	}
	elem, space, err := declhdf5.TypeOf(t, m)
	if err != nil {
		return "", err
	}
	extent := "SCALAR"
	if len(space.Dims) > 0 {
		list := strings.Trim(strings.ReplaceAll(fmt.Sprint(space.Dims), " ", ", "), "[]")
		extent = fmt.Sprintf("SIMPLE { ( %s ) / ( %s ) }", list, list)
	}
	return fmt.Sprintf("DATASET %q {\n   DATATYPE  %s\n   DATASPACE  %s\n}\n", name, hdf5Type(elem, "   "), extent), nil
}

// hdf5Type writes a type; lines after the first begin with indent.
func hdf5Type(t hdf5.Type, indent string) string {
	order, name := "LE", "little"
	if t.Order == hdf5.BigEndian {
		order, name = "BE", "big"
	}
	bits := t.Size * 8
	switch t.Class {
	case hdf5.Integer:
		sign := map[bool]string{true: "I", false: "U"}[t.Signed]
		return fmt.Sprintf("H5T_STD_%s%d%s", sign, bits, order)
	case hdf5.Float:
		if bits == 32 || bits == 64 {
			return fmt.Sprintf("H5T_IEEE_F%d%s", bits, order)
		}
		return fmt.Sprintf("%d-bit %s-endian floating-point", bits, name)
	case hdf5.Array:
		dims := strings.ReplaceAll(fmt.Sprint(t.Dims), " ", "][")
		return "H5T_ARRAY { " + dims + " " + hdf5Type(*t.Base, indent) + " }"
	case hdf5.Compound:
		var b strings.Builder
		b.WriteString("H5T_COMPOUND {\n")
		for _, m := range t.Members {
			fmt.Fprintf(&b, "%s   %s %q : %d;\n", indent, hdf5Type(m.Type, indent+"   "), m.Name, m.Offset)
		}
		return b.String() + indent + "}"
	}
	return fmt.Sprintf("H5T_OPAQUE { OPAQUE_TAG %q; }", t.Tag)
}
