package hdf5

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Texts of variable length, as other programs write them.

// VarText returns the type of variable-length strings, which Strings reads and WriteStrings writes.
func VarText() Type {
	base := Uint(1)
	return Type{Class: VarLen, Size: 16, Text: true, Base: &base}
}

// Strings reads the selected elements of a dataset of strings, of fixed or
// variable length.
func (d *Dataset) Strings(at Slab) ([]string, error) {
	raw, n, err := d.raw(at)
	if err == nil {
		var out []string
		if out, err = textsOf(&d.f.values, d.data.typ, raw, n); err == nil {
			return out, nil
		}
	}
	return nil, fmt.Errorf("`%s`: %w", d.path, err)
}

// WriteStrings overwrites the selected elements of a dataset of strings. If the type has a fixed length, a longer string is an error.
func (d *Dataset) WriteStrings(values []string, at Slab) error {
	err := d.change()
	var raw []byte
	if err == nil {
		raw, err = d.f.stringBytes(d.data.typ, values)
	}
	if err == nil {
		err = d.writeRaw(raw, at)
	}
	if err != nil {
		return fmt.Errorf("`%s`: %w", d.path, err)
	}
	return nil
}

// SetStrings sets an attribute of strings, and replaces an existing one with the same name.
func (o Object) SetStrings(name string, t Type, space Space, values []string) error {
	fail := func(err error) error { return fmt.Errorf("attribute `%s` on `%s`: %w", name, o.path, err) }
	if err := t.check(); err != nil {
		return fail(err)
	}
	if err := o.disk.Writable(); err != nil {
		return fail(err)
	}
	data, err := o.f.stringBytes(t, values)
	if err != nil {
		return fail(err)
	}
	return o.putAttribute(Attribute{Name: name, Type: t, Space: space, f: o.f, Data: data}, fail)
}

// stringBytes returns strings as they are stored in a file.
func (f *File) stringBytes(t Type, values []string) ([]byte, error) {
	switch {
	case t.Class == VarLen && t.Text:
		parts := make([][]byte, len(values))
		for i, v := range values {
			if parts[i] = []byte(v); v == "" {
				parts[i] = []byte{0} // an element without bytes would be a null pointer
			}
		}
		return f.values.Put(parts, 1)
	case t.Class != String:
		return nil, fmt.Errorf("%s is not a string", t)
	}
	room := t.Size
	if t.Pad == NullTerm {
		room--
	}
	out := make([]byte, len(values)*t.Size)
	for i, v := range values {
		if len(v) > room {
			return nil, fmt.Errorf("`%.40s` has %d bytes, at most %d fit", v, len(v), room)
		}
		copyText(out[i*t.Size:(i+1)*t.Size], []byte(v), NullPad, t.Pad)
	}
	return out, nil
}

// raw reads elements as they are stored in the file.
func (d *Dataset) raw(at Slab) ([]byte, int, error) {
	s := d.data
	if s.space.Null {
		return nil, 0, nil
	}
	slab, err := at.within(s.space.Dims)
	if err != nil {
		return nil, 0, err
	}
	n, _ := product(slab.Count)
	size, ok := s.typ.bytes(slab.Count)
	if !ok || size > 1<<28 {
		return nil, 0, fmt.Errorf("%d elements are too many to be read at once; select a part", n)
	}
	x := &transfer{s: s, slab: slab, size: s.typ.Size, buf: make([]byte, size), conv: copyOf(s.typ.Size)}
	if err := x.place(Memory{}); err != nil {
		return nil, 0, err
	}
	return x.buf, int(n), x.read()
}

// writeRaw writes elements that are already encoded for the file.
func (d *Dataset) writeRaw(raw []byte, at Slab) error {
	s := d.data
	slab, err := at.within(s.space.Dims)
	if err != nil {
		return err
	}
	x := &transfer{s: s, slab: slab, size: s.typ.Size, buf: raw, conv: copyOf(s.typ.Size)}
	if err := x.place(Memory{}); err != nil {
		return err
	}
	return x.write()
}

// TestReadVarText reads texts of variable length, and selections of them, into texts of fixed length. A text that does not fit is
// an error, and elements that were never written have the fill value.
func TestReadVarText(t *testing.T) {
	path := inTemp(t, "a.h5")
	f := create(t, path)
	fill, err := f.stringBytes(VarText(), []string{"none"})
	must(t, err)
	d, err := f.Root().CreateDataset("d", VarText(), dims(2, 3), Options{Chunk: []uint64{1, 3}, Fill: fill})
	must(t, err)
	must(t, d.WriteStrings([]string{"one", "", "größe"}, Slab{Start: []uint64{0, 0}, Count: []uint64{1, 3}}))
	_, err = f.Root().CreateDataset("bare", VarText(), dims(2), Options{})
	must(t, err)
	must(t, f.Close())
	r := reopen(t, path)
	read := func(name string, text Type, at Slab, n int) (string, error) {
		d, err := r.Root().Dataset(name)
		must(t, err)
		p := []byte(strings.Repeat("#", n*text.Size))
		err = d.Read(p, Memory{Type: text}, at)
		return string(p), err
	}
	for _, c := range []struct {
		name string
		text Type
		at   Slab
		want string
	}{
		{"d", Text(7, NullPad), Slab{}, "one\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00" + "größe" + strings.Repeat("none\x00\x00\x00", 3)},
		{"d", Text(8, NullTerm), Slab{[]uint64{0, 2}, []uint64{2, 1}}, "größe\x00none\x00\x00\x00\x00"},
		{"d", Text(5, SpacePad), Slab{[]uint64{0, 0}, []uint64{1, 2}}, "one       "},
		{"bare", Text(2, NullPad), Slab{}, "\x00\x00\x00\x00"},
	} {
		if got, err := read(c.name, c.text, c.at, len(c.want)/c.text.Size); err != nil || got != c.want {
			t.Errorf("%s, %v: got %q, %v, expected %q", c.name, c.at, got, err, c.want)
		}
	}
	for _, short := range []Type{Text(6, NullPad), Text(7, NullTerm)} {
		if _, err := read("d", short, Slab{}, 6); err == nil || err.Error() != "`/d`: `größe` has 7 bytes, but there is room for 6" {
			t.Errorf("%v: got %v", short, err)
		}
	}
	if _, err := read("d", Int(1), Slab{}, 6); err == nil || err.Error() != "`/d`: variable-length has no bytes in memory" {
		t.Errorf("got %v", err)
	}
	raw, err := os.ReadFile(path)
	must(t, err)
	raw[bytes.Index(raw, []byte("GCOL"))+16] = 9 // the number of the first value in its heap
	must(t, os.WriteFile(path, raw, 0o600))
	r = reopen(t, path)
	if _, err := read("d", Text(9, NullPad), Slab{}, 6); err == nil || err.Error() != "`/d`: variable-length data is not in its heap" {
		t.Errorf("got %v", err)
	}
}
