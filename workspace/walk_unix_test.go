//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/workspace"
)

// special returns a workspace over a folder with files, links and pipes.
func special(t *testing.T) *workspace.Workspace {
	t.Helper()
	w := inFolder(t, map[string]string{
		"dir/a.pipe": "", "dir/heat.yml": "data:\n  x: int\nmetadata:\n  n: int\n", "dir/other.yml": "services:\n  web: 1\n",
		"dir/sub/b.pipe": "", "dir/.hidden/c.pipe": "", "dir/.hidden.pipe": "", "dir/out/d.pipe": "", "dir/.gitignore": "out/\nskip.pipe\n", "dir/skip.pipe": "",
		"dir/pentode.toml": "exclude = [\"old\"]\n", "dir/old/e.pipe": "",
	})
	for _, name := range []string{"pipe.pipe", "pipe.yml"} {
		if err := syscall.Mkfifo(filepath.Join("dir", name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"dir/link.pipe": "a.pipe", "dir/nowhere.pipe": "nosuch", "dir/topipe.pipe": "pipe.pipe", "dir/tofolder.pipe": "sub", "link": "dir"} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestWalk lists readable files and broken links, but no pipes and no hidden or
// excluded files.
func TestWalk(t *testing.T) {
	const want = ".hidden.pipe a.pipe heat.yml link.pipe nowhere.pipe sub/b.pipe"
	for _, c := range []struct {
		dir, want string
		all       bool
	}{
		{"dir", want, false},
		{"link", want, false},
		{"dir", ".hidden.pipe a.pipe heat.yml link.pipe nowhere.pipe old/e.pipe out/d.pipe skip.pipe sub/b.pipe", true},
		{"dir/sub", "b.pipe", false},
		{"dir/.hidden", "c.pipe", false},
	} {
		w := special(t)
		w.NoIgnore = c.all
		paths, err := w.Walk(c.dir)
		for i := range paths {
			paths[i], _ = filepath.Rel(c.dir, paths[i])
		}
		if got := strings.Join(paths, " "); got != c.want || err != nil {
			t.Errorf("%s: %v\n got %s\nwant %s", c.dir, err, got, c.want)
		}
	}
	if paths, err := special(t).Walk("nosuch"); err == nil || len(paths) > 0 {
		t.Errorf("for a missing folder: got %v, %v", paths, err)
	}
}

// TestEntries lists the files of one folder.
func TestEntries(t *testing.T) {
	paths, err := special(t).Entries("dir")
	for i := range paths {
		paths[i] = filepath.Base(paths[i])
	}
	if got := strings.Join(paths, " "); err != nil || got != ".hidden.pipe a.pipe heat.yml link.pipe nowhere.pipe" {
		t.Errorf("%s, %v", got, err)
	}
	if paths, err := special(t).Entries("nosuch"); err == nil || len(paths) > 0 {
		t.Errorf("for a missing folder: got %v, %v", paths, err)
	}
}

// TestLanguageNames checks that the language of a file is found by its name or,
// if the file may be read, by the beginning of its text.
func TestLanguageNames(t *testing.T) {
	w := special(t)
	for path, want := range map[string]string{"dir/a.pipe": "sprokit", "dir/heat.yml": "pdi", "dir/other.yml": "", "dir/pipe.yml": "", "dir/nosuch.yml": "", "dir/nosuch.pipe": "sprokit"} {
		if got := w.LanguageOf(path); got != want {
			t.Errorf("%s is of %q, want %q", path, got, want)
		}
	}
	w = special(t)
	w.Inside = []string{"dir/sub"}
	if got := w.LanguageOf("dir/heat.yml"); got != "" {
		t.Errorf("a file that may not be read is of %q", got)
	}
}

// TestUnknownLanguage: the error names the file and the flag that helps.
func TestUnknownLanguage(t *testing.T) {
	_, err := special(t).Open("dir/other.yml")
	if err == nil || !strings.Contains(err.Error(), "`dir/other.yml`") || !strings.Contains(err.Error(), "--lang") {
		t.Error(err)
	}
}
