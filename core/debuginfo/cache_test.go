package debuginfo

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
)

// cached compiles a program and returns its path, with a folder for the kept results.
func cached(t *testing.T, flags ...string) (program, folder string) {
	t.Helper()
	need.Compiler(t, "gcc")
	dir := t.TempDir()
	folder = filepath.Join(dir, "kept")
	return compileWith(t, dir, "gcc", inlining["main.c"], append([]string{"-g", "-O2", "-Wl,--build-id"}, flags...)...), folder
}

// answersOf returns the frames of a program's code, and the addresses of some names and
// of a line.
func answersOf(t *testing.T, f *File) string {
	t.Helper()
	var b strings.Builder
	for _, a := range addresses(t, f) {
		frame, _ := f.Lookup(a)
		b.WriteString(frame.Function + " " + frame.Linkage + " " + frame.File + "\n")
	}
	for _, name := range []string{"weigh", "both", "outer", "main"} {
		for _, r := range f.Code(name) {
			b.WriteString(name + " " + time.Duration(r.Low).String() + " " + time.Duration(r.High).String() + "\n")
		}
	}
	if _, err := f.Sites("main.c", 14, func(string) bool { return true }); err != nil {
		t.Error(err)
	}
	return b.String()
}

// only returns the path of the only file in a folder.
func only(t *testing.T, folder string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	return list[0]
}

// TestCache: results are kept by build id, only this user can read them, and they give
// the same answers without a second walk. A damaged file is replaced.
func TestCache(t *testing.T) {
	program, folder := cached(t)
	ask := func() (answers string, walked bool) {
		f := open(t, program, Options{Cache: folder})
		answers = answersOf(t, f)
		return answers, len(f.tables.info) > 0
	}
	want, walked := ask()
	if !walked {
		t.Fatal("the debug information was not read")
	}
	file := only(t, folder)
	if id := open(t, program, Options{}).BuildID(); !strings.HasPrefix(filepath.Base(file), id) {
		t.Errorf("`%s` is not named by the build id %s", file, id)
	}
	for path, mode := range map[string]os.FileMode{file: 0o600, folder: os.ModeDir | 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%v, %v, want %v", info.Mode(), err, mode)
		}
	}
	if got, walked := ask(); got != want || walked {
		t.Errorf("with kept results: other answers, or a second walk (%t)", walked)
	}

	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		bad := bytes.Clone(whole)
		if random.IntN(3) == 0 {
			bad = bad[:random.IntN(len(bad))]
		} else {
			bad[random.IntN(len(bad))] ^= byte(1 + random.IntN(255))
		}
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, walked := ask(); got != want || !walked {
			t.Fatalf("with a damaged file: other answers, or no second walk (%t)", walked)
		}
		if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, whole) {
			t.Fatalf("%v; the damaged file was not replaced", err)
		}
	}
}

// TestCacheForms checks that a stripped program does not get the results of the full
// one, which has the same build ID but more names.
func TestCacheForms(t *testing.T) {
	program, folder := cached(t)
	need.Program(t, "strip")
	names := func() string {
		f := open(t, program, Options{Cache: folder})
		frame, _ := f.Lookup(f.Code("outer")[0].Low)
		return frame.File
	}
	if names() == "" {
		t.Fatal("no file")
	}
	file := only(t, folder)
	run(t, filepath.Dir(program), "strip", "--strip-debug", program)
	if got := names(); got != "" {
		t.Errorf("the stripped program has code of `%s`, want nothing", got)
	}
	only(t, folder) // without debug information there are no results to keep

	// Another program replaces it at the same path.
	program, folder = cached(t, "-O0")
	want := names()
	other := only(t, folder)
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(other, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := names(); got != want {
		t.Errorf("with another's entry: `%s`, want `%s`", got, want)
	}
}

// TestCacheIsNotUsed: results are not kept if other users could write the folder or if a
// part of the debug information is missing. Without an explicit folder, they are not
// kept for programs that are read quickly.
func TestCacheIsNotUsed(t *testing.T) {
	program, folder := cached(t)
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	answersOf(t, open(t, program, Options{}))
	if list, _ := os.ReadDir(home); len(list) > 0 {
		t.Errorf("a small program is kept in %v, want at most 0", list)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	answersOf(t, open(t, program, Options{Cache: folder}))
	if list, _ := os.ReadDir(folder); len(list) > 0 {
		t.Errorf("a folder of everyone has %v, want at most 0", list)
	}
	need.Program(t, "objcopy", "--version") // gcc calls objcopy to split the debug information of units
	program, folder = cached(t, "-gsplit-dwarf")
	units, err := filepath.Glob(filepath.Join(filepath.Dir(program), "*.dwo"))
	if err != nil || len(units) != 1 {
		t.Fatalf("%v, %v", units, err)
	}
	if err := os.Rename(units[0], units[0]+".away"); err != nil {
		t.Fatal(err)
	}
	open(t, program, Options{Cache: folder}).Code("main")
	if list, _ := os.ReadDir(folder); len(list) > 0 {
		t.Errorf("half of the debug information is kept: %v, want at most 0", list)
	}
}

// TestCacheIsBounded: the least recently used files are removed, and so are the
// temporary files of killed processes.
func TestCacheIsBounded(t *testing.T) {
	program, folder := cached(t)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * time.Hour)
	for i, name := range []string{"new-1", "a.names", "b.names", "c.names"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, maxCache/2-1<<20); err != nil {
			t.Fatal(err)
		}
		at := old.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	open(t, program, Options{Cache: folder}).Code("main")
	var left []string
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		left = append(left, e.Name())
	}
	if len(left) != 3 || !slices.Contains(left, "b.names") || !slices.Contains(left, "c.names") {
		t.Errorf("left are %v, want the new one and the two that were used last", left)
	}
}
