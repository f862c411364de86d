package structs

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/need"
)

// wants checks that the structs of a program have the expected descriptions.
func wants(t *testing.T, f *Program, all map[string]string) {
	t.Helper()
	for name, want := range all {
		s, err := f.Struct(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(want, show(s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// fails checks that structs which cannot be described give the expected errors.
func fails(t *testing.T, f *Program, all map[string]string) {
	t.Helper()
	for name, want := range all {
		if _, err := f.Struct(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestPointers checks that a pointer's type has the name of the type that it points
// to, without reading that type.
func TestPointers(t *testing.T) {
	f := open(t, compile(t, t.TempDir(), `
enum shade { DARK };
union either { int i; float f; };
typedef int count;
typedef count tally;
typedef const void anything;
typedef struct hidden handle;
struct pointers {
	int **twice;
	const volatile unsigned char *bytes;
	tally *counts;
	anything *any;
	handle *opened;
	union either *either;
	enum shade *shade;
	int (*call)(void);
	count *const restrict fixed;
};
struct pointers p;
int main(void) { return 0; }
`, "-g"))
	wants(t, f, map[string]string{"pointers": `pointers size 72 align 8 packed false
0 twice **void
8 bytes *unsigned char/7:1
16 counts *tally=int/1:4
24 any *void
32 opened *struct handle=hidden
40 either *struct either
48 shade *enum shade/0:0[]
56 call *other 
64 fixed *count=int/1:4
`})
	// A struct that is only declared has no layout, nor has a typedef of it.
	fails(t, f, map[string]string{
		"handle": "`program` has no struct `handle`, or uses it nowhere",
		"hidden": "`program` has no struct `hidden`, or uses it nowhere",
	})
	names, err := f.Names()
	if diff := cmp.Diff([]string{"either", "pointers"}, names); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestAlignments: a type, a typedef, a member and a struct may each have more than
// the natural alignment, and a packed struct has less.
func TestAlignments(t *testing.T) {
	f := open(t, compile(t, t.TempDir(), `
typedef int wide __attribute__((aligned(16)));
struct __attribute__((aligned(64))) line { char c; };
struct by_typedef { char c; wide w; };
struct by_member { char c; _Alignas(8) char d; };
struct by_struct { char c; struct line l; };
struct __attribute__((packed)) cut { long a; char c; };
struct __attribute__((packed, aligned(2))) half { char c; int i; };
struct by_typedef a; struct by_member b; struct by_struct c; struct cut d; struct half e;
int main(void) { return 0; }
`, "-g"))
	wants(t, f, map[string]string{
		"by_typedef": "by_typedef size 32 align 16 packed false\n0 c char/6:1\n16 w wide=int/1:4\n",
		"by_member":  "by_member size 16 align 8 packed false\n0 c char/6:1\n8 d char/6:1\n",
		"by_struct":  "by_struct size 128 align 64 packed false\n0 c char/6:1\n64 l struct line{c@0}:64 union false\n",
		"cut":        "cut size 9 align 1 packed true\n0 a long int/1:8\n8 c char/6:1\n",
		"half":       "half size 6 align 2 packed true\n0 c char/6:1\n1 i int/1:4\n",
	})
}

// TestOtherLanguages: types that C does not have are described as far as possible.
func TestOtherLanguages(t *testing.T) {
	need.Compiler(t, "gcc", "-x", "c++")
	f := open(t, compile(t, t.TempDir(), `
class point { public: int x; static int shared; const float &y; int &&z; decltype(nullptr) none; int point::*which; };
int get(point &p) { return p.x; }
int main() { return 0; }
`, "-x", "c++", "-g"))
	wants(t, f, map[string]string{"point": `point size 40 align 8 packed false
0 x int/1:4
8 y *float/3:4
16 z *int/1:4
24 none other decltype(nullptr) (its type is not a data type of C)
32 which other  (its type is not a data type of C)
`})
}

// TestFortran: an array counts from 1 or from its declared lower bound, and its last
// index is the outermost.
func TestFortran(t *testing.T) {
	need.Program(t, "gfortran")
	flags := []string{"-x", "f95", "-g", "-shared", "-fPIC", "-nostdlib"}
	f := open(t, compileWith(t, t.TempDir(), "gfortran", `subroutine use()
  type cell
    real(8) :: wave(-1:5, 3)
    integer :: n
  end type
  type(cell) :: c
  c%n = 1
  c%wave = c%n
  call eat(c%wave)
end subroutine
`, flags...))
	wants(t, f, map[string]string{"cell": "cell size 176 align 8 packed false\n0 wave [3 7](real(kind=8)/3:8):168\n168 n integer(kind=4)/1:4\n"})
}

// TestClang checks arrays compiled by clang, which writes the number of elements,
// while GCC writes the last index.
func TestClang(t *testing.T) {
	need.Compiler(t, "clang", "-g")
	f := open(t, compileWith(t, t.TempDir(), "clang", particles, "-g", "-gdwarf-5"))
	s, err := f.Struct("particle")
	if err != nil {
		t.Fatal(err)
	}
	got := show(s)
	for _, want := range []string{"8 pos vec3=[3](double/3:8):24\n", "58 grid [2 5](unsigned short/2:2):20\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestTypeLimits checks that types may have as many levels, dimensions and members
// as real programs need, and that larger ones are refused with a message.
func TestTypeLimits(t *testing.T) {
	nested := func(name string, levels int) string {
		text := fmt.Sprintf("struct %s1 { int x; };\n", name)
		for i := 2; i <= levels; i++ {
			text += fmt.Sprintf("struct %s%d { struct %s%d x; };\n", name, i, name, i-1)
		}
		return text + fmt.Sprintf("struct %s%d %s;\n", name, levels, name)
	}
	names := func(prefix string, count int) string {
		text := fmt.Sprintf("typedef struct { int x; } %s1;\n", prefix)
		for i := 2; i <= count; i++ {
			text += fmt.Sprintf("typedef %s%d %s%d;\n", prefix, i-1, prefix, i)
		}
		return text + fmt.Sprintf("%s%d %s;\n", prefix, count, prefix)
	}
	var columns strings.Builder
	for i := range 320 {
		fmt.Fprintf(&columns, "struct row r%d[2]; ", i)
	}
	text := nested("s", 30) + nested("d", 70) + names("n", 60) + names("m", 70) +
		"struct dims { char few" + strings.Repeat("[1]", 64) + "; };\nstruct more { char many" + strings.Repeat("[1]", 65) + "; };\nstruct dims e; struct more g;\n" +
		"struct row { " + strings.ReplaceAll(columns.String(), "struct row", "int") + "};\nstruct table { " + columns.String() + "};\nstruct table h;\n" +
		"int main(void) { return 0; }\n"
	f := open(t, compile(t, t.TempDir(), text, "-g"))
	for _, name := range []string{"s30", "n60", "dims", "row"} {
		if _, err := f.Struct(name); err != nil {
			t.Error(err)
		}
	}
	fails(t, f, map[string]string{
		"d70":   "struct `d70` of `program`: its types are nested more than 64 deep",
		"m70":   "`program` has no struct `m70`, or uses it nowhere",
		"more":  "struct `more` of `program`: an array has more than 64 dimensions",
		"table": "struct `table` of `program` has more than 100000 members in all",
	})
}

// TestSameStructTwice checks that several source files may define a struct with the
// same name if the layouts are equal, and that different layouts are an error.
func TestSameStructTwice(t *testing.T) {
	need.Slow(t)
	for _, c := range []struct {
		first, second string
		same          bool
	}{
		{"int x; float y;", "int x; float y;", true},
		{"int x; float y;", "int x; int y;", false},
		{"int x; float y;", "int x; float z;", false},
		{"int x; float y;", "int x; float y; int z;", false},
		{"char x; char y;", "char x; _Alignas(2) char y;", false},
		{"int x; float y;", "int x; char y[4];", false},
		{"char x[2]; char y;", "char x; char y[2];", false},
	} {
		dir := t.TempDir()
		for name, members := range map[string]string{"a": c.first, "b": c.second} {
			write := fmt.Sprintf("cat > %s.c <<'END'\nstruct both { %s } %s;\nEND\n", name, members, name)
			run(t, dir, "sh", "-c", write)
		}
		run(t, dir, "gcc", "-g", "-shared", "-fPIC", "a.c", "b.c", "-o", "program")
		f := open(t, filepath.Join(dir, "program"))
		s, err := f.Struct("both")
		if c.same && (err != nil || len(s.Members) != 2) {
			t.Errorf("%s | %s: %v", c.first, c.second, err)
		}
		if !c.same && (err == nil || err.Error() != "`program` has several different structs `both`, in different source files") {
			t.Errorf("%s | %s: %v", c.first, c.second, err)
		}
	}
}

// entry is an entry of debug information that no compiler writes.
type entry struct {
	label string
	tag   dwarf.Tag
	name  string
	size  byte
	as    byte   // the encoding of a base type
	of    string // the label of the entry that is its type
	at    []byte // an expression for the offset of a member
	kids  []entry
}

// assemble writes the entries of one unit.
func assemble(t *testing.T, entries []entry) *Program {
	t.Helper()
	var abbrev, info []byte
	places := map[string]int{}
	var refs []func()
	info = append(info, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8) // length, version, abbreviations, size of addresses
	code := byte(0)
	var put func(e entry)
	put = func(e entry) {
		code++
		kids := byte(0)
		if len(e.kids) > 0 {
			kids = 1
		}
		abbrev = append(abbrev, code, byte(e.tag), kids)
		if e.label != "" {
			places[e.label] = len(info)
		}
		info = append(info, code)
		if e.name != "" {
			abbrev = append(abbrev, byte(dwarf.AttrName), 0x08) // string
			info = append(append(info, e.name...), 0)
		}
		if e.size > 0 {
			abbrev = append(abbrev, byte(dwarf.AttrByteSize), 0x0b) // data1
			info = append(info, e.size)
		}
		if e.as > 0 {
			abbrev = append(abbrev, byte(dwarf.AttrEncoding), 0x0b)
			info = append(info, e.as)
		}
		if e.of != "" {
			abbrev = append(abbrev, byte(dwarf.AttrType), 0x13) // ref4
			at := len(info)
			refs = append(refs, func() { binary.LittleEndian.PutUint32(info[at:], uint32(places[e.of])) })
			info = append(info, 0, 0, 0, 0)
		}
		if e.at != nil {
			abbrev = append(abbrev, byte(dwarf.AttrDataMemberLoc), 0x0a, 0, 0) // block1
			info = append(append(info, byte(len(e.at))), e.at...)
		} else {
			abbrev = append(abbrev, 0, 0)
		}
		for _, kid := range e.kids {
			put(kid)
		}
		if kids > 0 {
			info = append(info, 0)
		}
	}
	put(entry{tag: dwarf.TagCompileUnit, kids: entries})
	for _, ref := range refs {
		ref()
	}
	binary.LittleEndian.PutUint32(info, uint32(len(info)-4))
	data, err := dwarf.New(append(abbrev, 0), nil, nil, info, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Program{name: "program", debug: func(read func(*dwarf.Data, elf.Machine) error) error { return read(data, elf.EM_X86_64) }}
}

// TestWrongTypes checks that types that contain themselves, or that refer to
// nothing, give an error.
func TestWrongTypes(t *testing.T) {
	member := func(of string) []entry { return []entry{{tag: dwarf.TagMember, name: "m", of: of}} }
	f := assemble(t, []entry{
		{tag: dwarf.TagBaseType, name: "int", size: 4, as: 5, label: "int"},
		{tag: dwarf.TagStructType, name: "inner", size: 4, label: "inner", kids: member("outer")},
		{tag: dwarf.TagStructType, name: "outer", size: 4, label: "outer", kids: member("inner")},
		{tag: dwarf.TagTypedef, name: "loop", of: "loop", label: "loop"},
		{tag: dwarf.TagTypedef, name: "nothing"},
		{tag: dwarf.TagTypedef, name: "lost", of: "nowhere"},
		{tag: dwarf.TagStructType, name: "untyped", size: 4, kids: member("")},
		{tag: dwarf.TagArrayType, label: "array"},
		{tag: dwarf.TagStructType, name: "arrays", size: 4, kids: member("array")},
		{tag: dwarf.TagConstType, label: "void"},
		{tag: dwarf.TagStructType, name: "voids", size: 4, kids: member("void")},
		{tag: dwarf.TagPointerType, size: 8, of: "loop", label: "pointer"},
		{tag: dwarf.TagStructType, name: "endless", size: 8, kids: member("pointer")},
		{tag: dwarf.TagStructType, name: "places", size: 9, kids: []entry{
			{tag: dwarf.TagMember, name: "none", of: "int", at: []byte{0x23}},
			{tag: dwarf.TagMember, name: "other", of: "int", at: []byte{0x10, 4}},
			{tag: dwarf.TagMember, name: "huge", of: "int", at: []byte{0x23, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}},
			{tag: dwarf.TagMember, name: "cut", of: "int", at: []byte{0x23, 0x80}},
			{tag: dwarf.TagMember, name: "four", of: "int", at: []byte{0x23, 4}},
		}},
	})
	const damaged = "its debug information is damaged"
	fails(t, f, map[string]string{
		"inner":   "struct `inner` of `program`: a type contains itself",
		"loop":    "`program` has no struct `loop`, or uses it nowhere",
		"nothing": "`program` has no struct `nothing`, or uses it nowhere",
		"lost":    "`program` has no struct `lost`, or uses it nowhere",
		"untyped": "struct `untyped` of `program`: " + damaged,
		"arrays":  "struct `arrays` of `program`: " + damaged,
	})
	wants(t, f, map[string]string{
		"voids":   "voids size 4 align 1 packed false\n0 m other void (its type is not a data type of C)\n",
		"endless": "endless size 8 align 8 packed false\n0 m *void\n",
		"places":  "places size 9 align 1 packed true\n0 none int/1:4\n0 other int/1:4\n0 huge int/1:4\n0 cut int/1:4\n4 four int/1:4\n",
	})
}
