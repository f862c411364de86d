package ignore

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/internal/need"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		patterns, path string
		want           bool
	}{
		{"*.o", "a.o", true},
		{"*.o", "x/y/a.o", true},
		{"/*.o", "x/a.o", false},
		{"x/*.o", "x/y/a.o", false},
		{"build/", "build/a", true},
		{"build/", "x/build/a", true},
		{"build/", "build", false},
		{"configs/**/*.yml", "configs/a.yml", true},
		{"configs/**/*.yml", "configs/a/b/c.yml", true},
		{"configs/old/**", "configs/old/x/y", true},
		{"configs/old/**", "configs/older", false},
		{"**/x", "a/b/x", true},
		{"**/x", "a/b/xx", false},
		{"a/**/b", "a/xb", false},
		{"*.o\n!keep.o", "keep.o", false},
		{"*.o\n!keep.o\nkeep.o", "keep.o", true},
		{"# a\n\\#b", "#b", true},
		{"a \nb\\ ", "b ", true},
		{"[!a-c]x", "dx", true},
		{"[!a-c]x", "bx", false},
		{"[[:digit:]]", "7", true},
		{"[a", "[a", false},
		{"[^a-c]x", "dx", true},
		{"[^a-c]x", "bx", false},
		{"[a\\]]x", "]x", true},
		{"[a\\]]x", "\\x", false},
		{"[\\a-c]", "b", true},
		{"[a-\\c]", "b", true},
		{"[a-\\c]", "d", false},
		{"[a-\\c]", "\\", false},
		{"[a-]", "-", true},
		{"[a-]", "b", false},
		{"[]a]", "]", true},
		{"[]a]", "a", true},
		{"[!]a]", "b", true},
		{"[!]a]", "]", false},
		{"[c-a]", "b", false},
		{"[ab]c", "ac", true},
		{"[ab]c", "bc", true},
		{"[ab]c", "abc", false},
		{"[a-ce-g]", "f", true},
		{"[a-ce-g]", "d", false},
		{"[a-c-e]", "-", true},
		{"[a-c-e]", "d", false},
		{"[[x]", "[", true},
		{"[[:digit:]a-c]", "b", true},
		{"[[:digit:]a-c]", "3", true},
		{"[[:digit:]a-c]", ":", false},
		{"[[:digit:]-]", "-", true},
		{"[[:digit:", "7", false},
		{"[[:nosuch:]]", "n", false},
		{"[a\\", "a", false},
		{"[a-\\", "a", false},
		{"[!", "a", false},
		{"a[/]b", "a/b", false},
		{"a[!x]b", "a/b", false},
		{"a[.-0]b", "a/b", false},
		{"a[.-0]b", "a.b", true},
		{"a[.-0]b", "a0b", true},
		{"x/[!a]", "x/\xff", true},
		{"a?b", "a/b", false},
		{"a?b", "axb", true},
		{"x\\", "x", false},
		{"\\*", "*", true},
		{"\\*", "a", false},
		{"a\\?", "ab", false},
		{"**", "a/b", true},
		{"a**b", "axxb", true},
		{"/a**b", "ax/xb", false},
		{"a/**/**/b", "a/b", true},
		{"a/**/b", "a/x/y/b", true},
		{"a/**/b/**", "a/b", false},
		{"**/a/b", "xa/b", false},
		{"x**/b", "x/y/b", false},
		{"x**/b", "xy/b", true},
		{"/", "a", false},
		{"//a", "a", false},
		{"!", "a", false},
		{"  ", "  ", false},
		{"a\\ ", "a ", true},
		{"a\\  ", "a ", true},
		{"\ufeffa", "a", true},
		{"a\r\nb", "a", true},
		{"x/*/y", "x/a/y", true},
		{"x/*/y", "x//y", true},
		{"x/*/y", "x/a/b/y", false},
		{"*a*a*a*a*a*a*a*a*a*a*a*b", strings.Repeat("a", 4000), false},
	} {
		if got := Parse(c.patterns).Covers(c.path); got != c.want {
			t.Errorf("%q covers %q: %v, want %v", c.patterns, c.path, got, c.want)
		}
	}
}

// TestClasses compares the named character classes with Go's own patterns, for every
// byte that a file name can have.
func TestClasses(t *testing.T) {
	for name := range classes {
		pattern, expr := Parse("x[[:"+name+":]]"), regexp.MustCompile("^[[:"+name+":]]$")
		for c := 1; c < 0x80; c++ {
			if c == '/' { // separates names
				continue
			}
			if got, want := pattern.Covers("x"+string(rune(c))), expr.MatchString(string(rune(c))); got != want {
				t.Errorf("`%s` has %q: %v, want %v", name, rune(c), got, want)
			}
		}
	}
}

// TestAsGit compares random patterns in nested files with `git check-ignore`.
func TestAsGit(t *testing.T) {
	need.Slow(t)
	need.Program(t, "git", "--version")
	word := rapid.StringMatching(`[ab]{1,2}`)
	line := rapid.Custom(func(t *rapid.T) string {
		piece := rapid.OneOf(word, rapid.SampledFrom([]string{"*", "**", "?", "[ab]", "[!a]", "[^b]x", "a*", "*b", "**a", "\\a", "[[:alpha:]]", "***", "[]a]", "[a-"}))
		parts := rapid.SliceOfN(piece, 1, 3).Draw(t, "parts")
		return rapid.SampledFrom([]string{"", "", "", "!", "/", "#"}).Draw(t, "head") + strings.Join(parts, "/") +
			rapid.SampledFrom([]string{"", "", "/", " ", "\\ ", "\r", "/**"}).Draw(t, "tail")
	})
	repo := t.TempDir()
	git(t, repo, "", "init", "-q")
	names := rapid.SliceOfNDistinct(word, 1, 4, rapid.ID)
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(repo, "case")
		if err != nil {
			rt.Fatal(err)
		}
		var paths []string
		var fill func(at string, depth int)
		fill = func(at string, depth int) {
			if rapid.Bool().Draw(rt, "ignores") {
				text := strings.Join(rapid.SliceOfN(line, 1, 4).Draw(rt, "lines"), "\n")
				if err := os.WriteFile(filepath.Join(dir, at, ".gitignore"), []byte(text), 0o600); err != nil {
					rt.Fatal(err)
				}
			}
			for _, name := range names.Draw(rt, "names") {
				path := filepath.Join(at, name)
				paths = append(paths, path)
				if depth > 0 && rapid.Bool().Draw(rt, "folder") {
					if err := os.Mkdir(filepath.Join(dir, path), 0o700); err != nil {
						rt.Fatal(err)
					}
					fill(path, depth-1)
				} else if err := os.WriteFile(filepath.Join(dir, path), nil, 0o600); err != nil {
					rt.Fatal(err)
				}
			}
		}
		fill("", 2)
		own := strings.Join(rapid.SliceOfN(line, 0, 3).Draw(rt, "own lines"), "\n")
		if err := os.WriteFile(filepath.Join(repo, ".git", "info", "exclude"), []byte(own), 0o600); err != nil {
			rt.Fatal(err)
		}
		want := askGit(rt, dir, paths)
		tree := NewTree(dir)
		for _, path := range paths {
			// Patterns of the clone may name the folder of the case.
			if got := ignored(tree, repo, filepath.Join(filepath.Base(dir), path)); got != want[path] {
				rt.Fatalf("%s is ignored: %v, git says %v", path, got, want[path])
			}
		}
	})
}

// TestOwnExcludes: a user's own patterns apply to every work tree of the clone,
// after all `.gitignore` files.
func TestOwnExcludes(t *testing.T) {
	need.Program(t, "git", "--version")
	dir := t.TempDir()
	repo, other := filepath.Join(dir, "repo"), filepath.Join(dir, "other")
	git(t, dir, "", "init", "-q", "repo")
	git(t, repo, "", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a")
	git(t, repo, "", "worktree", "add", "-q", other)
	for path, text := range map[string]string{"repo/.git/info/exclude": "*.pipe\n/only.yml\n", "repo/.gitignore": "!keep.pipe\n", "other/.gitignore": ""} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{
		"repo/a.pipe": true, "repo/sub/a.pipe": true, "repo/keep.pipe": false, "repo/only.yml": true, "repo/sub/only.yml": false,
		"other/a.pipe": true, "other/keep.pipe": true, "other/a.yml": false,
	} {
		if path = filepath.Join(dir, path); NewTree(filepath.Dir(path)).Ignores(path, false) != want {
			t.Errorf("%s is ignored: %v", path, !want)
		}
	}
}

// ignored checks a path like a walk, from the outermost folder inwards.
func ignored(tree *Tree, dir, path string) bool {
	at := dir
	for name := range strings.SplitSeq(path, string(filepath.Separator)) {
		at = filepath.Join(at, name)
		info, err := os.Stat(at)
		if err != nil || tree.Ignores(at, info.IsDir()) {
			return true
		}
	}
	return false
}

func askGit(t *rapid.T, dir string, paths []string) map[string]bool {
	list := map[string]bool{}
	out := git(t, dir, strings.Join(paths, "\x00"), "check-ignore", "--no-index", "-z", "--stdin")
	for path := range strings.SplitSeq(out, "\x00") {
		list[path] = true
	}
	return list
}

// git runs git without the settings of this machine.
func git(t interface{ Fatalf(string, ...any) }, dir, in string, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "XDG_CONFIG_HOME=/nonexistent")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && errs.Len() > 0 {
		t.Fatalf("git %v: %v %s", args, err, errs.String())
	}
	return out.String()
}

// TestAboveTheFolder: without a repository, files above the given folder do not
// count.
func TestAboveTheFolder(t *testing.T) {
	dir := t.TempDir()
	if top, ok := Repository(dir); ok {
		t.Skip("the folder for temporary files lies in the repository " + top)
	}
	for path, text := range map[string]string{".gitignore": "*.pipe\n", "top/.gitignore": "*.yml\n/only\n", "top/sub/.gitignore": "!keep.yml\n", "topper/x": ""} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree := NewTree(filepath.Join(dir, "top"))
	for path, want := range map[string]bool{
		"top/x.pipe": false, "top/x.yml": true, "top/sub/x.yml": true, "top/sub/keep.yml": false, "top/keep.yml": true,
		"top/only": true, "top/sub/only": false, "topper/x.yml": false,
	} {
		if got := tree.Ignores(filepath.Join(dir, path), false); got != want {
			t.Errorf("%s is ignored: %v, want %v", path, got, want)
		}
	}
}

// TestOnlyFiles: a `.gitignore` that is a folder or far too large ignores nothing.
func TestOnlyFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".gitignore")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if NewTree(dir).Ignores(filepath.Join(dir, "a"), false) {
		t.Error("a folder ignores a file")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int]bool{100: true, maxSize: true, maxSize + 1: false} {
		if err := os.WriteFile(path, append(bytes.Repeat([]byte("#"), size-3), "\na\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := NewTree(dir).Ignores(filepath.Join(dir, "a"), false); got != want {
			t.Errorf("with %d bytes a file is ignored: %v, want %v", size, got, want)
		}
	}
}

// TestAboveTheRepository: files above the root of the repository do not count.
func TestAboveTheRepository(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{".gitignore": "*.pipe\n", "repo/.git/HEAD": "", "repo/.gitignore": "*.yml\n", "repo/sub/a": ""} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree := NewTree(filepath.Join(dir, "repo", "sub"))
	got := fmt.Sprint(tree.Ignores(filepath.Join(dir, "repo/sub/x.pipe"), false), tree.Ignores(filepath.Join(dir, "repo/sub/x.yml"), false))
	if got != "false true" {
		t.Errorf("%v; want %q", got, "false true")
	}
}
