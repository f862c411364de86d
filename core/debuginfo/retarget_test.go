package debuginfo

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/internal/need"
)

const oldProgram = `#include <stdio.h>

int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += i;
	printf("work %d\n", sum); // report
	return sum;
}

static int other(int n)
{
	return n + 1;
}

int gone(void)
{
	return 3;
}

int main(void)
{
	int a = work(4);
	int b = other(a); // other
	printf("%d %d\n", a, b); // last
	return gone();
}
`

// rebuild edits the program: it moves a function to the end, adds a line to it,
// removes a function and changes a line.
func rebuild() string {
	start, end := strings.Index(oldProgram, "int work"), strings.Index(oldProgram, "static int other")
	work := oldProgram[start:end]
	work = strings.Replace(work, "\tint sum = 0;\n", "\tint sum = 0;\n\tif (n > 1000)\n\t\treturn -n;\n", 1)
	text := oldProgram[:start] + "int work(int n);\n" + oldProgram[end:] + "\n" + work
	text = strings.Replace(text, "int gone(void)\n{\n\treturn 3;\n}\n\n", "#define gone() 3\n", 1)
	return text
}

// lineOf returns the number of the line with a text.
func lineOf(t *testing.T, source, text string) int {
	t.Helper()
	at := strings.Index(source, text)
	if at < 0 {
		t.Fatalf("no %q", text)
	}
	return strings.Count(source[:at], "\n") + 1
}

func TestRetarget(t *testing.T) {
	need.Slow(t)
	for _, opt := range []string{"-O0", "-Og"} {
		t.Run(opt, func(t *testing.T) {
			newProgram := rebuild()
			old := open(t, compile(t, t.TempDir(), oldProgram, "-g", opt, "-fno-inline"), Options{})
			rebuilt := open(t, compile(t, t.TempDir(), newProgram, "-g", opt, "-fno-inline"), Options{})
			texts := []string{"sum += i;", "// report", "return n + 1;", "// other", "// last"}
			if opt == "-O0" {
				texts = append(texts, "return sum;") // the line needs no code if the value is already in the return register
			}
			for _, text := range texts {
				addrs, err := old.Line("main.c", lineOf(t, oldProgram, text))
				if err != nil {
					t.Fatal(err)
				}
				for _, addr := range addrs {
					got, reason, ok := Retarget(old, rebuilt, addr)
					if !ok {
						t.Errorf("%s: 0x%x: %s; want ok", text, addr, reason)
						continue
					}
					before, _ := old.Lookup(addr)
					frame, _ := rebuilt.Lookup(got)
					if want := lineOf(t, newProgram, text); frame.Line != want || frame.Function != before.Function {
						t.Errorf("%s: 0x%x became %+v, want line %d: %s", text, addr, frame, want, reason)
					}
				}
			}
			checkReturns(t, old, rebuilt, "work")
			ranges, _ := old.Function("gone")
			if _, reason, ok := Retarget(old, rebuilt, ranges[0].Low); ok || reason != "function `gone` of `program` does not exist in `program`" {
				t.Errorf("with a function that is gone: found %v, %s; want it not found since `gone` does not exist", ok, reason)
			}
			if _, reason, ok := Retarget(old, rebuilt, 7); ok || reason != "`0x7` lies in no function of `program`" {
				t.Errorf("with an address outside: found %v, %s; want it not found since 0x7 lies in no function", ok, reason)
			}
		})
	}
}

// checkReturns retargets the return addresses of calls, which are what a tracer
// sees, and checks that there is a call before each result.
func checkReturns(t *testing.T, old, rebuilt *File, name string) {
	t.Helper()
	ranges, _ := old.Function(name)
	p, err := old.place(ranges[0].Low)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for addr := p.part().Low; addr < p.part().High; addr++ {
		c, ok := old.call(p, addr)
		if !ok {
			continue
		}
		count++
		next := c.next
		got, reason, ok := Retarget(old, rebuilt, next)
		if !ok {
			t.Errorf("return to 0x%x: %s; want ok", next, reason)
			continue
		}
		q, err := rebuilt.place(got)
		if err != nil {
			t.Fatal(err)
		}
		if after, ok := rebuilt.call(q, got-(next-addr)); !ok || after.next != got {
			t.Errorf("no call before 0x%x: %s", got, reason)
		}
	}
	if count == 0 {
		t.Errorf("`%s` calls nothing", name)
	}
}

// TestRetargetStripped checks that code that only moved is still found if one or
// both builds have no line table.
func TestRetargetStripped(t *testing.T) {
	need.Slow(t)
	lines := open(t, compile(t, t.TempDir(), oldProgram, "-O0", "-g"), Options{})
	old := open(t, compile(t, t.TempDir(), oldProgram, "-O0"), Options{})
	rebuilt := open(t, compile(t, t.TempDir(), rebuild(), "-O0"), Options{})
	from, _ := old.Function("other")
	to, _ := rebuilt.Function("other")
	if got, reason, ok := Retarget(old, rebuilt, from[0].Low+4); !ok || got != to[0].Low+4 || reason != "offset 0x4 in `other`, whose code kept its layout" {
		t.Errorf("0x%x: %s; want 0x%x, since the code kept its layout", got, reason, to[0].Low+4)
	}
	for _, pair := range [][2]*File{{lines, rebuilt}, {rebuilt, lines}} {
		from, _ := pair[0].Function("other")
		to, _ := pair[1].Function("other")
		if got, reason, ok := Retarget(pair[0], pair[1], from[0].Low+4); !ok || got != to[0].Low+4 {
			t.Errorf("0x%x: %s; want 0x%x", got, reason, to[0].Low+4)
		}
	}
	work, _ := old.Function("work")
	if _, reason, ok := Retarget(old, rebuilt, work[0].Low+4); ok || reason != "the code of `work` has changed, and `program` has no lines to follow: compile with -g" {
		t.Errorf("with changed code: found %v, %s; want it not found, and the advice to compile with -g", ok, reason)
	}
}

func TestRetargetChangedLine(t *testing.T) {
	source := "int f(int n)\n{\n\tint s = n;\n\ts = s * 3;\n\ts += 2;\n\treturn s;\n}\nint main(void) { return f(1); }\n"
	gone := strings.Replace(source, "\ts = s * 3;\n", "", 1)
	old := open(t, compile(t, t.TempDir(), source, "-g", "-O0"), Options{})
	rebuilt := open(t, compile(t, t.TempDir(), gone, "-g", "-O0"), Options{})
	addrs, err := old.Line("main.c", 4)
	if err != nil {
		t.Fatal(err)
	}
	if _, reason, ok := Retarget(old, rebuilt, addrs[0]); ok || reason != "line 4 of `main.c` in `f` has changed or is gone" {
		t.Errorf("with a line that is gone: found %v, %s; want it not found since line 4 has changed or is gone", ok, reason)
	}
	addrs, _ = old.Line("main.c", 5)
	if _, reason, ok := Retarget(old, rebuilt, addrs[0]); !ok || reason != "line 5 of `main.c` in `f`, now line 4" {
		t.Errorf("with a line that moved: found %v, %s; want line 5, now line 4", ok, reason)
	}
}

func TestRetargetStaticFunctions(t *testing.T) {
	need.Slow(t)
	build := func(first string) *File {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"a.c":    first + "static int same(int n) { return n + 1; }\nint a(void) { return same(1); }\n",
			"b.c":    "static int same(int n) { return n * 5; }\nint b(void) { return same(1); }\n",
			"main.c": "int a(void), b(void);\nint main(void) { return a() + b(); }\n",
		} {
			if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		run(t, dir, "gcc", "-g", "-O0", "b.c", "a.c", "main.c", "-o", "program")
		return open(t, dir+"/program", Options{})
	}
	old, rebuilt := build(""), build("int more(int n) { return n; }\n")
	ranges, _ := old.Function("same")
	if len(ranges) != 2 {
		t.Fatalf("%v, want 2", ranges)
	}
	for _, r := range ranges {
		before, _ := old.Lookup(r.Low)
		got, reason, ok := Retarget(old, rebuilt, r.Low)
		after, _ := rebuilt.Lookup(got)
		if !ok || after.Function != "same" || after.File[len(after.File)-3:] != before.File[len(before.File)-3:] {
			t.Errorf("%+v became %+v: %s; want `same` in the same file", before, after, reason)
		}
	}
}

// TestRetargetAmbiguous: without debug information, two static functions of one
// name cannot be distinguished, so neither is chosen.
func TestRetargetAmbiguous(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.c":    "static int same(int n) { return n + 1; }\nint a(void) { return same(1); }\n",
		"main.c": "int a(void);\nstatic int same(int n) { return n * 5; }\nint main(void) { return a() + same(1); }\n",
	} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "gcc", "-O0", "a.c", "main.c", "-o", "program")
	f := open(t, dir+"/program", Options{})
	ranges, _ := f.Function("same")
	if len(ranges) != 2 {
		t.Fatalf("%v, want 2", ranges)
	}
	for _, r := range ranges {
		if _, reason, ok := Retarget(f, f, r.Low); ok || reason != "function `same` exists 2 times in `program`" {
			t.Errorf("with two functions of one name: found %v, %s; want it not found since `same` exists 2 times", ok, reason)
		}
	}
}

// TestMatchLines checks which lines are paired. Each letter stands for a line
// with its own fingerprint.
func TestMatchLines(t *testing.T) {
	lines := func(text string) []sourceLine {
		var lines []sourceLine
		for _, r := range text {
			lines = append(lines, sourceLine{print: string(r), loose: strings.ToLower(string(r))})
		}
		return lines
	}
	for _, c := range []struct {
		name, a, b string
		want       []int
	}{
		{"same", "abc", "abc", []int{0, 1, 2}},
		{"added and removed", "abcde", "axbde", []int{0, 2, -1, 3, 4}},
		{"all gone", "ab", "", []int{-1, -1}},
		{"first changed", "abc", "xbc", []int{0, 1, 2}},
		{"last changed", "abc", "abx", []int{0, 1, 2}},
		{"two changed", "abcd", "axyd", []int{0, -1, -1, 3}},
		{"two of other sizes", "abcd", "aBCd", []int{0, 1, 2, 3}},
		{"one of two of another size", "abcd", "aBxd", []int{0, 1, -1, 3}},
		{"one more before the first", "Aab", "ayb", []int{-1, 0, 2}},
	} {
		if got := match(lines(c.a), lines(c.b)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %s became %s as %v, want %v", c.name, c.a, c.b, got, c.want)
		}
	}
}

// TestCommon checks that the pairs are equal lines in order, and that no longer
// sequence of pairs exists.
func TestCommon(t *testing.T) {
	var longest func(a, b string) int
	longest = func(a, b string) int {
		switch {
		case a == "" || b == "":
			return 0
		case a[0] == b[0]:
			return 1 + longest(a[1:], b[1:])
		}
		return max(longest(a[1:], b), longest(a, b[1:]))
	}
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.StringOfN(rapid.RuneFrom([]rune("abcd")), 0, 7, -1)
		a, b := some.Draw(t, "a"), some.Draw(t, "b")
		lines := func(text string) (lines []sourceLine) {
			for i := range text {
				lines = append(lines, sourceLine{print: text[i : i+1]})
			}
			return lines
		}
		pairs := make([]int, len(a))
		for i := range pairs {
			pairs[i] = -1
		}
		common(lines(a), lines(b), pairs)
		paired, last := 0, -1
		for i, j := range pairs {
			if j < 0 {
				continue
			}
			if j <= last || a[i] != b[j] {
				t.Fatalf("%q became %q as %v, want j more than %v and a[i] = %v", a, b, pairs, last, b[j])
			}
			paired, last = paired+1, j
		}
		if want := longest(a, b); paired != want {
			t.Fatalf("%q and %q have %d lines in common, not %d: %v", a, b, want, paired, pairs)
		}
	})
}

// TestSameShape checks that two functions are not taken for the same one if
// their rows differ in anything but the addresses.
func TestSameShape(t *testing.T) {
	rows := func() []row {
		return []row{{low: 16, high: 20, line: 3, column: 1}, {low: 20, high: 32, line: 4, column: 7}}
	}
	moved := rows()
	for i := range moved {
		moved[i].low, moved[i].high, moved[i].line = moved[i].low+100, moved[i].high+100, moved[i].line+10
	}
	if !sameShape(rows(), moved, 16, 116) || !sameShape(rows(), nil, 16, 0) || !sameShape(nil, rows(), 0, 16) {
		t.Error("got a different shape for a function that only moved")
	}
	if sameShape(rows(), rows()[:1], 16, 16) {
		t.Error("a function with fewer rows is the same one")
	}
	for what, change := range map[string]func(*row){
		"its beginning": func(r *row) { r.low++; r.high++ },
		"its length":    func(r *row) { r.high++ },
		"its column":    func(r *row) { r.column++ },
		"its line":      func(r *row) { r.line++ },
	} {
		other := rows()
		change(&other[1])
		if sameShape(rows(), other, 16, 16) {
			t.Errorf("got the same shape for rows that differ in %s", what)
		}
	}
}

// TestMatchManyLines checks that two huge functions are compared only from both
// ends, because a table of all pairs of lines would exhaust memory.
func TestMatchManyLines(t *testing.T) {
	const many = 2100
	var a, b []sourceLine
	for i := range many {
		a = append(a, sourceLine{print: fmt.Sprint(i)})
		b = append(b, sourceLine{print: fmt.Sprint(i)})
	}
	b[10].print, b[many-10].print = "new", "new"
	b = slices.Insert(b, 100, sourceLine{print: "new"})
	pairs := match(a, b)
	if pairs[9] != 9 || pairs[many-9] != many-8 || pairs[1000] != -1 {
		t.Errorf("line 9 became %d, line %d became %d, and line 1000 %d; want pairs[9] = 9, pairs[many-9] = %v and pairs[1000] = -1", pairs[9], many-9, pairs[many-9], pairs[1000], many-8)
	}
}

func TestSameCode(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true}, {"abc", "abc", true}, {"a1234b", "a5678b", true}, {"a12345", "a67890", false},
		{"1234a5678", "4321a8765", true}, {"x1b", "x2b", true},
	} {
		if got := sameCode([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s %s: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	var source strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&source, "int f%d(int n)\n{\n\tn += %d;\n\treturn n * n;\n}\n", i, i)
	}
	source.WriteString("int main(void) { return 0; }\n")
	path := compile(b, b.TempDir(), source.String(), "-g", "-O0")
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			f, err := Open(path, Options{})
			if err != nil {
				b.Fatal(err)
			}
			f.Lookup(0x2000)
			f.Close()
		}
	})
	b.Run("lookup", func(b *testing.B) {
		f := open(b, path, Options{})
		funcs, _ := f.Functions()
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			f.Lookup(funcs[i%len(funcs)].Low + 4)
			i++
		}
	})
}

const calling = `#include <stdlib.h>
volatile int g;
__attribute__((noinline)) void foo(void) { g++; }
__attribute__((noinline)) void bar(void) { g--; }
__attribute__((noinline)) void baz(void) { g += 2; }
__attribute__((noinline)) void region(int n)
{
	foo();
	bar();
	for (int i = 0; i < n; i++)
		foo();
	bar();
	g = n;
}
__attribute__((noinline, noreturn)) static void stop(void) { exit(g); }
__attribute__((noinline, noreturn)) void last(void)
{
	foo();
	stop();
}
int main(int argc, char **argv) { region(argc); last(); }
`

// TestRetargetCalls checks that a return address, which is often the start of
// the next line, is mapped to the return address of the same call. This also
// holds if the call is the last instruction of its function. It is never mapped
// to another call.
func TestRetargetCalls(t *testing.T) {
	need.Slow(t)
	edited := strings.Replace(calling, "\tfoo();\n\tbar();\n", "\tfoo();\n\tbaz();\n\tbar();\n", 1)
	edited = strings.Replace(edited, "\tfoo();\n\tstop();\n", "\tbaz();\n\tfoo();\n\tstop();\n", 1)
	want := map[string]string{"region": "foo bar foo bar", "last": "foo stop"}
	for _, flags := range []string{"-O0 -no-pie", "-O0 -pie", "-O2 -no-pie", "-O2 -pie"} {
		t.Run(flags, func(t *testing.T) {
			if flags == "-O0 -pie" || flags == "-O2 -no-pie" {
				need.Slow(t)
			}
			old := open(t, compile(t, t.TempDir(), calling, append(strings.Fields(flags), "-g")...), Options{})
			rebuilt := open(t, compile(t, t.TempDir(), edited, append(strings.Fields(flags), "-g")...), Options{})
			for name, callees := range want {
				var got []string
				for _, c := range callsIn(t, old, name) {
					addr, reason, ok := Retarget(old, rebuilt, c.next)
					if !ok {
						t.Errorf("`%s`: the call of `%s`: %s; want ok", name, c.callee, reason)
						continue
					}
					for _, d := range callsIn(t, rebuilt, name) {
						if d.next == addr {
							got = append(got, d.callee)
						}
					}
				}
				if text := strings.Join(got, " "); text != callees {
					t.Errorf("`%s`: the calls became %s, want %s", name, text, callees)
				}
			}
		})
	}
}

func callsIn(t *testing.T, f *File, name string) []call {
	t.Helper()
	ranges, ok := f.Function(name)
	if !ok {
		t.Fatalf("no function `%s`", name)
	}
	p, err := f.place(ranges[0].Low)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, q := range p.parts {
		rows = append(rows, row{low: q.Low, high: q.High})
	}
	return f.calls(p, rows)
}

const spaces = `volatile int g;
namespace one { __attribute__((noinline)) int f(int n) { g++; return n; } }
namespace two { __attribute__((noinline)) int f(int n) { g--; return n; } }
struct S { __attribute__((noinline)) int f(int n); __attribute__((noinline)) int f(double n); };
int S::f(int n) { g += n; return one::f(n); }
int S::f(double n) { g -= 1; return two::f(g); }
int main() { S s; return s.f(1) + s.f(2.5) + one::f(1) + two::f(2); }
`

// TestRetargetSpaces: functions of one name in several name spaces and classes
// are distinguished by the linker's names.
func TestRetargetSpaces(t *testing.T) {
	build := func(text string) *File {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/main.cc", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, dir, "g++", "-g", "-O0", "main.cc", "-o", "program")
		return open(t, dir+"/program", Options{})
	}
	old := build(spaces)
	rebuilt := build("volatile int first;\nint unused(int n) { return first + n; }\n" + spaces)
	for _, name := range []string{"_ZN3one1fEi", "_ZN3two1fEi", "_ZN1S1fEi", "_ZN1S1fEd"} {
		from, ok := old.Function(name)
		to, found := rebuilt.Function(name)
		if !ok || !found || len(from) != 1 || len(to) != 1 {
			t.Fatalf("%s: %v %v; want one place in each", name, from, to)
		}
		if got, reason, ok := Retarget(old, rebuilt, from[0].Low+8); !ok || got != to[0].Low+8 {
			t.Errorf("%s: 0x%x: %s; want 0x%x", name, got, reason, to[0].Low+8)
		}
	}
}

const split = `#include <stdio.h>
#include <stdlib.h>
volatile int g;
__attribute__((noinline)) void foo(void) { g++; }
__attribute__((noinline)) void bar(void) { g--; }
__attribute__((noinline, cold)) void fail(int n) { g = n; puts("fail"); }
__attribute__((noinline, cold)) void report(int n) { g += n; puts("report"); }
__attribute__((noinline)) int f(int n)
{
	foo(); // first
	if (n > 100) {
		fail(n);
		report(n + 1);
		foo(); // seldom
	}
	bar(); // last
	return g;
}
int main(int argc, char **argv) { return f(argc); }
`

// TestRetargetSplit checks a function that -O2 splits into two parts, with
// rarely executed code far from the other code. A call is found in its present
// part, even if the new build is no longer split.
func TestRetargetSplit(t *testing.T) {
	need.Slow(t)
	first := strings.Replace(split, "\tfoo(); // first\n", "\tbar();\n\tfoo(); // first\n", 1)
	whole := strings.NewReplacer("noinline, cold", "noinline", "n > 100", "__builtin_expect(n > 100, 1)").Replace(split)
	before := compile(t, t.TempDir(), split, "-g", "-O2")
	for i, c := range []struct {
		name, text, flags string
		parts             int
	}{
		{"a line more", first, "-O2", 2},
		{"a function before", "int more(int n) { return n * n; }\n" + split, "-O2", 2},
		{"position-dependent", first, "-O2 -no-pie", 2},
		{"no longer split", whole, "-O2", 1},
		{"no longer optimized", split, "-Og -fno-reorder-functions -fno-reorder-blocks-and-partition", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if i%3 != 0 {
				need.Slow(t)
			}
			old := open(t, before, Options{})
			rebuilt := open(t, compile(t, t.TempDir(), c.text, append(strings.Fields(c.flags), "-g")...), Options{})
			if ranges, _ := old.Function("f"); len(ranges) != 2 {
				t.Fatalf("`f` has %d parts, want 2", len(ranges))
			}
			if ranges, _ := rebuilt.Function("f"); len(ranges) != c.parts {
				t.Fatalf("the new `f` has %d parts, want %d", len(ranges), c.parts)
			}
			calls, now := callsIn(t, old, "f"), callsIn(t, rebuilt, "f")
			if len(calls) < 5 {
				t.Fatalf("%d calls, want at least 5", len(calls))
			}
			for _, d := range calls {
				addr, reason, ok := Retarget(old, rebuilt, d.next)
				if !ok {
					t.Errorf("the call of `%s`: %s; want ok", d.callee, reason)
					continue
				}
				before, _ := old.Region(d.next)
				after, _ := rebuilt.Region(addr)
				if want := lineOf(t, c.text, strings.Split(split, "\n")[before.Line-1]); after.Line != want {
					t.Errorf("the call of `%s` is in line %d, want %d", d.callee, after.Line, want)
				}
				if !slices.Contains(now, call{addr, d.callee}) {
					t.Errorf("no call of `%[2]s` returns to 0x%[1]x", addr, d.callee)
				}
			}
		})
	}
}

// TestRetargetMovedParts checks that if only other functions changed, every
// address in a part keeps its offset in the part.
func TestRetargetMovedParts(t *testing.T) {
	more := "int more(int n) { return n * n; }\n__attribute__((cold)) int seldom(int n) { return n / 7; }\n"
	old := open(t, compile(t, t.TempDir(), split, "-g", "-O2"), Options{})
	rebuilt := open(t, compile(t, t.TempDir(), more+split, "-g", "-O2"), Options{})
	from, _ := old.Function("f")
	to, _ := rebuilt.Function("f")
	if len(from) != 2 || len(to) != 2 {
		t.Fatalf("`f` has %d parts, and the new one %d; want len(from) = 2 and len(to) = 2", len(from), len(to))
	}
	for i, r := range from {
		got, reason, ok := Retarget(old, rebuilt, r.Low+1)
		if !ok || got != to[i].Low+1 || reason != "offset 0x1 in `f`, whose code kept its layout" {
			t.Errorf("part %d: 0x%x, want 0x%x: %s", i, got, to[i].Low+1, reason)
		}
	}
}
