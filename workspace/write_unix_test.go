//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/workspace"
)

func text(t *testing.T, path string) string {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

// TestWriteKeeps: a file keeps its mode, its owner and the link that leads to it.
func TestWriteKeeps(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "file", "old")
	if err := os.Chmod("file", 0o640); err != nil {
		t.Fatal(err)
	}
	const other = 4711
	given := os.Chown("file", other, other) == nil // an administrator may
	if err := os.Symlink("file", "link"); err != nil {
		t.Fatal(err)
	}
	if err := workspace.Write(source.Change{File: source.NewFile("link", "old"), Text: "new"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat("file")
	if err != nil {
		t.Fatal(err)
	}
	if text(t, "file") != "new" || info.Mode() != 0o640 {
		t.Errorf("it has %q and the mode %v, want text(t, \"file\") = %q and info.Mode() = 0o640", text(t, "file"), info.Mode(), "new")
	}
	if to, err := os.Readlink("link"); to != "file" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if stat := info.Sys().(*syscall.Stat_t); given && (stat.Uid != other || stat.Gid != other) {
		t.Errorf("it belongs to %d of %d, want stat.Uid = %v and stat.Gid = %v", stat.Uid, stat.Gid, other, other)
	}
}

// TestWriteRefuses: a file that cannot be written stays as it is, and so do the files
// before it.
func TestWriteRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "first", "old")
	put(t, "locked", "old")
	put(t, "readonly", "old")
	if err := os.Chmod("readonly", 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open("locked")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"locked":   "another program is writing it; try again",
		"readonly": "it is marked read-only",
		"folder":   "it is not a regular file",
		"missing":  "no such file or directory",
	} {
		err := workspace.Write(source.Change{File: source.NewFile("first", "old"), Text: "new"}, source.Change{File: source.NewFile(path, "old"), Text: "new"})
		if err == nil || err.Error() != "`"+path+"` cannot be written and stays as it is: "+want {
			t.Errorf("%s: %v", path, err)
		}
		if text(t, "first") != "old" {
			t.Errorf("%s: the file before it was written", path)
		}
	}
	if left, _ := os.ReadDir("."); len(left) != 4 {
		t.Errorf("%d files are left", len(left))
	}
}

// TestWriteNothingNew: a file that already has the text is not touched, and later files
// are written.
func TestWriteNothingNew(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "second", "old")
	err := workspace.Write(source.Change{File: source.NewFile("missing", "same"), Text: "same"}, source.Change{File: source.NewFile("second", "old"), Text: "new"})
	if err != nil || text(t, "second") != "new" {
		t.Errorf("%q, %v", text(t, "second"), err)
	}
}

// TestCreate makes files with their folders, and removes them if one of them cannot be
// made.
func TestCreate(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "there", "old")
	if err := workspace.Create(source.NewFile("a/b/one", "1"), source.NewFile("two", "2")); err != nil {
		t.Fatal(err)
	}
	if text(t, "a/b/one") != "1" || text(t, "two") != "2" {
		t.Error("a file has another text")
	}
	if info, err := os.Stat("a/b"); err != nil || info.Mode().Perm()&0o700 != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
	for path, want := range map[string]string{
		"there":        "`there` exists already and is not changed; give another folder",
		"there/x/file": "the folder `there/x` cannot be made: not a directory",
		"there/file":   "the folder `there` cannot be made: not a directory",
		"a/b/\x00":     "`a/b/\x00` cannot be written: invalid argument",
	} {
		err := workspace.Create(source.NewFile("new", "1"), source.NewFile(filepath.FromSlash(path), "2"))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := os.Stat("new"); err == nil {
			t.Errorf("%s: the file before it is left", path)
		}
	}
	if text(t, "there") != "old" {
		t.Error("the text of an existing file has changed")
	}
}

// TestReplace writes a result, also over an older one.
func TestReplace(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, want := range []string{"first, which is longer", "second"} {
		if err := workspace.Replace("result", want); err != nil || text(t, "result") != want {
			t.Errorf("%q, %v", text(t, "result"), err)
		}
	}
	if err := workspace.Replace("no/such/folder", "x"); err == nil || !strings.HasPrefix(err.Error(), "`no/such/folder` cannot be written: ") || strings.Count(err.Error(), "no/such") != 1 {
		t.Error(err)
	}
	if left, _ := os.ReadDir("."); len(left) != 1 {
		t.Errorf("%d files are left", len(left))
	}
}
