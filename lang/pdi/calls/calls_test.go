package calls_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
)

// read scans sources in a fixed order.
func read(files source.Map) *calls.Program {
	s := calls.Sources{Paths: slices.Sorted(maps.Keys(files))}
	return s.Read(files)
}

// list formats calls as text, one per line.
func list(p *calls.Program) string {
	var b strings.Builder
	for i := range p.Calls {
		c := &p.Calls[i]
		if c.Implied {
			continue
		}
		name := c.Name
		if name == "" {
			name = "?"
		}
		fmt.Fprintf(&b, "%s %s", [...]string{"share", "take", "access", "event"}[c.Kind], name)
		switch c.Direction {
		case calls.In:
			b.WriteString(" in")
		case calls.Out:
			b.WriteString(" out")
		case calls.In | calls.Out:
			b.WriteString(" inout")
		}
		if c.Element != nil {
			fmt.Fprintf(&b, " [%s]", c.Element.Name)
		}
		fmt.Fprintf(&b, " %s", c.Span)
		if !c.Through.IsZero() {
			fmt.Fprintf(&b, " through %s", c.Through)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestCalls finds calls in each language, and skips text that only looks like a call.
func TestCalls(t *testing.T) {
	for _, c := range []struct {
		about string
		files source.Map
		want  string
	}{
		{"calls of C, with the types of variables in reach", source.Map{"a.c": `int main(void) {
	int n = 3; double *x, y[4]; double (*z)[8]; unsigned long m;
	PDI_expose("n", &n, PDI_OUT);
	PDI_share("x", x, PDI_INOUT);
	PDI_event("step");
	PDI_reclaim("x");
	PDI_multi_expose("both", "y", y, PDI_OUT, "z", z, PDI_IN, "m", (void *)&m, PDI_OUT, NULL);
	PDI_access("w", (void **)&p, PDI_IN);
	PDI_release("w");
}
`}, `share n out [int] a.c:3:14
share x inout [double] a.c:4:13
event step a.c:5:13
take x a.c:6:15
event both a.c:7:20
share y out [double] a.c:7:28
share z in [double] a.c:7:45
share m out [unsigned long] a.c:7:61
access w in a.c:8:14
take w a.c:9:15
`},
		{"comments, texts, characters, skipped code and declarations have no calls", source.Map{"a.c": `// PDI_event("a");
/* PDI_event("b"); */
const char *t = "PDI_event(\"c\");"; char q = '"';
#if 0
PDI_event("d");
#else
void f(void) { PDI_event("e"); }
#endif
PDI_status_t PDI_event(const char *event);
long l = 1'000'000; const char *r = R"x(PDI_event("f"))x";
void g(void) { if (1) return PDI_event("g"); }
`}, `event e a.c:7:27
event g a.c:11:41
`},
		{"macros and constants, also of other files", source.Map{"names.h": `#define STEP "step"
#define STEP2 STEP "_2"
constexpr char const *const DONE = "done";
static const std::string FIELD("field");
`, "a.cpp": `#include "names.h"
void f(int i) {
	const char *name = "local";
	char buffer[20];
	std::string both = "a_" + std::string{"b"};
	PDI_event(STEP); PDI_event(STEP2); PDI_event(ns::DONE); PDI_event(FIELD.c_str()); PDI_event(name);
	PDI_event((both + "_c").c_str());
	sprintf(buffer, "x%d", i); PDI_event(buffer);
	PDI_event(names[i]); PDI_event("x" "y");
}
void g(void) { const char *name = "first"; name = other(); PDI_event(name); }
`}, `event step a.cpp:6:12
event step_2 a.cpp:6:29
event done a.cpp:6:47
event field a.cpp:6:68
event local a.cpp:6:94
event a_b_c a.cpp:7:12
event ? a.cpp:8:39
event ? a.cpp:9:12
event xy a.cpp:9:34
event ? a.cpp:11:70
`},
		{"functions that hand a name on", source.Map{"a.cpp": `template <class T> void save(std::string const &name, T const &v) { PDI_expose((name + "_v").c_str(), &v, PDI_OUT); }
static void twice(const char *what, int n) { save(what, n); save<double>("fixed", n); }
void f() { twice("p", 1); twice(unknown(), 2); }
`, "b.cpp": `void never(const char *event) { PDI_event(event); }
`}, `share fixed_v out a.cpp:2:75 through a.cpp:1:80
share p_v out a.cpp:3:19 through a.cpp:1:80
share ? out a.cpp:3:33 through a.cpp:1:80
event ? b.cpp:1:43
`},
		{"DDC's events with their data", source.Map{"a.cpp": `void f() {
	ddc::PdiEvent("iteration").with("iter", i).and_with("density", rho);
	ddc::PdiEvent e("later");
	e.with<PDI_OUT>("x", x);
	ddc::expose_to_pdi("nx", nx);
}
explicit PdiEvent(std::string const &name);
`}, `event iteration a.cpp:2:17
share iter a.cpp:2:35
share density a.cpp:2:55
event later a.cpp:3:19
share x out a.cpp:4:19
event nx a.cpp:5:22
share nx a.cpp:5:22
`},
		{"transactions share until their end, where the event is", source.Map{"a.c": `void f(void) {
	PDI_transaction_begin("save");
	PDI_expose("n", &n, PDI_OUT);
	PDI_expose("x", x, PDI_OUT);
	PDI_transaction_end();
}
`}, `event save a.c:2:25
share n out a.c:3:14
share x out a.c:4:14
`},
		{"Fortran in free form: any case, continued lines, parameters", source.Map{"a.f90": `program a
  use pdi
  character(len=*), parameter :: STEP = 'st''ep', DONE = "done"
  integer :: n, m(3)
  real(8), dimension(:), allocatable :: x ! call PDI_event("no")
  double precision y
  integer(kind=mine) :: k
  call PDI_expose("n", n, PDI_OUT)
  CALL pdi_share('x', x, &
       & IOR(PDI_IN, PDI_OUT))
  if (n > 3) call PDI_event(step)
  call PDI_event(trim(DONE)//c_null_char)
  call PDI_expose("y", y, PDI_IN); call PDI_expose("k", k, PDI_OUT)
  call PDI_event(name(n))
end program
`}, `share n out [integer] a.f90:8:20
share x inout [real(8)] a.f90:9:19
event st'ep a.f90:11:29
event done a.f90:12:18
share y in [double precision] a.f90:13:20
share k out a.f90:13:53
event ? a.f90:14:18
`},
		{"Fortran in columns", source.Map{"a.f": `C     call PDI_event('no')
      real*8 x
      call PDI_expose('x',
     &  x, PDI_OUT)
* a comment
      call PDI_event('e')
`}, `share x out [real*8] a.f:3:24
event e a.f:6:23
`},
		{"Python: modules by other names, functions, texts of all kinds", source.Map{"a.py": `"""pdi.event('no')"""
import pdi as p, os
NAME = 'named'
def send(name, value):
    p.expose(name, value, p.OUT)  # p.event('no')
for i in range(3):
    send("x", 1)
    p.share(NAME, x, p.INOUT)
    p.event(f"step{i}")
    p.multi_expose('both', [('a', a, p.IN), ("b", b, p.OUT)])
p.reclaim(NAME)
other.event("no")
`, "b.py": `from pdi import event as fire, OUT
fire(r'raw')
`}, `share x out a.py:7:11 through a.py:5:14
share named inout a.py:8:13
event ? a.py:9:15
event both a.py:10:21
share a in a.py:10:31
share b out a.py:10:47
take named a.py:11:11
event raw b.py:2:8
`},
	} {
		if d := cmp.Diff(c.want, list(read(c.files))); d != "" {
			t.Errorf("%s: (-want +got)\n%s", c.about, d)
		}
	}
}

// TestMay: a program may call the names that its texts can form, and any name if a macro calls PDI.
func TestMay(t *testing.T) {
	for _, c := range []struct {
		code, name string
		want       bool
	}{
		{`void f() { PDI_event("a"); }`, "b", false},
		{`void f() { PDI_event(x); }`, "b", false},
		{`const char *names[] = {"a", "b"}; void f(int i) { PDI_event(names[i]); }`, "b", true},
		{`void f(std::string s) { PDI_event(("read_" + s).c_str()); }`, "read_x", true},
		{`void f(std::string s) { PDI_event(("read_" + s).c_str()); }`, "write_x", false},
		{`void f(std::string s) { g(s + "_end"); PDI_event(h(s)); }`, "the_end", true},
		{`void f(int i) { snprintf(b, 9, "step_%d", i); PDI_event(b); }`, "step_3", true},
		{`void f(int i) { snprintf(b, 9, "step_%d", i); PDI_event(b); }`, "other", false},
		{"#define FIRE(x) PDI_event(#x)\nvoid f() { FIRE(a); PDI_event(\"b\"); }", "c", true},
	} {
		p := read(source.Map{"a.cpp": c.code})
		if got := p.May(c.name, calls.Event); got != c.want {
			t.Errorf("%s\nmay trigger %s: %t, want %t", c.code, c.name, got, c.want)
		}
	}
}

// TestOf: a tree's sources are the sources that name it and the files they are built with. Sources of another tree's program do not belong to it;
// sources of no program belong to every tree.
func TestOf(t *testing.T) {
	files := source.Map{
		"one/main.cpp":   "#include \"solver.hpp\"\nint main() { PC_parse_path(\"tree.yml\"); PDI_event(\"one\"); }",
		"two/main.cpp":   "#include \"tree.yml.hpp\"\n#include <other.hpp>\nint main() { PDI_event(\"two\"); }",
		"solver.hpp":     "void solve();",
		"solver.cpp":     "void solve() { PDI_event(\"solver\"); }",
		"other.hpp":      "void other();",
		"other.cpp":      "void other() { PDI_event(\"other\"); }",
		"spare.cpp":      "void spare() { PDI_event(\"spare\"); }",
		"f/main.f90":     "program p\n use fields\n call PC_parse_path('f.yml', t)\nend program",
		"f/whatever.f90": "module fields\ncontains\nsubroutine s\n call PDI_event('fields')\nend subroutine\nend module",
	}
	p := read(files)
	trees := map[string]bool{"one/tree.yml": true, "two/tree.yml.hpp": true, "f/f.yml": true}
	for tree, want := range map[string]string{
		"one/tree.yml":     "one solver spare",
		"two/tree.yml.hpp": "other spare two",
		"f/f.yml":          "fields spare",
		"three.yml":        "spare", // the others have their own trees
	} {
		own, named := p.Of(tree, func(path string) bool { return trees[path] })
		if got := strings.Join(own.Names(calls.Event), " "); got != want || named != trees[tree] {
			t.Errorf("of %s: %s, named: %t; want %s", tree, got, named, want)
		}
	}
}

// TestOfUnnamed: if no source names an existing tree, every source may belong to it.
func TestOfUnnamed(t *testing.T) {
	p := read(source.Map{"a.c": "int main() { PC_parse_path(argc > 1 ? argv[1] : \"default.yml\"); PDI_event(\"a\"); }", "b.c": "void f() { PDI_event(\"b\"); }"})
	own, named := p.Of("tree.yml", func(string) bool { return false })
	if got := strings.Join(own.Names(calls.Event), " "); got != "a b" || named {
		t.Errorf("%s, named: %t; want a b, named by no source", got, named)
	}
}

// TestRescan checks that an unchanged source file is not scanned again, and that a changed one is.
func TestRescan(t *testing.T) {
	files := source.Map{"a.c": "void f() { PDI_event(\"a\"); }", "b.c": "void g() { PDI_event(\"b\"); }"}
	s := calls.Sources{Paths: []string{"a.c", "b.c"}}
	first := s.Read(files)
	if again := s.Read(files); again != first {
		t.Error("sources that are the same were resolved again")
	}
	files["b.c"] = "void g() { PDI_event(\"c\"); }"
	if got := strings.Join(s.Read(files).Names(calls.Event), " "); got != "a c" {
		t.Errorf("after a change: %s", got)
	}
	delete(files, "b.c")
	if p := s.Read(files); !p.May("anything", calls.Event) {
		t.Error("a source that cannot be read may call anything")
	}
}

// Fuzz checks that no source is rejected, and that every span lies in its text.
func Fuzz(f *testing.F) {
	for _, text := range []string{
		"#define A \"x\"\nvoid f(char *n) { PDI_share(n, &x, PDI_OUT); }\nvoid g() { f(A); }", "R\"x(", "PDI_multi_expose(\"a\", \"b\", c, PDI_OUT, NULL)",
		"subroutine s(n)\n call pdi_event(n//'x')\n end", "def f(n):\n  pdi.event(f'{n}')\nf('x')", "std::vector<double> x; PdiEvent(\"a\").with(\"x\", x.data())",
		"#if 0\n\"", "/*", "'", "{{{((([[[", "double (*a)[3], *b = {", "if (x) then\nend if\nend", "real(8) ::",
		"import pdi\npdi.multi_expose('e', , 1)", "import pdi\npdi.multi_expose('e', [, (,,)])", "void f() { PDI_multi_expose(,,,,); PdiEvent().with(,); expose_to_pdi(,); }",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.cpp", "a.f90", "a.f", "a.py"} {
			p := read(source.Map{name: text})
			for i := range p.Calls {
				if c := &p.Calls[i]; c.Span.Start < 0 || c.Span.End > len(text) || c.Span.Start > c.Span.End {
					t.Fatalf("%s: a call stands at %d to %d, want c.Span.Start at least 0, c.Span.End at most %v and c.Span.Start at most %v", name, c.Span.Start, c.Span.End, len(text), c.Span.End)
				}
			}
			p.May("x", calls.Event)
			p.Of("x.yml", func(string) bool { return false })
		}
	})
}

// BenchmarkScan reads a source with a call on every fourth line.
func BenchmarkScan(b *testing.B) {
	text := strings.Repeat("void f(int n) {\n\tdouble x[8] = {0}; // of the field\n\tPDI_expose(\"x\", x, PDI_OUT);\n}\n", 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		calls.Scan(source.NewFile("a.c", text))
	}
}
