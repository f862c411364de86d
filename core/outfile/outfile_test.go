package outfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/internal/need"
)

func TestFence(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "out")
	for _, sub := range []string{"out/sub", "other"} {
		if err := os.MkdirAll(filepath.Join(base, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"away": "../other", "here": "sub", "nowhere": "../other/new", "loop": "loop", "round": "../other/../out/sub", "up": "..",
	} {
		need.Ability(t, "symbolic links", os.Symlink(to, filepath.Join(dir, name)))
	}
	alias := filepath.Join(base, "alias")
	if err := os.Symlink("out", alias); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{dir, alias} {
		f := outfile.Folder{Dir: folder, Fenced: true}
		for name, ok := range map[string]bool{
			"a.txt": true, "sub/a.txt": true, "new/folder/a.txt": true, "sub/../a.txt": true, "here/a.txt": true, "round/a.txt": true, ".": true, "..a": true,
			filepath.Join(dir, "a.txt"):   true,
			filepath.Join(alias, "a.txt"): true,
			"../a.txt":                    false,
			"../out2/a.txt":               false,
			"sub/../../a.txt":             false,
			"new/../../a.txt":             false,
			"away/a.txt":                  false,
			"away":                        false,
			"nowhere":                     false,
			"loop":                        false,
			"up/a.txt":                    false,
			filepath.Join(base, "a.txt"):  false,
			"/etc/passwd":                 false,
			"..":                          false,
		} {
			path, err := f.Path(name)
			var outside *outfile.Outside
			if ok != (err == nil) || err != nil && !errors.As(err, &outside) {
				t.Errorf("%s in %s: %q, %v", name, folder, path, err)
			}
		}
		free := outfile.Folder{Dir: folder}
		if path, err := free.Path("../a.txt"); err != nil || path != filepath.Join(base, "a.txt") {
			t.Errorf("without a fence: %q, %v", path, err)
		}
	}
	if path, err := (outfile.Folder{}).Path("a.txt"); err != nil || path != "a.txt" {
		t.Errorf("in the working directory: %q, %v", path, err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "nothing"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestFile: a file has its final name only when it is complete.
func TestFile(t *testing.T) {
	for _, c := range []struct {
		what       string
		do         func(*outfile.File) error
		want, left string
	}{
		{"written", func(f *outfile.File) error { _, err := f.Write([]byte("new")); return errors.Join(err, f.Close()) }, "new", "nothing"},
		{"empty", func(f *outfile.File) error { return f.Close() }, "old", "nothing"},
		{"empty and kept", func(f *outfile.File) error { f.Keep(); return f.Close() }, "", "nothing"},
		{"discarded", func(f *outfile.File) error { _, err := f.Write([]byte("new")); return errors.Join(err, f.Discard()) }, "old", "nothing"},
		{"left", func(f *outfile.File) error { _, err := f.Write([]byte("new")); return errors.Join(err, f.Leave()) }, "old", "new"},
		{"left empty", func(f *outfile.File) error { f.Keep(); return f.Leave() }, "old", "nothing"},
		{"killed", func(f *outfile.File) error { _, err := f.Write([]byte("new")); return err }, "old", "new"},
		{"failed", func(f *outfile.File) error {
			_, err := f.Write([]byte("new"))
			if _, e := f.WriteAt([]byte("x"), -1); e == nil {
				t.Error("a write before the beginning succeeds")
			}
			return errors.Join(err, f.Close())
		}, "old", "new"},
		{"patched", func(f *outfile.File) error {
			_, err := f.Write([]byte("new"))
			_, e := f.WriteAt([]byte("N"), 0)
			return errors.Join(err, e, f.Close())
		}, "New", "nothing"},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a")
			// The umask would change the mode that WriteFile is given.
			if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Chmod(path, 0o640)); err != nil {
				t.Fatal(err)
			}
			f, err := outfile.Folder{Dir: dir, Fenced: true}.Create("a")
			if err != nil {
				t.Fatal(err)
			}
			if got := text(t, path); got != "old" || f.Direct() {
				t.Errorf("while it is written there is %q, want %q, and the file written besides", got, "old")
			}
			if err := c.do(f); err != nil {
				t.Fatal(err)
			}
			if got, left := text(t, path), text(t, path+outfile.Suffix); got != c.want || left != c.left {
				t.Errorf("there is %q and %q, want %q and %q", got, left, c.want, c.left)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("its mode is %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestFileKinds(t *testing.T) {
	dir := t.TempDir()
	if _, err := os.Stat("/dev/full"); err == nil {
		f, err := outfile.Create("/dev/full")
		if err != nil || !f.Direct() {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("x")); err == nil {
			t.Error("a full device takes a byte")
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	link, to := filepath.Join(dir, "link"), filepath.Join(dir, "to")
	if err := os.WriteFile(to, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	need.Ability(t, "symbolic links", os.Symlink("to", link))
	f, err := outfile.Create(link)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 || text(t, to) != "new" {
		t.Errorf("a link is replaced: %v, %v", info, err)
	}
	if _, err := outfile.Create(filepath.Join(dir, "no", "a")); err == nil {
		t.Error("got a file in a missing folder, want an error")
	}
	if _, err := (outfile.Folder{Dir: dir, Fenced: true}).Create("../a"); err == nil {
		t.Error("got a file outside of the folder, want an error")
	}
}

// TestLeftovers checks that the result is written to the right place, whatever
// an earlier run left under the name of the incomplete file.
func TestLeftovers(t *testing.T) {
	for _, c := range []struct {
		what string
		put  func(precious, partial string) error
	}{
		{"a file", func(_, partial string) error { return os.WriteFile(partial, []byte("longer than the new text"), 0o600) }},
		{"a link", func(precious, partial string) error { return os.Symlink(precious, partial) }},
		{"a relative link", func(_, partial string) error { return os.Symlink("../precious", partial) }},
		{"a link to nothing", func(precious, partial string) error { return os.Symlink(precious+"2", partial) }},
		{"a hard link", func(precious, partial string) error { return os.Link(precious, partial) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			base := t.TempDir()
			dir, precious := filepath.Join(base, "out"), filepath.Join(base, "precious")
			if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(precious, []byte("precious"), 0o600)); err != nil {
				t.Fatal(err)
			}
			need.Ability(t, "links", c.put(precious, filepath.Join(dir, "a"+outfile.Suffix)))
			f, err := outfile.Folder{Dir: dir, Fenced: true}.Create("a")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write([]byte("new")); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if got := text(t, filepath.Join(dir, "a")); got != "new" {
				t.Errorf("the result is %q, want %q", got, "new")
			}
			if info, err := os.Lstat(filepath.Join(dir, "a")); err != nil || !info.Mode().IsRegular() {
				t.Errorf("got a result that is not a file: %v, %v", info, err)
			}
			if got := text(t, precious); got != "precious" {
				t.Errorf("what is outside is now %q, want %q", got, "precious")
			}
			if got := text(t, precious+"2"); got != "nothing" {
				t.Errorf("outside there is now %q, want %q", got, "nothing")
			}
		})
	}
	dir := t.TempDir()
	precious, path := filepath.Join(dir, "precious"), filepath.Join(dir, "trace.json")
	if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	need.Ability(t, "symbolic links", os.Symlink("precious", path))
	f, err := outfile.Replace(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Keep()
	if err := f.Close(); err != nil || text(t, precious) != "precious" || text(t, path) != "" {
		t.Errorf("a link is followed: %v, %q and %q", err, text(t, precious), text(t, path))
	}
	if err := os.Mkdir(filepath.Join(dir, "a"+outfile.Suffix), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := outfile.Create(filepath.Join(dir, "a")); err == nil {
		t.Error("a folder in the place of the file is removed")
	}
}
