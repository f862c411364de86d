package pdi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/debuginfo/structs"
)

// TestImportNumbers imports a struct with a member for every number type of a compiler. Types that a tree does not have are left out with a note.
func TestImportNumbers(t *testing.T) {
	for _, c := range []struct {
		encoding structs.Encoding
		name     string
		size     int64
		want     string
	}{
		{structs.Float, "float", 4, "m: {disp: 0, type: float}"},
		{structs.Float, "double", 8, "m: {disp: 0, type: double}"},
		{structs.Float, "long double", 16, "m: {disp: 0, type: real, kind: 16}"},
		{structs.Float, "_Float16", 2, "# m at 0 is left out: a tree has no number like `_Float16` of 2 bytes"},
		{structs.SignedChar, "char", 1, "m: {disp: 0, type: char}"},
		{structs.SignedChar, "signed char", 1, "m: {disp: 0, type: int8}"},
		{structs.UnsignedChar, "unsigned char", 1, "m: {disp: 0, type: uint8}"},
		{structs.UnsignedChar, "char", 2, "m: {disp: 0, type: uint16}"},
		{structs.Signed, "short", 2, "m: {disp: 0, type: int16}"},
		{structs.Signed, "int", 4, "m: {disp: 0, type: int32}"},
		{structs.Signed, "long", 8, "m: {disp: 0, type: int64}"},
		{structs.Signed, "__int128", 16, "# m at 0 is left out: a tree has no number like `__int128` of 16 bytes"},
		{structs.Unsigned, "odd", 3, "# m at 0 is left out: a tree has no number like `odd` of 3 bytes"},
		{structs.Unsigned, "unsigned", 4, "m: {disp: 0, type: uint32}"},
		{structs.Bool, "_Bool", 1, "m: {disp: 0, type: uint8}"},
		{structs.Complex, "complex float", 8, "m: {disp: 0, type: array, size: 2, subtype: float}"},
		{structs.Complex, "complex double", 16, "m: {disp: 0, type: array, size: 2, subtype: double}"},
		{structs.Complex, "complex long double", 32, "# m at 0 is left out: a tree has no number like `complex long double` of 32 bytes"},
	} {
		number := &structs.Type{Kind: structs.Base, Encoding: c.encoding, Name: c.name, Size: c.size}
		var out strings.Builder
		if err := WriteStruct(&out, "s", &structs.Struct{Size: c.size, Members: []structs.Member{{Name: "m", Type: number}}}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), "\n      "+c.want+"\n") {
			t.Errorf("%s of %d bytes is imported as\n%s\nwant %s", c.name, c.size, out.String(), c.want)
		}
	}
}

// TestImportStruct imports a struct with others in it. Each is written once, before the structs that contain it, and under a unique name.
func TestImportStruct(t *testing.T) {
	number := &structs.Type{Kind: structs.Base, Encoding: structs.Signed, Name: "int", Size: 4}
	letter := &structs.Type{Kind: structs.Base, Encoding: structs.SignedChar, Name: "char", Size: 1}
	complexNumber := &structs.Type{Kind: structs.Base, Encoding: structs.Complex, Name: "complex float", Size: 8}
	record := func(s *structs.Struct, typedef string) *structs.Type {
		return &structs.Type{Kind: structs.Record, Name: s.Name, Typedef: typedef, Size: s.Size, Struct: s}
	}
	array := func(elem *structs.Type, dims ...int64) *structs.Type {
		return &structs.Type{Kind: structs.Array, Elem: elem, Dims: dims}
	}
	pointer := func(to *structs.Type) *structs.Type { return &structs.Type{Kind: structs.Pointer, Elem: to} }
	one := []structs.Member{{Name: "v", Type: number}}
	point := &structs.Struct{Name: "point", Size: 4, Members: one}
	other := &structs.Struct{Size: 4, Members: one}
	unnamed := &structs.Struct{Size: 4, Members: one}
	same := &structs.Struct{Name: "point", Size: 4, Members: one}
	builtin := &structs.Struct{Name: "int", Size: 4, Members: one}
	union := &structs.Struct{Name: "u", Size: 8, Union: true, Members: []structs.Member{{Name: "inner", Type: record(&structs.Struct{Name: "hidden", Size: 4}, "")}}}
	s := &structs.Struct{Name: "tag", Size: 100, Members: []structs.Member{
		{Name: "p", Offset: 0, Type: record(point, "")},
		{Name: "again", Offset: 4, Type: record(point, "")},
		{Name: "list", Offset: 8, Type: array(array(record(point, ""), 2), 3, 4)},
		{Name: "typedef", Offset: 12, Type: record(other, "alias_t")},
		{Name: "in", Offset: 16, Type: record(unnamed, "")},
		{Name: "same", Offset: 20, Type: record(same, "")},
		{Name: "builtin", Offset: 24, Type: record(builtin, "")},
		{Name: "union", Offset: 28, Type: record(union, "")},
		{Name: "", Offset: 36, Type: number},
		{Name: "", Offset: 40, Type: number},
		{Name: "open", Offset: 44, Type: array(number, -1)},
		{Name: "odd", Offset: 48, Type: array(&structs.Type{Kind: structs.Base, Encoding: structs.Float, Name: "_Float16", Size: 2}, 3)},
		{Name: "bits\nof", Offset: 52, Type: number, Unsupported: "a bit\nfield"},
		{Name: "unknown", Offset: 56},
		{Name: "lost", Offset: 60, Type: &structs.Type{Kind: structs.Record}},
		{Name: "to_self", Offset: 64, Type: pointer(&structs.Type{Kind: structs.Record, Name: "tag", Struct: &structs.Struct{Name: "tag"}})},
		{Name: "to_point", Offset: 68, Type: pointer(record(point, ""))},
		{Name: "to_other", Offset: 72, Type: pointer(&structs.Type{Kind: structs.Record, Struct: &structs.Struct{}})},
		{Name: "text", Offset: 76, Type: pointer(letter)},
		{Name: "numbers", Offset: 80, Type: pointer(complexNumber)},
		{Name: "anything", Offset: 84, Type: pointer(nil)},
		{Name: "call: it", Offset: 88, Type: number},
	}}
	const want = `types:
  point:
    type: record
    buffersize: 4
    members:
      v: {disp: 0, type: int32}
  alias_t:
    type: record
    buffersize: 4
    members:
      v: {disp: 0, type: int32}
  mine_in:
    type: record
    buffersize: 4
    members:
      v: {disp: 0, type: int32}
  point_2:
    type: record
    buffersize: 4
    members:
      v: {disp: 0, type: int32}
  int_struct:
    type: record
    buffersize: 4
    members:
      v: {disp: 0, type: int32}
  u:
    type: record
    buffersize: 8
    # a union: its members overlap, which a record cannot have
    members:
      bytes: {disp: 0, type: array, subtype: byte, size: 8}
  mine:
    type: record
    buffersize: 100
    members:
      p: {disp: 0, type: point}
      again: {disp: 4, type: point}
      list: {disp: 8, type: array, size: [3, 4], subtype: {type: array, size: [2], subtype: {type: point}}}
      typedef: {disp: 12, type: alias_t}
      in: {disp: 16, type: mine_in}
      same: {disp: 20, type: point_2}
      builtin: {disp: 24, type: int_struct}
      union: {disp: 28, type: u}
      anonymous_0: {disp: 36, type: int32}
      anonymous_1: {disp: 40, type: int32}
      # open at 44 is left out: the size of the array is not part of its type
      # odd at 48 is left out: a tree has no number like ` + "`_Float16`" + ` of 2 bytes
      # bits of at 52 is left out: a bit field
      # unknown at 56 is left out: its type is not known
      # lost at 60 is left out: its struct is not known
      to_self: {disp: 64, type: pointer, subtype: mine}
      to_point: {disp: 68, type: pointer, subtype: point}
      to_other: {disp: 72, type: pointer, subtype: byte}
      text: {disp: 76, type: pointer, subtype: char}
      numbers: {disp: 80, type: pointer, subtype: byte}
      anything: {disp: 84, type: pointer, subtype: byte}
      'call: it': {disp: 88, type: int32}
`
	var out strings.Builder
	if err := WriteStruct(&out, "mine", s); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestImportDeep: nested structs are followed down to the limit and no further.
func TestImportDeep(t *testing.T) {
	inner := &structs.Struct{Name: "s0", Size: 4}
	for i := range 2 * maxNesting {
		inner = &structs.Struct{Name: fmt.Sprintf("s%d", i+1), Size: 4, Members: []structs.Member{{Name: "m", Type: &structs.Type{Kind: structs.Record, Struct: inner}}}}
	}
	var out strings.Builder
	if err := WriteStruct(&out, "top", inner); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "buffersize"); n != maxNesting+1 || !strings.Contains(out.String(), "# m at 0 is left out: its struct is not known") {
		t.Errorf("%d structs are written, want n = %v and %q in out.String()", n, maxNesting+1, "# m at 0 is left out: its struct is not known")
	}
}
