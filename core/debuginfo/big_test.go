package debuginfo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// big makes a library with about 100 MB of debug information: many copies of one object with
// different symbols.
func big(b *testing.B) string {
	b.Helper()
	need.Compiler(b, "g++")
	dir := b.TempDir()
	var text strings.Builder
	text.WriteString("#include <algorithm>\n#include <map>\n#include <string>\n#include <vector>\n")
	for i := range 40 {
		fmt.Fprintf(&text, "struct R%[1]d { std::vector<int> v; std::map<std::string, int> m;\n\tint step(int n) { v.push_back(n); m[std::to_string(n)]++; std::sort(v.begin(), v.end()); return v.size(); } };\n"+
			"int work%[1]d(int n) { R%[1]d r; int s = 0; for (int k = 0; k < n; k++) s += r.step(k); return s; }\n", i)
	}
	if err := os.WriteFile(filepath.Join(dir, "unit.cc"), []byte(text.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	run(b, dir, "g++", "-g", "-O2", "-fPIC", "-c", "unit.cc")
	args := []string{"-shared", "-nostdlib", "-Wl,--unresolved-symbols=ignore-all", "-o", "libbig.so"}
	for i := range 140 {
		object := fmt.Sprintf("copy%d.o", i)
		run(b, dir, "objcopy", fmt.Sprintf("--prefix-symbols=u%d_", i), "unit.o", object)
		args = append(args, object)
	}
	run(b, dir, "gcc", args...)
	return filepath.Join(dir, "libbig.so")
}

// BenchmarkNames opens a library with much debug information, and finds the code of a function
// and the line of an address: once without kept results, once with the results of an earlier
// walk.
func BenchmarkNames(b *testing.B) {
	path, folder := big(b), b.TempDir()
	find := func(o Options) {
		f, err := Open(path, o)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		list := f.Code("work7")
		if len(list) == 0 {
			b.Fatal("no code")
		}
		if frame, ok := f.Lookup(list[0].Low); !ok || frame.Line == 0 {
			b.Fatalf("the first address of `work7` is %+v, want it to have a line", frame)
		}
	}
	b.Run("first", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			find(Options{Cache: filepath.Join(folder, fmt.Sprint(i))})
		}
	})
	b.Run("kept", func(b *testing.B) {
		for b.Loop() {
			find(Options{Cache: filepath.Join(folder, "0")})
		}
	})
}
