package golden

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Oracle is the folder of recorded answers of the original programs. Where
// there is none the test is skipped.
func Oracle(t testing.TB) string { return outside(t, "PENTODE_ORACLE", "oracle") }

// Corpus is the folder of real files of the original projects. Where there is
// none the test is skipped.
func Corpus(t testing.TB) string { return outside(t, "PENTODE_CORPUS", "corpus") }

func outside(t testing.TB, variable, name string) string {
	if dir := os.Getenv(variable); dir != "" {
		if _, err := os.Stat(dir); err != nil {
			t.Fatalf("%s names a folder that is not there: %v", variable, err)
		}
		return dir
	}
	dir := filepath.Join(filepath.Dir(Root(t)), "shared", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no recorded answers here: set %s to their folder", variable)
	}
	return dir
}

// Root is the folder of go.mod.
func Root(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// Program is the path of a program that a test needs. Where it is missing the
// test is skipped by name, or fails where PENTODE_REQUIRE is set.
func Program(t testing.TB, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("PENTODE_REQUIRE") != "" {
			t.Fatalf("%s is not installed, and PENTODE_REQUIRE is set", name)
		}
		t.Skipf("%s is not installed", name)
	}
	return path
}
