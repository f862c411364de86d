package convert_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/convert"
)

// pair is an entry of a mapping.
type pair struct {
	key   string
	value any
}

// node builds trees from Go values: []any is a sequence, []pair a mapping, anything else a scalar.
func node(v any) *data.Node {
	switch v := v.(type) {
	case *data.Node:
		return v
	case []any:
		n := &data.Node{Kind: data.SequenceNode}
		for _, item := range v {
			n.Items = append(n.Items, node(item))
		}
		return n
	case []pair:
		n := &data.Node{Kind: data.MappingNode}
		for _, p := range v {
			n.Pairs = append(n.Pairs, data.Pair{Key: data.Text(p.key), Value: node(p.value)})
		}
		return n
	}
	return data.Text(fmt.Sprint(v))
}

func evaluate(t *testing.T, n *data.Node, m *data.Machine, types map[string]*data.Node) data.Type {
	t.Helper()
	env := &data.Env{Machine: m}
	for name, n := range types {
		if err := env.Define(name, n); err != nil {
			t.Fatal(err)
		}
	}
	template, err := data.ParseType(n, env)
	if err != nil {
		t.Fatal(err)
	}
	typ, err := template.Evaluate()
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// particle is a struct with a member of every kind, including a pointer to itself.
func particle(t *testing.T, m *data.Machine) data.Type {
	types := map[string]*data.Node{
		"particle": node([]pair{{"type", "struct"}, {"members", []any{
			[]pair{{"id", "int32"}},
			[]pair{{"pos", []pair{{"type", "array"}, {"subtype", "double"}, {"size", 3}}}},
			[]pair{{"next", []pair{{"type", "pointer"}, {"subtype", "particle"}}}},
			[]pair{{"name", []pair{{"type", "array"}, {"subtype", "char"}, {"size", 5}}}},
			[]pair{{"halo", []pair{{"type", "array"}, {"subtype", "float"}, {"size", []any{4, 6}}, {"subsize", []any{2, 6}}, {"start", []any{1, 0}}}}},
			[]pair{{"head", []pair{{"type", "record"}, {"buffersize", 16}, {"members", []pair{
				{"tag", []pair{{"disp", 1}, {"type", "int16"}}}, {"int", []pair{{"disp", 8}, {"type", "uint32"}}}}}}}},
		}}}),
	}
	return evaluate(t, data.Text("particle"), m, types)
}

func TestC(t *testing.T) {
	got, err := convert.C("particle", particle(t, data.X86_64()), data.X86_64())
	if err != nil {
		t.Fatal(err)
	}
	want := `#include <stddef.h>
#include <stdint.h>

struct __attribute__((packed)) head_t {
  uint8_t pad0_[1];
  int16_t tag;
  uint8_t pad1_[5];
  uint32_t int_;
  uint8_t pad2_[4];
};
_Static_assert(offsetof(struct head_t, tag) == 1, "offset");
_Static_assert(offsetof(struct head_t, int_) == 8, "offset");
_Static_assert(sizeof(struct head_t) == 16, "size");

struct particle {
  int32_t id;
  double pos[3];
  struct particle *next;
  char name[5];
  float halo[4][6]; /* in use: [1..3)[] */
  struct head_t head;
};
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestGo(t *testing.T) {
	got, err := convert.Go("particle", particle(t, data.X86_64()), data.X86_64())
	if err != nil {
		t.Fatal(err)
	}
	want := "// HeadType has 16 bytes.\n" +
		"type HeadType struct {\n" +
		"\t_   [1]byte\n" +
		"\tTag [2]byte `pdi:\"tag\"`\n" +
		"\t_   [5]byte\n" +
		"\tInt uint32 `pdi:\"int\"`\n" +
		"\t_   [4]byte\n" +
		"}\n\n" +
		"// Particle has 160 bytes.\n" +
		"type Particle struct {\n" +
		"\tId   int32         `pdi:\"id\"`\n" +
		"\tPos  [3]float64    `pdi:\"pos\"`\n" +
		"\tNext *Particle     `pdi:\"next\"`\n" +
		"\tName [5]uint8      `pdi:\"name\"`\n" +
		"\tHalo [4][6]float32 `pdi:\"halo\"`\n" +
		"\tHead HeadType      `pdi:\"head\"`\n" +
		"}\n"
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestGoOverlap checks that a member that overlaps another one is not a Go field, and that a
// comment names it.
func TestGoOverlap(t *testing.T) {
	template, err := data.ParseType(node([]pair{{"type", "record"}, {"buffersize", 8}, {"members", []pair{
		{"all", []pair{{"disp", 0}, {"type", "int32"}}}, {"high", []pair{{"disp", 2}, {"type", "int16"}}}, {"next", []pair{{"disp", 4}, {"type", "int32"}}}}}}),
		&data.Env{Machine: data.X86_64(), Dialect: data.Upstream}) // the documented dialect refuses it
	if err != nil {
		t.Fatal(err)
	}
	typ, err := template.Evaluate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := convert.Go("word", typ, data.X86_64())
	want := "// Word has 8 bytes.\n" +
		"type Word struct {\n" +
		"\tAll int32 `pdi:\"all\"`\n" +
		"\t// High overlaps the field before it, at byte 2\n" +
		"\tNext int32 `pdi:\"next\"`\n" +
		"}\n"
	if err != nil || strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
}

func TestNumpy(t *testing.T) {
	got, err := convert.Numpy("particle", particle(t, data.BigEndian()), data.BigEndian())
	if err != nil {
		t.Fatal(err)
	}
	want := `import numpy as np

particle = np.dtype({
    'names': ["id", "pos", "next", "name", "halo", "head"],
    'formats': ['>i4', ('>f8', (3,)), '>u8', ('|u1', (5,)), ('>f4', (4, 6,)), {
        'names': ["tag", "int"],
        'formats': ['>i2', '>u4'],
        'offsets': [1, 8],
        'itemsize': 16,
    }],
    'offsets': [0, 8, 32, 40, 48, 144],
    'itemsize': 160,
})
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// random makes a type with structs, records with holes and odd offsets, tuples, arrays (also
// empty ones), and numbers of every size. Members are named after their path, because many of
// these types go into one C file.
func random(r *rand.Rand, prefix string, depth int) any {
	k := r.IntN(12)
	if depth == 0 {
		k = 11
	}
	if depth > 3 {
		k = 0
	}
	scalars := []any{"char", "int16", "int", "int64", "double", "float", "long", "byte", "size_t", []pair{{"type", "real"}, {"kind", 16}}, []pair{{"type", "logical"}}}
	switch k {
	case 8:
		return []pair{{"type", "array"}, {"subtype", random(r, prefix, depth+1)}, {"size", []any{1 + r.IntN(3), r.IntN(4)}}}
	case 9:
		return []pair{{"type", "pointer"}, {"subtype", "double"}}
	case 10, 11:
		return randomMembers(r, prefix, depth)
	}
	return scalars[r.IntN(len(scalars))]
}

func randomMembers(r *rand.Rand, prefix string, depth int) any {
	var list []any
	for i := range 1 + r.IntN(5) {
		name := fmt.Sprintf("%s_%c", prefix, 'a'+i)
		list = append(list, []pair{{name, random(r, name, depth+1)}})
	}
	if r.IntN(2) == 0 {
		return []pair{{"type", "struct"}, {"members", list}}
	}
	var members []pair
	at := 0
	for _, item := range list {
		m := item.([]pair)[0]
		at += r.IntN(4) * (1 + r.IntN(8))
		value := m.value
		size := 1 << (24 - 5*depth) // larger than any member
		if word, ok := value.(string); ok {
			value, size = []pair{{"type", word}}, 8
		}
		members = append(members, pair{m.key, append([]pair{{"disp", at}}, value.([]pair)...)})
		at += size
	}
	return []pair{{"type", "record"}, {"buffersize", at + r.IntN(20)}, {"members", members}}
}

// TestCompiles checks the assertions of random types with C compilers.
func TestCompiles(t *testing.T) {
	need.Slow(t)
	for _, c := range []struct {
		command []string
		machine *data.Machine
	}{
		{[]string{"gcc"}, data.X86_64()},
		{[]string{"gcc", "-m32"}, data.I386()},
	} {
		t.Run(strings.Join(c.command, " "), func(t *testing.T) {
			need.Compiler(t, c.command[0], c.command[1:]...)
			r := rand.New(rand.NewPCG(3, 4))
			var source bytes.Buffer
			for i := range 300 {
				name := fmt.Sprintf("t%d", i)
				text, err := convert.C(name, evaluate(t, node(random(r, name, 0)), c.machine, nil), c.machine)
				if err != nil {
					t.Fatal(err)
				}
				source.WriteString(text)
			}
			alone := append(everyScalar(c.machine), evaluate(t, node([]pair{{"type", "array"}, {"subtype", []pair{{"type", "real"}, {"kind", 16}}}, {"size", 3}}), c.machine, nil))
			alone = append(alone, withoutBytes(t, c.machine)...)
			for i, typ := range alone {
				text, err := convert.C(fmt.Sprintf("alone%d", i), typ, c.machine)
				if err != nil {
					t.Fatal(err)
				}
				source.WriteString(text)
			}
			file := filepath.Join(t.TempDir(), "types.c")
			if err := os.WriteFile(file, source.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			args := append(c.command[1:], "-std=gnu11", "-fsyntax-only", file)
			if out, err := exec.Command(c.command[0], args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%.3000s", err, out)
			}
		})
	}
}

// withoutBytes returns types without any bytes.
func withoutBytes(t *testing.T, m *data.Machine) []data.Type {
	record := []pair{{"type", "record"}, {"buffersize", 0}, {"members", []pair{}}}
	var all []data.Type
	for _, n := range []any{
		record,
		[]pair{{"type", "array"}, {"subtype", record}, {"size", 3}},
		[]pair{{"type", "array"}, {"subtype", "int"}, {"size", 0}},
		[]pair{{"type", "array"}, {"subtype", "int"}, {"size", []any{2, 0, 3}}},
	} {
		all = append(all, evaluate(t, node(n), m, nil))
	}
	return all
}

// TestFortranWithoutBytes checks that a comment replaces a type without bytes, which Fortran lacks.
func TestFortranWithoutBytes(t *testing.T) {
	for _, typ := range withoutBytes(t, data.X86_64()) {
		if got, err := convert.Fortran("Nothing", typ, data.X86_64()); err != nil || got != "  ! nothing has no bytes\n\n" {
			t.Errorf("%s: %q, %v", typ, got, err)
		}
	}
}

// everyScalar returns every type that needs no declaration, and the types of the mpi plugin.
func everyScalar(m *data.Machine) []data.Type {
	all := []data.Type{data.ScalarOf(m, "MPI_Comm", data.Opaque, 8), data.ScalarOf(m, "MPI_Comm_f", data.Signed, 4)}
	for _, name := range data.TypeNames() {
		kinds := []any{""}
		if slices.Contains([]string{"integer", "real", "logical", "character"}, name) {
			kinds = append(kinds, 1, 2, 4, 8, 16, 32)
		}
		for _, kind := range kinds {
			template, err := data.ParseType(node([]pair{{"type", name}, {"kind", kind}}), &data.Env{Machine: m})
			if err != nil {
				continue // a type that needs more keys
			}
			if t, err := template.Evaluate(); err == nil {
				if _, ok := t.(*data.Scalar); ok {
					all = append(all, t)
				}
			}
		}
	}
	return all
}

// TestFortran lays out every scalar type and random records with gfortran and compares sizes
// and offsets.
func TestFortran(t *testing.T) {
	need.Slow(t)
	gfortran := need.Program(t, "gfortran", "--version")
	machine := data.X86_64()
	all := everyScalar(machine)
	if len(all) < 60 {
		t.Fatalf("%d scalar types, want at least 60", len(all))
	}
	r := rand.New(rand.NewPCG(7, 8))
	more := 40
	if need.Full() {
		more = 150
	}
	for i := range more {
		all = append(all, evaluate(t, node(random(r, fmt.Sprintf("R%d", i), 0)), machine, nil))
	}
	all = append(all, particle(t, machine))
	var module, checks, want strings.Builder
	for i, typ := range all {
		name := fmt.Sprintf("T%d", i)
		text, err := convert.Fortran(name, typ, machine)
		if err != nil {
			t.Fatal(err)
		}
		module.WriteString(text)
		fmt.Fprintf(&checks, "  block\n    type(t%d), pointer :: x\n    call c_f_pointer(transfer(4096_c_intptr_t, c_null_ptr), x)\n    print *, '%s', storage_size(x) / 8\n", i, name)
		fmt.Fprintf(&want, "%s %d\n", name, typ.Size())
		if record, ok := typ.(*data.Record); ok {
			for _, m := range record.Members {
				if m.Type.Size() == 0 {
					continue // it is not declared
				}
				fmt.Fprintf(&checks, "    print *, '%s', loc(x%%%s) - loc(x)\n", m.Name, convert.NameInFortran(m.Name))
				fmt.Fprintf(&want, "%s %d\n", m.Name, m.Offset)
			}
		}
		checks.WriteString("  end block\n")
	}
	dir := t.TempDir()
	text := "module types\n  use, intrinsic :: iso_c_binding\n  implicit none\n\n" + module.String() +
		"end module types\nprogram sizes\n  use types\n  implicit none\n" + checks.String() + "end program\n"
	if err := os.WriteFile(filepath.Join(dir, "types.f90"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(gfortran, "-w", "-fno-range-check", "types.f90", "-o", "sizes")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.3000s", err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "sizes")).Output()
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Fields(string(out)), strings.Fields(want.String())
	for i := range min(len(got), len(wanted)) {
		if got[i] != wanted[i] {
			t.Fatalf("after %v got %s, want %s in\n%s", got[max(0, i-5):i], got[i], wanted[i], module.String())
		}
	}
	if len(got) != len(wanted) {
		t.Errorf("%d figures, want %d", len(got), len(wanted))
	}
}

// TestGoOffsets compares the layout of the Go declaration, computed by Go's rules, with the
// layout of the type.
func TestGoOffsets(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	machine := data.X86_64()
	var source bytes.Buffer
	source.WriteString("package p\n")
	want := map[string]data.Type{}
	for i := range 300 {
		name := fmt.Sprintf("T%dq", i)
		typ := evaluate(t, node(random(r, name, 0)), machine, nil)
		text, err := convert.Go(name, typ, machine)
		if err != nil {
			t.Fatal(err)
		}
		source.WriteString(text)
		want[name] = typ
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", source.Bytes(), 0)
	if err != nil {
		t.Fatal(err)
	}
	sizes := types.SizesFor("gc", "amd64")
	config := types.Config{Sizes: sizes, Importer: importer.Default()}
	pkg, err := config.Check("p", set, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, typ := range want {
		s := pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		if got := sizes.Sizeof(s); got != typ.Size() {
			t.Errorf("%s has %d bytes in Go, should have %d", name, got, typ.Size())
		}
		var fields []*types.Var
		for f := range s.Fields() {
			fields = append(fields, f)
		}
		offsets := sizes.Offsetsof(fields)
		for i, f := range fields {
			tag := strings.TrimSuffix(strings.TrimPrefix(s.Tag(i), `pdi:"`), `"`)
			if f.Name() == "_" {
				continue
			}
			members := typ.(*data.Record).Members
			if k := slices.IndexFunc(members, func(m data.Member) bool { return m.Name == tag }); k < 0 || members[k].Offset != offsets[i] {
				t.Errorf("%s.%s (%s) is at %d in Go, want k at least 0 and members[k].Offset = %v", name, f.Name(), tag, offsets[i], offsets[i])
			}
		}
	}
}

// TestNames checks that any name becomes an identifier, and that names that begin with
// different digits stay different.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{"2d": "_2d x_2d", "3d": "_3d x_3d", "x2": "x2 x2", "a b": "a_b a_b", "é": "_ x_", "": "_ x_"} {
		if got := convert.NameInC(name) + " " + convert.NameInFortran(name); got != want {
			t.Errorf("%q becomes %s, want %s", name, got, want)
		}
	}
}
