package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestJudge: what another system does not compile is found, in programs and in tests; what vet
// asks is asked; and what is right everywhere is right.
func TestJudge(t *testing.T) {
	need.Slow(t) // it reads the sources of the standard library four times
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	judged := func(platform string) string {
		t.Helper()
		found, err := judge(dir, platform)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(found, "\n")
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	write("a.go", "package m\n\nfunc A() int { return a() }\n")
	write("a_linux.go", "package m\n\nfunc a() int { return 1 }\n")
	write("a_windows.go", "package m\n\nfunc a() int { x := 1; x = x; return x }\n")
	write("a_test.go", "package m_test\n\nimport (\n\t\"m\"\n\t\"syscall\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) { t.Log(m.A(), syscall.Getuid()) }\n")
	if said := judged("linux/arm64"); said != "" {
		t.Errorf("linux: %s", said)
	}
	if said := judged("windows/amd64"); !strings.Contains(said, "a_windows.go:3:24") || !strings.Contains(said, "self-assignment") || strings.Contains(said, "\n") {
		t.Errorf("windows: %q", said)
	}
	if said := judged("freebsd/amd64"); !strings.Contains(said, "a.go:3:23: undefined: a") {
		t.Errorf("freebsd: %q", said)
	}
	write("a_test.go", "package m_test\n\nimport (\n\t\"syscall\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) { t.Log(syscall.Kill(0, 0)) }\n")
	if said := judged("windows/amd64"); !strings.Contains(said, "a_test.go:8:42: undefined: syscall.Kill") {
		t.Errorf("windows: %q", said)
	}
	if _, err := judge(dir, "windows"); err == nil {
		t.Error("a system without a processor is none")
	}
}
