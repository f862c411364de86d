package load_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
)

var codes = load.Codes{
	Missing: &diag.Code{ID: "t/missing"}, Unreadable: &diag.Code{ID: "t/unreadable"},
	Cycle: &diag.Code{ID: "t/cycle"}, Limit: &diag.Code{ID: "t/limit"},
}

// walk treats every line of every file as an include.
func walk(env *load.Env, path string) (opened int, problems diag.List) {
	f, err := env.Opener.Open(path)
	if err != nil {
		panic(err)
	}
	l := load.NewLoader(env)
	var visit func(*load.Frame)
	visit = func(frame *load.Frame) {
		opened++
		at := 0
		for line := range strings.SplitSeq(frame.File.Text(), "\n") {
			if line != "" {
				next, p := l.Include(frame, frame.File.Span(at, at+len(line)), "lib/"+line, line)
				if p != nil {
					problems.Add(p.Diagnostic(codes))
					if p.Kind == load.Limit {
						return
					}
				} else {
					visit(next)
				}
			}
			at += len(line) + 1
		}
	}
	visit(env.Root(f))
	return opened, problems
}

func TestInclude(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  source.Map
		opened int
		want   string
	}{
		{"found in the first folder", source.Map{"m": "a\n", "lib/a": "", "a": "m\n"}, 2, ""},
		{"missing", source.Map{"m": "a\n"}, 1, "t/missing m:1:1 the included file `a` does not exist; looked for `lib/a`, `a`"},
		{"cycle", source.Map{"m": "a\n", "a": "b\n", "b": "a\n"}, 3, "t/cycle b:1:1 `a` includes itself; the chain is a → b → a"},
		{"diamond", source.Map{"m": "a\nb\n", "a": "c\n", "b": "c\n", "c": ""}, 5, ""},
		{"missing below", source.Map{"m": "a\n", "a": "\nx\n"}, 2, "t/missing a:2:1 the included file `x` does not exist; looked for `lib/x`, `x`; a is included from m:1:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opened, problems := walk(&load.Env{Opener: c.files}, "m")
			var got []string
			for _, d := range problems {
				got = append(got, strings.Join(append([]string{fmt.Sprintf("%s %s %s", d.Code.ID, d.Span, d.Message)}, d.Notes...), "; "))
			}
			if s := strings.Join(got, "\n"); s != c.want || opened != c.opened {
				t.Errorf("opened %d (want %d)\n got %s\nwant %s", opened, c.opened, s, c.want)
			}
		})
	}
}

func TestIncludeBombEnds(t *testing.T) {
	files := source.Map{}
	for i := range 40 {
		files[fmt.Sprint("f", i)] = fmt.Sprintf("f%d\nf%d\n", i+1, i+1)
	}
	files["f40"] = ""
	opened, problems := walk(&load.Env{Opener: files}, "f0")
	if opened > 4097 || len(problems) == 0 || problems[0].Code.ID != "t/limit" {
		t.Errorf("opened %d, problems %v; want opened at most 4097, len(problems) other than 0 and problems[0].Code.ID = %q", opened, problems, "t/limit")
	}
}

// counted is an opener that counts how often each path is opened.
type counted struct {
	source.Opener
	times map[string]int
}

func (c counted) Open(path string) (*source.File, error) {
	c.times[path]++
	return c.Opener.Open(path)
}

// TestFailureIsRemembered: a file that cannot be included is opened once,
// however often it is included.
func TestFailureIsRemembered(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/large", make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/binary", []byte{'a', 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	o := counted{source.Disk{MaxSize: 50}, map[string]int{}}
	env := &load.Env{Opener: o, Dir: dir}
	l := load.NewLoader(env)
	f := source.NewFile("m", "x")
	for range 400 {
		for path, want := range map[string]string{"/large": "is larger than 50 bytes", "/binary": "NUL byte at offset 1", "/none": "does not exist", "/": "is a folder"} {
			_, p := l.Include(env.Root(f), f.Span(0, 1), dir+path)
			if p == nil || !strings.Contains(p.Diagnostic(codes).Message, want) {
				t.Fatalf("%s: %v, want p not nil and %q in p.Diagnostic(codes).Message", path, p, want)
			}
		}
	}
	for path, n := range o.times {
		if n != 1 {
			t.Errorf("%s was opened %d times, want 1", path, n)
		}
	}
}

// TestRefusedBytesCount: the bytes read from refused files count as included
// text.
func TestRefusedBytesCount(t *testing.T) {
	env := &load.Env{Opener: source.Map{}, Limits: load.Limits{Bytes: 1000}}
	files := env.Opener.(source.Map)
	for i := range 20 {
		files[fmt.Sprint("f", i)] = strings.Repeat("\x00", 100)
	}
	refusedAtLimit(t, env)
	env.Opener = tooLarge{}
	refusedAtLimit(t, env)
}

// tooLarge is an opener that reads a hundred bytes of every file and then
// refuses the file.
type tooLarge struct{}

func (tooLarge) Open(path string) (*source.File, error) {
	return nil, &source.TooLarge{Path: path, Limit: 99, Read: 100}
}

// refusedAtLimit includes files of a hundred bytes. All are refused: the first
// ten for their own error, the others because a thousand bytes were read.
func refusedAtLimit(t *testing.T, env *load.Env) {
	t.Helper()
	l := load.NewLoader(env)
	f := source.NewFile("m", "x")
	for i := range 20 {
		_, p := l.Include(env.Root(f), f.Span(0, 1), fmt.Sprint("f", i))
		if want := map[bool]load.ProblemKind{false: load.Unreadable, true: load.Limit}[i >= 10]; p == nil || p.Kind != want {
			t.Fatalf("file %d: %+v, want kind %d", i, p, want)
		}
	}
}

func TestDepthEnds(t *testing.T) {
	files := source.Map{}
	for i := range 20 {
		files[fmt.Sprint("f", i)] = fmt.Sprintf("f%d\n", i+1)
	}
	files["f20"] = ""
	opened, problems := walk(&load.Env{Opener: files, Limits: load.Limits{Depth: 10}}, "f0")
	if opened != 11 || len(problems) != 1 {
		t.Errorf("opened %d, problems %d; want opened = 11 and len(problems) = 1", opened, len(problems))
	}
}

// TestIncludeFolder checks that a candidate that is a folder is skipped.
func TestIncludeFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, folder := range []string{"lib/a", "lib/b", "b"} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"m": "a\nb\n", "a": ""} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opened, problems := walk(&load.Env{Opener: source.Disk{}, Dir: dir}, "m")
	if opened != 2 || len(problems) != 1 || problems[0].Message != "`b` cannot be read: it is a folder" {
		t.Errorf("opened %d files, problems %v; want opened = 2, len(problems) = 1 and problems[0].Message = %q", opened, problems, "`b` cannot be read: it is a folder")
	}
}

// TestCycleChain: a short chain of a cycle is shown whole, a long one by its two
// ends.
func TestCycleChain(t *testing.T) {
	for n, want := range map[int]string{
		1:  "f0 → f0",
		3:  "f0 → f1 → f2 → f0",
		9:  "f0 → f1 → f2 → f3 → f4 → f5 → f6 → f7 → f8 → f0",
		10: "f0 → f1 → f2 → f3 → f4 → … → f7 → f8 → f9 → f0",
		30: "f0 → f1 → f2 → f3 → f4 → … → f27 → f28 → f29 → f0",
	} {
		files := source.Map{}
		for i := range n {
			files[fmt.Sprint("f", i)] = fmt.Sprint("f", (i+1)%n)
		}
		_, problems := walk(&load.Env{Opener: files, Dir: "."}, "f0")
		if len(problems) != 1 || problems[0].Code != codes.Cycle || !slices.Equal(problems[0].Notes, []string{"the chain is " + want}) {
			t.Errorf("%d files: %+v, want the chain %s", n, problems, want)
			continue
		}
		if labels := len(problems[0].Labels); labels != min(n-1, 8) {
			t.Errorf("%d files: %d places are shown, want %v", n, labels, min(n-1, 8))
		}
	}
}

// TestMissingIsExplained: the finding shows where a file was looked for, and
// what includes the including file.
func TestMissingIsExplained(t *testing.T) {
	_, problems := walk(&load.Env{Opener: source.Map{"a": "b\n", "b": " gone \n"}, Dir: "."}, "a")
	if len(problems) != 1 || problems[0].Code != codes.Missing || problems[0].Message != "the included file `gone` does not exist" {
		t.Fatalf("%+v, want len(problems) = 1, problems[0].Code = %v and problems[0].Message = %q", problems, codes.Missing, "the included file `gone` does not exist")
	}
	if want := []string{"looked for `lib/ gone `, ` gone `", "b is included from a:1:1"}; !slices.Equal(problems[0].Notes, want) {
		t.Errorf("notes are %q, want %q", problems[0].Notes, want)
	}
	f := source.NewFile("a", "x")
	var many []string
	for i := range 9 {
		many = append(many, fmt.Sprint("dir", i, "/x"))
	}
	for n, more := range map[int]bool{8: false, 9: true} {
		env := &load.Env{Opener: source.Map{}, Dir: "."}
		_, p := load.NewLoader(env).Include(env.Root(f), f.Span(0, 1), many[:n]...)
		note := p.Diagnostic(codes).Notes[0]
		if strings.Count(note, "dir") != 8 || strings.HasSuffix(note, ", …") != more {
			t.Errorf("of %d places it says: %s; want strings.Count(note, \"dir\") = 8 and strings.HasSuffix(note, \", …\") = %v", n, note, more)
		}
	}
}

// TestEnv checks the environment of this process and an empty one.
func TestEnv(t *testing.T) {
	t.Setenv("PENTODE_TEST_VARIABLE", "x")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	env := load.NewEnv()
	if v, ok := env.Getenv("PENTODE_TEST_VARIABLE"); !ok || v != "x" || env.Dir != here || env.Dialect.String() != "documented" || load.Upstream.String() != "upstream" {
		t.Errorf("variable %q, folder %s, dialect %s; want variable %q, folder %s, dialect documented, and upstream by its name", v, env.Dir, env.Dialect, "x", here)
	}
	env.Elsewhere = func(name string) (string, string, bool) { return "lib/" + name, "lib", true }
	if path, folder, ok := env.FindElsewhere("a"); !ok || path != "lib/a" || folder != "lib" {
		t.Errorf("found %s in %s: %v; want lib/a in lib", path, folder, ok)
	}
	none := &load.Env{}
	if _, ok := none.Getenv("PENTODE_TEST_VARIABLE"); ok {
		t.Error("there is a variable without Lookup")
	}
	if _, _, ok := none.FindElsewhere("a"); ok {
		t.Error("got a file without Elsewhere, want none")
	}
}

// TestChain: the chain of a file lists its includers, the nearest first.
func TestChain(t *testing.T) {
	env := &load.Env{Opener: source.Map{"m": "\na\n", "a": "b\n", "b": ""}}
	m, _ := env.Opener.Open("m")
	l := load.NewLoader(env)
	root := env.Root(m)
	a, _ := l.Include(root, m.Span(1, 2), "a")
	b, _ := l.Include(a, a.File.Span(0, 1), "b")
	for frame, want := range map[*load.Frame]string{root: "", a: "included from m:2:1", b: "included from a:1:1, included from m:2:1"} {
		if got := frame.Chain(); got != want {
			t.Errorf("%s: %q, want %q", frame.File.Path(), got, want)
		}
	}
}

// TestBytes: text is read up to the limit and no byte more, however often one
// file is included.
func TestBytes(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	for limit, want := range map[int64]string{2 << 20: "", 2<<20 - 1: "t/limit more than 1 MB of included text"} {
		env := &load.Env{Opener: source.Map{"m": "", "a": big}, Limits: load.Limits{Bytes: limit}}
		m, _ := env.Opener.Open("m")
		l := load.NewLoader(env)
		got := ""
		for range 2 {
			if _, p := l.Include(env.Root(m), m.Span(0, 0), "a"); p != nil {
				d := p.Diagnostic(codes)
				got = d.Code.ID + " " + d.Message
			}
		}
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
}
