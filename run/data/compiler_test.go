package data_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data"
)

// compilers compile the same header-free C file to assembly for each machine. The layout
// rules are compared with their results.
var compilers = []struct {
	name    string
	command []string
	machine *data.Machine
}{
	{"gcc", []string{"gcc"}, data.X86_64()},
	{"gcc-m32", []string{"gcc", "-m32"}, data.I386()},
	{"clang-windows", []string{"clang", "--target=x86_64-pc-windows-msvc"}, data.LLP64()},
	{"clang-arm32", []string{"clang", "--target=armv7-linux-gnueabihf"}, data.ILP32()},
	{"clang-s390x", []string{"clang", "--target=s390x-linux-gnu"}, data.BigEndian()},
}

// TestCompilers compares the layouts of 1,000 random structs (10,000 at full size), with
// nested structs and arrays, to the layouts of compilers.
func TestCompilers(t *testing.T) {
	structs, perFile := 1_000, 1_000
	if need.FullSize() {
		structs, perFile = 10_000, 2_500
	}
	for _, c := range compilers {
		t.Run(c.name, func(t *testing.T) {
			need.Assembler(t, c.command[0], c.command[1:]...)
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			for done := 0; done < structs; done += perFile {
				compareStructs(t, c.command, c.machine, r, perFile)
			}
		})
	}
}

func compareStructs(t *testing.T, command []string, m *data.Machine, r *rand.Rand, count int) {
	g := structs{r: r}
	var source bytes.Buffer
	var want []int64
	source.WriteString(cTypes)
	for i := range count {
		node := g.structure(0)
		template, err := data.ParseType(node, &data.Env{Machine: m})
		if err != nil {
			t.Fatal(err)
		}
		typ, err := template.Evaluate()
		if err != nil {
			t.Fatal(err)
		}
		record := typ.(*data.Record)
		fmt.Fprintf(&source, "typedef %s s%d;\nconst int v%d[] = { 271828, sizeof(s%d), __alignof__(s%d)", g.c(node), i, i, i, i)
		want = append(want, 271828, record.Size(), record.Align())
		for _, member := range record.Members {
			fmt.Fprintf(&source, ", __builtin_offsetof(s%d, %s)", i, member.Name)
			want = append(want, member.Offset)
		}
		source.WriteString(" };\n")
	}
	got := constants(t, command, source.Bytes())
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("constant %d of %d: the compiler says %v, the layout %d", i, len(want), got[min(i, len(got)):min(i+1, len(got))], want[i])
		}
	}
}

var constantLine = regexp.MustCompile(`^\s*\.(long|int|4byte|zero|space|skip)\s+(\d+)`)

// constants reads the numbers of the arrays v0, v1, … from the assembly.
func constants(t *testing.T, command []string, source []byte) []int64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "layout.c")
	if err := os.WriteFile(file, source, 0o644); err != nil {
		t.Fatal(err)
	}
	args := append(command[1:len(command):len(command)], "-S", "-O0", "-w", "-o", "-", file)
	out, err := exec.Command(command[0], args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%.2000s", strings.Join(command, " "), err, out)
	}
	var list []int64
	inside := false
	for line := range strings.Lines(string(out)) {
		if m := constantLine.FindStringSubmatch(line); m != nil {
			n, _ := strconv.ParseInt(m[2], 10, 64)
			switch m[1] {
			case "zero", "space", "skip":
				if inside {
					list = append(list, make([]int64, n/4)...)
				}
			default:
				inside = inside || n == 271828
				if inside {
					list = append(list, n)
				}
			}
		}
	}
	return list
}

// cTypes defines the type names of PDI that C lacks.
const cTypes = `
typedef signed char int8; typedef short int16; typedef int int32; typedef long long int64;
typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t; typedef __INTPTR_TYPE__ intptr;
`

// structs makes random struct declarations, as PDI nodes and as C.
type structs struct {
	r *rand.Rand
}

var scalarsOfC = []string{
	"char", "int8", "int16", "int32", "int64", "short", "int", "long", "long long",
	"unsigned short", "unsigned long", "unsigned long long", "float", "double", "size_t", "ptrdiff_t", "intptr",
}

func (g *structs) structure(depth int) *data.Node {
	members := data.List()
	for i := range 1 + g.r.IntN(6) {
		members.Items = append(members.Items, data.Map("m"+strconv.Itoa(i), g.member(depth)))
	}
	return data.Map("type", "struct", "members", members)
}

func (g *structs) member(depth int) *data.Node {
	switch k := g.r.IntN(10); {
	case k == 0 && depth < 3:
		return g.structure(depth + 1)
	case k == 1 && depth < 3:
		size := data.List()
		for range 1 + g.r.IntN(3) {
			size.Items = append(size.Items, data.Text(strconv.Itoa(1+g.r.IntN(5))))
		}
		return data.Map("type", "array", "subtype", g.member(depth+1), "size", size)
	case k == 2:
		return data.Map("type", "pointer", "subtype", "double")
	}
	return data.Text(scalarsOfC[g.r.IntN(len(scalarsOfC))])
}

// c writes a result of structure or member as a C type.
func (g *structs) c(n *data.Node) string { return strings.TrimSpace(g.declare(n, "")) }

func (g *structs) declare(n *data.Node, name string) string {
	if n.Kind == data.ScalarNode {
		return n.Text + " " + name
	}
	switch n.Lookup("type").Text {
	case "pointer":
		return "double *" + name
	case "array":
		dims := ""
		for _, d := range n.Lookup("size").Items {
			dims += "[" + d.Text + "]"
		}
		return g.declare(n.Lookup("subtype"), name+dims)
	}
	var b strings.Builder
	b.WriteString("struct { ")
	for _, m := range n.Lookup("members").Items {
		b.WriteString(g.declare(m.Pairs[0].Value, m.Pairs[0].Key.Text) + "; ")
	}
	return b.String() + "} " + name
}
