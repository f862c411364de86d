package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestJudge: code that does not compile on another system is found, in programs and in tests, and
// so are the findings of vet.
func TestJudge(t *testing.T) {
	need.Slow(t) // it reads the sources of the standard library
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module m\n\ngo 1.26\n",
		"a.go":         "package m\n\nfunc A() int { return a() }\n",
		"a_linux.go":   "package m\n\nfunc a() int { return 1 }\n",
		"a_freebsd.go": "package m\n\nfunc a() int { x := 1; x = x; return x }\n",
		"a_test.go":    "package m_test\n\nimport \"syscall\"\n\nvar _ = syscall.Kill\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for platform, want := range map[string][]string{
		"windows/amd64": {"a.go:3:23: undefined: a", "a_test.go:5:17: undefined: syscall.Kill"},
		"freebsd/amd64": {"a_freebsd.go:3:24: self-assignment of x"},
	} {
		found, err := judge(dir, platform)
		if err != nil {
			t.Fatal(err)
		}
		for i := range found {
			found[i] = filepath.Base(found[i])
		}
		if !slices.Equal(found, want) {
			t.Errorf("%s: %q, want %q", platform, found, want)
		}
	}
	if _, err := judge(dir, "windows"); err == nil {
		t.Error("a system without a processor gives no error")
	}
}
