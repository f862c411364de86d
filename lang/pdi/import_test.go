package pdi

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/debuginfo"
)

// TestImportNumbers imports a struct with a member for every number that a
// compiler has; those that a tree has no word for are left out with a note.
func TestImportNumbers(t *testing.T) {
	for _, c := range []struct {
		encoding debuginfo.Encoding
		name     string
		size     int64
		want     string
	}{
		{debuginfo.Float, "float", 4, "m: {disp: 0, type: float}"},
		{debuginfo.Float, "double", 8, "m: {disp: 0, type: double}"},
		{debuginfo.Float, "long double", 16, "m: {disp: 0, type: real, kind: 16}"},
		{debuginfo.Float, "_Float16", 2, "# m at 0 is left out: a tree has no number like `_Float16` of 2 bytes"},
		{debuginfo.SignedChar, "char", 1, "m: {disp: 0, type: char}"},
		{debuginfo.SignedChar, "signed char", 1, "m: {disp: 0, type: int8}"},
		{debuginfo.UnsignedChar, "unsigned char", 1, "m: {disp: 0, type: uint8}"},
		{debuginfo.UnsignedChar, "char", 2, "m: {disp: 0, type: uint16}"},
		{debuginfo.Signed, "short", 2, "m: {disp: 0, type: int16}"},
		{debuginfo.Signed, "int", 4, "m: {disp: 0, type: int32}"},
		{debuginfo.Signed, "long", 8, "m: {disp: 0, type: int64}"},
		{debuginfo.Signed, "__int128", 16, "# m at 0 is left out: a tree has no number like `__int128` of 16 bytes"},
		{debuginfo.Unsigned, "odd", 3, "# m at 0 is left out: a tree has no number like `odd` of 3 bytes"},
		{debuginfo.Unsigned, "unsigned", 4, "m: {disp: 0, type: uint32}"},
		{debuginfo.Bool, "_Bool", 1, "m: {disp: 0, type: uint8}"},
		{debuginfo.Complex, "complex float", 8, "m: {disp: 0, type: array, size: 2, subtype: float}"},
		{debuginfo.Complex, "complex double", 16, "m: {disp: 0, type: array, size: 2, subtype: double}"},
		{debuginfo.Complex, "complex long double", 32, "# m at 0 is left out: a tree has no number like `complex long double` of 32 bytes"},
	} {
		number := &debuginfo.Type{Kind: debuginfo.Base, Encoding: c.encoding, Name: c.name, Size: c.size}
		var out strings.Builder
		if err := WriteStruct(&out, "s", &debuginfo.Struct{Size: c.size, Members: []debuginfo.Member{{Name: "m", Type: number}}}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), "\n      "+c.want+"\n") {
			t.Errorf("%s of %d bytes is imported as\n%s\nwant %s", c.name, c.size, out.String(), c.want)
		}
	}
}
