package hdf5

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestRefusedTypes checks the error for each type that cannot be written. If the reason
// lies in a nested type, the error names the member.
func TestRefusedTypes(t *testing.T) {
	f := create(t, inTemp(t, "t.h5"))
	defer f.Close()
	many := make([]Member, 65536)
	for i := range many {
		many[i] = Member{Name: fmt.Sprint(i), Type: Int(1)}
	}
	values := make([]EnumValue, 65536)
	for i := range values {
		values[i] = EnumValue{Name: fmt.Sprint(i), Value: []byte{1}}
	}
	with := func(t Type, change func(*Type)) Type {
		change(&t)
		return t
	}
	for _, c := range []struct {
		typ  Type
		want string
	}{
		{Int(0), "integer has a size of 0 bytes, expected 1 to 67108864"},
		{Bytes(-1, ""), "opaque has a size of -1 bytes, expected 1 to 67108864"},
		{Bytes(1<<26+1, ""), "opaque has a size of 67108865 bytes, expected 1 to 67108864"},
		{Bytes(1<<26, ""), ""},
		{Int(8), ""},
		{Uint(9), "integer of 9 bytes, expected 1 to 8"},
		{Type{Class: Bitfield, Size: 9}, "bitfield of 9 bytes, expected 1 to 8"},
		{with(Int(4), func(t *Type) { t.Precision = 33 }), "33 bits from bit 0 on do not fit in 4 bytes"},
		{with(Int(4), func(t *Type) { t.Precision, t.BitOffset = 30, 3 }), "30 bits from bit 3 on do not fit in 4 bytes"},
		{with(Int(4), func(t *Type) { t.Precision, t.BitOffset = 30, 2 }), ""},
		{with(Int(4), func(t *Type) { t.Precision = -1 }), "-1 bits from bit 0 on do not fit in 4 bytes"},
		{with(Int(4), func(t *Type) { t.Precision, t.BitOffset = 8, -1 }), "8 bits from bit -1 on do not fit in 4 bytes"},
		{IEEE(3), "float of 3 bytes, expected 2, 4, 8 or 16"},
		{IEEE(2), ""}, {IEEE(4), ""}, {IEEE(8), ""}, {IEEE(16), ""},
		{with(IEEE(8), func(t *Type) { t.Format = &x87 }), "float has bits outside its 8 bytes"},
		{with(IEEE(10), func(t *Type) { t.Format = &x87 }), ""},
		{with(IEEE(8), func(t *Type) { t.Format = &FloatFormat{64, 52, 11, 0, 52, true, 1023} }), "float has bits outside its 8 bytes"},
		{with(IEEE(8), func(t *Type) { t.Format = &FloatFormat{63, 54, 11, 0, 52, true, 1023} }), "float has bits outside its 8 bytes"},
		{with(IEEE(8), func(t *Type) { t.Format = &FloatFormat{63, 52, 11, 30, 35, true, 1023} }), "float has bits outside its 8 bytes"},
		{Struct(4), "compound has 0 members, expected 1 to 65535"},
		{Struct(4, many...), "compound has 65536 members, expected 1 to 65535"},
		{Struct(8, Member{"a", 0, Int(4)}, Member{"a", 4, Int(4)}), "compound member `a` needs a unique name"},
		{Struct(8, Member{"", 0, Int(4)}), "compound member `` needs a unique name"},
		{Struct(8, Member{"a\x00b", 0, Int(4)}), "compound member `a\x00b` needs a unique name"},
		{Struct(8, Member{"a", 0, Int(9)}), "member `a`: integer of 9 bytes, expected 1 to 8"},
		{Struct(8, Member{"a", 5, Int(4)}), "member `a` at offset 5 does not fit in 8 bytes"},
		{Struct(8, Member{"a", 4, Int(4)}), ""},
		{Struct(8, Member{"a", -1, Int(4)}), "member `a` at offset -1 does not fit in 8 bytes"},
		{with(EnumOf(Int(1)), func(t *Type) { t.Base = nil }), "enum needs an integer base type of the same size"},
		{EnumOf(IEEE(4)), "enum needs an integer base type of the same size"},
		{with(EnumOf(Int(1)), func(t *Type) { t.Size = 2 }), "enum needs an integer base type of the same size"},
		{EnumOf(Int(1), values...), "enum has 65536 values, expected at most 65535"},
		{EnumOf(Int(1), EnumValue{"", []byte{1}}), "enum value `` needs a name and 1 bytes"},
		{EnumOf(Int(1), EnumValue{"a\x00", []byte{1}}), "enum value `a\x00` needs a name and 1 bytes"},
		{EnumOf(Int(1), EnumValue{"a", []byte{1, 2}}), "enum value `a` needs a name and 1 bytes"},
		{with(EnumOf(Int(9)), func(t *Type) {}), "integer of 9 bytes, expected 1 to 8"},
		{ArrayOf(Int(4), 2, 3), ""},
		{with(ArrayOf(Int(4), 2), func(t *Type) { t.Dims = []int{0} }), "array has a dimension of 0"},
		{with(ArrayOf(Int(4), 2), func(t *Type) { t.Dims = []int{1 << 20, 1 << 20} }), "array has a dimension of 1048576"},
		{with(ArrayOf(Int(4), 2), func(t *Type) { t.Base = nil }), "array [2] has 8 bytes, expected its elements to fill it"},
		{with(ArrayOf(Int(4), 2), func(t *Type) { t.Size = 12 }), "array [2] has 12 bytes, expected its elements to fill it"},
		{ArrayOf(Int(4)), "array [] has 4 bytes, expected its elements to fill it"},
		{ArrayOf(Int(1), slices.Repeat([]int{1}, 32)...), ""},
		{ArrayOf(Int(1), slices.Repeat([]int{1}, 33)...), "array " + fmt.Sprint(slices.Repeat([]int{1}, 33)) + " has 1 bytes, expected its elements to fill it"},
		{ArrayOf(Int(9), 2), "integer of 9 bytes, expected 1 to 8"},
		{Type{Class: VarLen, Size: 16}, "variable-length type without a base type"},
		{with(VarText(), func(t *Type) { t.Size = 8 }), "variable-length type without a base type"},
		{with(VarText(), func(t *Type) { base := Int(9); t.Base = &base }), "integer of 9 bytes, expected 1 to 8"},
		{Bytes(4, strings.Repeat("x", 248)), ""},
		{Bytes(4, strings.Repeat("x", 249)), "opaque tag has 249 bytes, expected at most 248"},
	} {
		name := fmt.Sprintf("d%p", &c)
		_, err := f.Root().CreateDataset(name, c.typ, dims(0), Options{})
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "dataset `"+name+"`: ")
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if err == nil {
			must(t, f.Root().Delete(name))
		}
	}
}

// TestRefusedDatasets checks the error for datasets that cannot be made, and that no name
// of them remains.
func TestRefusedDatasets(t *testing.T) {
	path := inTemp(t, "d.h5")
	f := create(t, path)
	root := f.Root()
	if _, err := root.CreateDataset("data", Int(4), dims(2), Options{}); err != nil {
		t.Fatal(err)
	}
	wide := make([]Member, 4000)
	for i := range wide {
		wide[i] = Member{Name: fmt.Sprintf("a member with a long name %d", i), Offset: i, Type: Int(1)}
	}
	for _, c := range []struct {
		path  string
		typ   Type
		space Space
		opts  Options
		want  string
	}{
		{"e", Int(4), Space{Null: true, Dims: []uint64{1}}, Options{}, "dataset `e`: a null shape has no dimensions, not [1]"},
		{"e", Int(4), dims(slices.Repeat([]uint64{1}, 33)...), Options{}, "dataset `e`: 33 dimensions, expected at most 32"},
		{"e", Int(4), Space{Dims: []uint64{1, 2}, MaxDims: []uint64{1}}, Options{}, "dataset `e`: 1 maximum dimensions for 2 dimensions"},
		{"e", Int(4), dims(1<<40, 1<<40), Options{}, "dataset `e`: "},
		{"e", Int(4), dims(2), Options{Fill: []byte{1}}, "dataset `e`: fill value has 1 bytes, expected 4"},
		{"e", Int(4), dims(2), Options{Chunk: []uint64{1}, Deflate: 10}, "dataset `e`: deflate level 10, expected 0 to 9"},
		{"e", Int(4), dims(2), Options{Chunk: []uint64{1}, Deflate: -1}, "dataset `e`: deflate level -1, expected 0 to 9"},
		{"e", Int(4), dims(2), Options{Shuffle: true}, "dataset `e`: filters need `Chunk`"},
		{"e", Int(4), dims(2), Options{Fletcher32: true}, "dataset `e`: filters need `Chunk`"},
		{"e", Int(4), dims(2, 2), Options{Chunk: []uint64{1}}, "dataset `e`: chunk has 1 dimensions, dataset has 2"},
		{"e", Int(4), dims(2), Options{Chunk: []uint64{0}}, "dataset `e`: "},
		{"e", Bytes(70000, ""), dims(2), Options{Fill: make([]byte, 70000)}, "dataset `e`: its type or fill value takes 70006 bytes, at most 65535 fit"},
		{"e", Struct(4000, wide...), dims(2), Options{}, "dataset `e`: its type or fill value takes "},
		{"data", Int(4), dims(2), Options{}, "`/data` exists already"},
		{"data/e", Int(4), dims(2), Options{}, "`/data` is not a group"},
		{"/", Int(4), dims(2), Options{}, "`/` is not a name"},
		{"", Int(4), dims(2), Options{}, "`` is not a name"},
		{"a\x00b", Int(4), dims(2), Options{}, "`a\x00b` cannot be a name"},
		{".", Int(4), dims(2), Options{}, "`.` cannot be a name"},
		{strings.Repeat("x", 60001), Int(4), dims(2), Options{}, "`" + strings.Repeat("x", 40) + "` cannot be a name"},
		{"a\x00b/e", Int(4), dims(2), Options{}, "`a\x00b` cannot be a name"},
	} {
		if _, err := root.CreateDataset(c.path, c.typ, c.space, c.opts); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	for path, want := range map[string]string{"": "`` is not a name", "data/g": "`/data` is not a group", ".": "`.` cannot be a name", "data": "`/data` exists already"} {
		if _, err := root.CreateGroup(path); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for path, want := range map[string]string{"": "`` cannot be deleted", "/": "`/` cannot be deleted", "data/x": "`/data` is not a group", "none/x": "`none` does not exist in `/`", "/none": "`none` does not exist in `/`"} {
		if err := root.Delete(path); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	inData := &Group{Object{mustObject(t, root, "data"), "/data"}}
	if err := inData.Delete("x"); err == nil || err.Error() != "`/data` is not a group" {
		t.Errorf("a name of a dataset is deleted: %v", err)
	}
	longest := strings.Repeat("ü", 30000)
	if _, err := root.CreateGroup(longest); err != nil {
		t.Error(err)
	}
	must(t, f.Close())
	r := reopen(t, path)
	var names []string
	must(t, r.Root().Walk(func(path string, _ *Group, _ *Dataset) error {
		names = append(names, path)
		return nil
	}))
	slices.Sort(names)
	if want := []string{"/data", "/" + longest}; !slices.Equal(names, want) {
		t.Errorf("the file has %.200q, want %v", names, want)
	}
	if _, err := r.Root().CreateDataset("e", Int(4), dims(2), Options{}); err != ErrReadOnly {
		t.Errorf("got %v", err)
	}
	if ok, err := r.Root().Exists("./data"); !ok || err != nil {
		t.Errorf("`.` is no step: %v", err)
	}
	if ok, err := r.Root().Exists("data/x"); ok || err == nil {
		t.Error("a dataset has parts")
	}
	if ok, err := r.Root().Exists("none"); ok || err != nil {
		t.Errorf("what is not there: %v", err)
	}
}

func mustObject(t *testing.T, g *Group, path string) *object {
	t.Helper()
	o, err := g.lookup(path)
	must(t, err)
	return o.object
}

// TestAttributes checks the errors of setting and reading attributes, and that other
// attributes stay.
func TestAttributes(t *testing.T) {
	path := inTemp(t, "a.h5")
	f := create(t, path)
	root := f.Root()
	for _, c := range []struct {
		name  string
		typ   Type
		space Space
		data  []byte
		want  string
	}{
		{"", Int(4), Space{}, ints(4, 1), "attribute `` on `/`: needs a name without NUL bytes"},
		{"a\x00", Int(4), Space{}, ints(4, 1), "attribute `a\x00` on `/`: needs a name without NUL bytes"},
		{"a", Int(9), Space{}, make([]byte, 9), "attribute `a` on `/`: integer of 9 bytes, expected 1 to 8"},
		{"a", VarText(), Space{}, make([]byte, 16), "attribute `a` on `/`: set it with SetSequences"},
		{"a", Int(4), Space{Null: true, Dims: []uint64{1}}, nil, "attribute `a` on `/`: a null shape has no dimensions, not [1]"},
		{"a", Int(4), Space{Null: true}, ints(4, 1), "attribute `a` on `/`: value has 4 bytes, expected 0"},
		{"a", Int(4), dims(1<<62, 4), nil, "attribute `a` on `/`: "},
		{"null", Int(4), Space{Null: true}, nil, ""},
		{"größe", Int(4), dims(2), ints(4, 1, -2), ""},
		{"one", Int(4), Space{}, ints(4, 7), ""},
		{"one", IEEE(8), dims(1), doubles(2.5), ""},
		{"last", Text(4, NullPad), Space{}, []byte("abcd"), ""},
	} {
		err := root.SetAttribute(c.name, c.typ, c.space, c.data)
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && !strings.HasPrefix(got, c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	must(t, f.Close())
	f = openRW(t, path)
	var names []string
	list, err := f.Root().Attributes()
	must(t, err)
	for _, a := range list {
		names = append(names, fmt.Sprint(a.Name, " ", a.Type, " ", a.Space.Len()))
	}
	slices.Sort(names)
	if want := []string{"größe 4-byte integer 2", "last 4-byte string 1", "null 4-byte integer 0", "one 8-byte float 1"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	wide, err := f.Root().Attribute("größe")
	must(t, err)
	if got, err := wide.Read(Int(8).Big()); err != nil || !slices.Equal(got, []byte{0, 0, 0, 0, 0, 0, 0, 1, 255, 255, 255, 255, 255, 255, 255, 254}) {
		t.Errorf("% x, %v", got, err)
	}
	if null, err := f.Root().Attribute("null"); err != nil {
		t.Error(err)
	} else if got, err := null.Read(Int(4)); err != nil || len(got) != 0 {
		t.Errorf("a null attribute has % x, %v", got, err)
	}
	for typ, want := range map[string]error{"attribute `größe`: integer of 9 bytes, expected 1 to 8": readError(wide, Int(9)),
		"attribute `größe`: 4-byte integer cannot become 4-byte string": readError(wide, Text(4, NullPad))} {
		if want == nil || want.Error() != typ {
			t.Errorf("got %v, want %s", want, typ)
		}
	}
	if _, err := wide.Strings(); err == nil || !strings.HasPrefix(err.Error(), "attribute `größe`: ") {
		t.Errorf("numbers are strings: %v", err)
	}
	if _, err := f.Root().Attribute("none"); err == nil || err.Error() != "attribute `none` does not exist on `/`" {
		t.Errorf("got %v", err)
	}
	must(t, f.Root().SetAttribute("new", Int(1), Space{}, []byte{1}))
	must(t, f.Close())
	if list, err := reopen(t, path).Root().Attributes(); err != nil || len(list) != 5 {
		t.Errorf("%d attributes, %v", len(list), err)
	}
}

func readError(a Attribute, t Type) error {
	_, err := a.Read(t)
	return err
}

// TestConversions reads elements as another type: texts change their padding, compounds
// are matched by name and keep members without a source, and arrays need the same shape.
func TestConversions(t *testing.T) {
	f := create(t, inTemp(t, "c.h5"))
	defer f.Close()
	pair := Struct(8, Member{"a", 0, Int(4)}, Member{"b", 4, Int(4)})
	for i, c := range []struct {
		from, to Type
		data     string
		want     string
	}{
		{Text(4, NullPad), Text(6, SpacePad), "ab\x00\x00", "ab    "},
		{Text(4, SpacePad), Text(3, NullTerm), "abc ", "ab\x00"},
		{Text(4, SpacePad), Text(4, NullPad), "a b ", "a b\x00"},
		{Text(4, NullTerm), Text(4, SpacePad), "a\x00bc", "a   "},
		{Text(4, NullTerm), Text(6, NullTerm), "abcd", "abcd\x00\x00"},
		{Text(2, NullPad), Text(2, NullTerm), "ab", "a\x00"},
		{pair, Struct(12, Member{"b", 8, Int(4)}, Member{"a", 0, Int(2)}), "\x01\x00\x00\x00\x02\x00\x00\x00", "\x01\x00______\x02\x00\x00\x00"},
		{pair, Struct(4, Member{"b", 0, Int(4)}), "\x01\x00\x00\x00\x02\x00\x00\x00", "\x02\x00\x00\x00"},
		{pair, Struct(4, Member{"b", 0, Int(2)}, Member{"c", 2, Int(2)}), "\x01\x00\x00\x00\x02\x00\x00\x00", "\x02\x00__"},
		{pair, Struct(8, Member{"c", 0, Int(4)}), "", "compound of a, b and compound of c have no member in common"},
		{pair, Struct(8, Member{"a", 0, Text(4, NullPad)}), "", "member `a`: 4-byte integer cannot become 4-byte string"},
		{ArrayOf(Int(1), 2, 2), ArrayOf(Int(2), 2, 2), "\x01\xff\x02\x03", "\x01\x00\xff\xff\x02\x00\x03\x00"},
		{ArrayOf(Int(1), 2, 2), ArrayOf(Int(1), 4), "", "array [2 2] of 1-byte integer cannot become array [4] of 1-byte integer"},
		{ArrayOf(Int(1), 2, 2), ArrayOf(Int(1), 2, 3), "", "array [2 2] of 1-byte integer cannot become array [2 3] of 1-byte integer"},
		{ArrayOf(Int(1), 2), ArrayOf(Text(1, NullPad), 2), "\xffa", "\xffa"},
		{Text(1, NullTerm), Uint(1), "x", "x"},
		{ArrayOf(Int(1), 2), ArrayOf(Text(2, NullPad), 2), "", "1-byte integer cannot become 2-byte string"},
		{ArrayOf(Int(1), 2), Int(2), "", "array [2] of 1-byte integer cannot become 2-byte integer"},
		{Bytes(2, "x"), Bytes(2, "y"), "ab", "ab"},
		{Bytes(2, "x"), Bytes(3, "x"), "", "2-byte opaque cannot become 3-byte opaque"},
		{Int(2), EnumOf(Int(2), EnumValue{"one", []byte{1, 0}}), "\x01\x00", "\x01\x00"},
		{EnumOf(Int(1), EnumValue{"one", []byte{1}}), Int(2), "\xff", "\xff\xff"},
		{Int(2), IEEE(3), "", "type in memory: float of 3 bytes, expected 2, 4, 8 or 16"},
		{Int(4), IEEE(16), "", "4-byte integer cannot become 16-byte float"},
		{Int(4), VarText(), "", "variable-length has no bytes in memory"},
	} {
		name := fmt.Sprint("d", i)
		d, err := f.Root().CreateDataset(name, c.from, dims(1), Options{})
		must(t, err)
		if c.data != "" {
			must(t, d.Write([]byte(c.data), Memory{}, Slab{}))
		}
		buf := []byte(strings.Repeat("_", c.to.Size))
		err = d.Read(buf, Memory{Type: c.to}, Slab{})
		got := string(buf)
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "`/"+name+"`: ")
		}
		if got != c.want {
			t.Errorf("%s as %s\n got %q\nwant %q", c.from, c.to, got, c.want)
		}
	}

	// Writing a part of a compound keeps the other members.
	d, err := f.Root().CreateDataset("pairs", pair, dims(3), Options{})
	must(t, err)
	must(t, d.Write(ints(4, 1, 2, 3, 4, 5, 6), Memory{}, Slab{}))
	must(t, d.Write(ints(8, -1, -2), Memory{Type: Struct(8, Member{"b", 0, Int(8)})}, Slab{Start: []uint64{1}}))
	if got, err := d.ReadAll(Type{}); err != nil || !slices.Equal(got, ints(4, 1, 2, 3, -1, 5, -2)) {
		t.Errorf("% x, %v", got, err)
	}
	if err := d.Write(ints(4, 1, 2), Memory{Dims: []uint64{1}, Slab: Slab{Start: []uint64{1}, Count: []uint64{1}}}, Slab{}); err == nil || !strings.HasPrefix(err.Error(), "`/pairs`: memory: ") {
		t.Errorf("a selection outside of the memory: %v", err)
	}
}

// TestTypeEqual distinguishes types by everything that affects their bytes.
func TestTypeEqual(t *testing.T) {
	with := func(t Type, change func(*Type)) Type {
		change(&t)
		return t
	}
	types := []Type{
		Int(4), Uint(4), Int(8), Int(4).Big(), with(Int(4), func(t *Type) { t.Precision = 20 }), with(Int(4), func(t *Type) { t.Precision, t.BitOffset = 20, 2 }),
		IEEE(4), IEEE(8), with(IEEE(16), func(t *Type) { t.Format = &x87 }), IEEE(16), Type{Class: Bitfield, Size: 4},
		Text(4, NullTerm), Text(4, NullPad), Text(4, SpacePad), with(Text(4, NullTerm), func(t *Type) { t.UTF8 = true }), Bytes(4, ""), Bytes(4, "x"),
		VarText(), with(VarText(), func(t *Type) { t.Text = false }), ArrayOf(Int(4), 2, 3), ArrayOf(Int(4), 3, 2), ArrayOf(IEEE(4), 2, 3),
		Struct(8, Member{"a", 0, Int(4)}), Struct(8, Member{"a", 4, Int(4)}), Struct(8, Member{"b", 0, Int(4)}), Struct(8, Member{"a", 0, IEEE(4)}),
		Struct(8, Member{"a", 0, Int(4)}, Member{"b", 4, Int(4)}), Struct(9, Member{"a", 0, Int(4)}),
		EnumOf(Int(1), EnumValue{"a", []byte{1}}), EnumOf(Int(1), EnumValue{"a", []byte{2}}), EnumOf(Int(1), EnumValue{"b", []byte{1}}), EnumOf(Uint(1), EnumValue{"a", []byte{1}}), EnumOf(Int(1)),
	}
	for i, a := range types {
		for j, b := range types {
			if a.Equal(b) != (i == j) {
				t.Errorf("%+v and %+v: equal %v, want %v", a, b, a.Equal(b), (i == j))
			}
		}
	}
	if !with(Int(4), func(t *Type) { t.Precision = 32 }).Equal(Int(4)) {
		t.Error("all bits are not all bits")
	}
	if !with(IEEE(8), func(t *Type) { t.Format = &ieeeDouble }).Equal(IEEE(8)) {
		t.Error("an IEEE number is none where its format is written out")
	}
}

// TestTypeWords checks how messages name types.
func TestTypeWords(t *testing.T) {
	base := Int(2)
	for want, typ := range map[string]Type{
		"4-byte integer": Int(4), "1-byte unsigned integer": Uint(1), "8-byte big-endian float": IEEE(8).Big(), "2-byte big-endian bitfield": Type{Class: Bitfield, Size: 2}.Big(),
		"variable-length string": VarText(), "variable-length sequence of 2-byte integer": {Class: VarLen, Size: 16, Base: &base}, "array [2 3] of 4-byte float": ArrayOf(IEEE(4), 2, 3),
		"compound of a, b": Struct(8, Member{"a", 0, Int(4)}, Member{"b", 4, Int(4)}), "enum of 1-byte integer": EnumOf(Int(1)), "7-byte opaque": Bytes(7, "x"), "5-byte string": Text(5, NullPad),
		"3-byte class 12": {Class: 12, Size: 3},
	} {
		if typ.String() != want {
			t.Errorf("got %s, want %s", typ, want)
		}
	}
}
