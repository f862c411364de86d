package hdf5

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestOrdered checks that links and attributes keep their creation order, for us and for other programs, also if
// there are too many for a header and in files that are opened again.
func TestOrdered(t *testing.T) {
	path := inTemp(t, "o.h5")
	f, err := CreateOrdered(path)
	must(t, err)
	var want []string
	add := func(f *File, from, to int) {
		for i := from; i < to; i++ {
			name := fmt.Sprintf("%c%d", 'z'-i, i)
			want = append(want, name)
			d, err := f.Root().CreateDataset("g/"+name, Int(4), dims(1), Options{})
			must(t, err)
			must(t, d.SetAttribute("unit", Int(4), Space{}, ints(4, 1)))
			g, err := f.Root().Group("g")
			must(t, err)
			must(t, g.SetAttribute(name, Int(4), Space{}, ints(4, 1)))
		}
	}
	add(f, 0, 4)
	must(t, f.Close())
	f = openRW(t, path)
	add(f, 4, 20)
	must(t, f.Root().Delete("g/"+want[7]))
	want = slices.Delete(want, 7, 8)
	must(t, f.Close())

	g, err := reopen(t, path).Root().Group("g")
	must(t, err)
	var got []string
	must(t, g.Each(func(name string, _ *Group, d *Dataset) error {
		if d == nil {
			t.Errorf("`%s` is not a dataset", name)
		}
		got = append(got, name)
		return nil
	}))
	if !slices.Equal(got, want) {
		t.Errorf("got %q, expected %q", got, want)
	}
	if ordered, err := g.Ordered(); !ordered || err != nil {
		t.Errorf("ordered: %v, %v", ordered, err)
	}
	copied := inTemp(t, "copy.h5")
	tool(t, "h5repack", path, copied)
	for _, path := range []string{path, copied} {
		dump := tool(t, "h5dump", "-q", "creation_order", "-H", path)
		at := 0
		for _, name := range want {
			i := strings.Index(dump[at:], `DATASET "`+name+`"`)
			if i < 0 {
				t.Fatalf("`%s` is not in its place:\n%s", name, dump)
			}
			at += i
		}
	}
	attributes := tool(t, "h5dump", "-q", "creation_order", "-A", path)
	if first, second := strings.Index(attributes, `ATTRIBUTE "z0"`), strings.Index(attributes, `ATTRIBUTE "y1"`); first < 0 || second < first {
		t.Errorf("attributes are not in order:\n%s", attributes)
	}
}

// TestReferences checks that objects refer to each other, singly and in sequences, and that h5dump finds the targets.
func TestReferences(t *testing.T) {
	path := inTemp(t, "r.h5")
	f := create(t, path)
	x, err := f.Root().CreateDataset("scales/x", Int(4), dims(3), Options{})
	must(t, err)
	y, err := f.Root().CreateDataset("scales/y", Int(4), dims(2), Options{})
	must(t, err)
	list := [][]byte{y.Reference(), append(x.Reference(), y.Reference()...), nil}
	for i := range 600 { // more than fit in one block of the heap
		must(t, y.SetSequences(fmt.Sprint(i), Ref(), list[:2]))
	}
	must(t, x.SetSequences("scales", Ref(), list))
	must(t, x.SetSequences("long", Int(1), [][]byte{bytes.Repeat([]byte{7}, 10000), {1, 2}}))
	must(t, x.SetAttribute("one", Ref(), Space{}, y.Reference()))
	must(t, f.Close())

	f = reopen(t, path)
	d, err := f.Root().Dataset("scales/x")
	must(t, err)
	a, err := d.Attribute("scales")
	must(t, err)
	got, err := a.Sequences()
	must(t, err)
	if !slices.EqualFunc(got, list, bytes.Equal) {
		t.Errorf("got %x, expected %x", got, list)
	}
	long, err := d.Attribute("long")
	must(t, err)
	if got, err := long.Sequences(); err != nil || len(got[0]) != 10000 || !bytes.Equal(got[1], []byte{1, 2}) {
		t.Errorf("got %d sequences, %v", len(got), err)
	}
	referred, err := f.Referred(got[0])
	must(t, err)
	if !slices.Equal(referred.Space().Dims, []uint64{2}) {
		t.Errorf("it refers to %v, want %v", referred.Space().Dims, []uint64{2})
	}
	for _, bad := range [][]byte{nil, make([]byte, 4), f.Root().Reference(), {1, 2, 3, 4, 5, 6, 7, 8}} {
		if _, err := f.Referred(bad); err == nil {
			t.Errorf("%x refers to a dataset, want one", bad)
		}
	}
	if _, err := (Attribute{Name: "a", Type: Int(4)}).Sequences(); err == nil {
		t.Error("a number is a sequence")
	}
	dump := tool(t, "h5dump", "-a", "/scales/x/scales", path)
	for _, want := range []string{`"/scales/y"`, `"/scales/x"`} {
		if !strings.Contains(dump, want) {
			t.Errorf("h5dump does not say %s:\n%s", want, dump)
		}
	}
	tool(t, "h5dump", path)
}

// TestNamedTypes checks that other programs find a type by its name.
func TestNamedTypes(t *testing.T) {
	path := inTemp(t, "t.h5")
	f := create(t, path)
	must(t, f.Root().DefineType("types/particle", particle()))
	for path, want := range map[string]string{
		"types/particle": "`/types/particle` exists already", "/": "`/` is not a name",
	} {
		if err := f.Root().DefineType(path, Int(4)); err == nil || err.Error() != want {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
	if err := f.Root().DefineType("bad", Int(9)); err == nil {
		t.Error("an integer of 9 bytes has a name")
	}
	must(t, f.Close())
	f = reopen(t, path)
	got, err := f.Root().NamedType("types/particle")
	must(t, err)
	if !got.Equal(particle()) {
		t.Errorf("got %s, want %s", got, particle())
	}
	if _, err := f.Root().NamedType("types"); err == nil || err.Error() != "`/types` is not a type" {
		t.Errorf("got %v", err)
	}
	if dump := tool(t, "h5dump", "-H", path); !strings.Contains(dump, `DATATYPE "particle" H5T_COMPOUND`) {
		t.Errorf("h5dump says\n%s\nwant %q in it", dump, `DATATYPE "particle" H5T_COMPOUND`)
	}
}

// TestRedefine checks that an empty dataset gets another type and keeps the references to it, and that a dataset
// with elements keeps its type.
func TestRedefine(t *testing.T) {
	path := inTemp(t, "d.h5")
	f := create(t, path)
	d, err := f.Root().CreateDataset("d", IEEE(4).Big(), dims(3), Options{})
	must(t, err)
	must(t, d.SetAttribute("keep", Int(4), Space{}, ints(4, 5)))
	ref := d.Reference()
	must(t, f.Close())

	f = openRW(t, path)
	d, err = f.Root().Dataset("d")
	must(t, err)
	if err := d.Redefine(Int(4), dims(2), Options{Shuffle: true}); err == nil || err.Error() != "`/d`: filters need `Chunk`" {
		t.Errorf("got %v", err)
	}
	must(t, d.Redefine(Int(8), dims(2), Options{Chunk: []uint64{1}, Deflate: 1, Fill: ints(8, 9)}))
	must(t, d.Write(ints(8, 4), Memory{}, Slab{[]uint64{1}, []uint64{1}}))
	if err := d.Redefine(Int(4), dims(2), Options{}); err == nil || err.Error() != "`/d`: it has elements: its type stays" {
		t.Errorf("got %v", err)
	}
	must(t, f.Close())

	f = reopen(t, path)
	d, err = f.Referred(ref)
	must(t, err)
	if got, err := d.ReadAll(Int(8)); err != nil || !bytes.Equal(got, ints(8, 9, 4)) {
		t.Errorf("got %x, %v", got, err)
	}
	if a, err := d.Attribute("keep"); err != nil || !bytes.Equal(a.Data, ints(4, 5)) {
		t.Errorf("its attribute is %x, %v", a.Data, err)
	}
	if !bytes.Equal(d.Fill(), ints(8, 9)) {
		t.Errorf("its fill value is %x, want %x", d.Fill(), ints(8, 9))
	}
	tool(t, "h5dump", path)
}

// TestRename checks that a new name takes the place of the old one, and that an existing name is not replaced.
func TestRename(t *testing.T) {
	path := inTemp(t, "n.h5")
	f, err := CreateOrdered(path)
	must(t, err)
	for _, name := range []string{"b", "a", "c"} {
		_, err := f.Root().CreateDataset(name, Int(4), dims(1), Options{})
		must(t, err)
	}
	must(t, f.Root().Rename("a", "z"))
	_, err = f.Root().CreateGroup("d")
	must(t, err)
	if err := f.Root().Rename("z", "b"); err == nil || err.Error() != "`/b` exists already" {
		t.Errorf("got %v", err)
	}
	if err := f.Root().Rename("a", "y"); err == nil || err.Error() != "`a` does not exist in `/`" {
		t.Errorf("got %v", err)
	}
	must(t, f.Close())
	var got []string
	must(t, reopen(t, path).Root().Each(func(name string, _ *Group, _ *Dataset) error {
		got = append(got, name)
		return nil
	}))
	if want := []string{"b", "z", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("got %q, expected %q", got, want)
	}
	tool(t, "h5dump", path)
}
