package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestContributing follows CONTRIBUTING.md in a copy of the repository. It first makes all
// changes of the page, so that the program is compiled only once, and then runs the commands in
// order. A fenced block with a file name is the content of that file; a diff changes lines of a
// file. Each command must print what the page shows, where … stands for any text.
func TestContributing(t *testing.T) {
	need.Slow(t) // it compiles the program
	root := golden.Root(t)
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copyTracked(t, root, dir)
	var commands []string
	for _, m := range golden.Fence.FindAllStringSubmatch(string(page), -1) {
		kind, body := m[1], m[3]
		path := filepath.Join(dir, filepath.FromSlash(m[2]))
		switch {
		case kind == "console":
			commands = append(commands, strings.Split("\n"+body, "\n$ ")[1:]...)
		case m[2] == "":
			t.Errorf("nothing tries\n%s", m[0])
		case kind == "diff":
			replace(t, path, body)
		default:
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(commands) < 8 {
		t.Errorf("the page has only %d commands", len(commands))
	}
	for _, command := range commands {
		line, want, _ := strings.Cut(strings.TrimSuffix(command, "\n"), "\n")
		follow(t, dir, line, want)
	}
	follow(t, dir, "gofmt -l lang run", "")
	follow(t, dir, "go vet ./lang/hosts/... ./lang/all ./lang/pinsight ./run/flow/text ./run/data/plugin/...", "")
}

// copyTracked copies all files that git tracks, with their uncommitted changes.
func copyTracked(t *testing.T, root, dir string) {
	t.Helper()
	list, err := exec.Command("git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // the file was removed but the removal is not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// replace applies a diff of the page to a file: it replaces the lines marked with - by the lines
// marked with +.
func replace(t *testing.T, path, diff string) {
	t.Helper()
	var old, now []string
	for line := range strings.Lines(diff) {
		if rest, ok := strings.CutPrefix(line, "-"); ok {
			old = append(old, rest)
		} else if rest, ok := strings.CutPrefix(line, "+"); ok {
			now = append(now, rest)
		} else {
			t.Fatalf("%q neither takes away nor adds", line)
		}
	}
	cut := func(lines []string) string { return strings.TrimSuffix(strings.Join(lines, ""), "\n") }
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), cut(old)) != 1 {
		t.Fatalf("%s has %d times %q: %v", path, strings.Count(string(text), cut(old)), cut(old), err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), cut(old), cut(now), 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// follow runs a command of the page in dir and compares what it prints with want.
func follow(t *testing.T, dir, line, want string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = dir
	// The copy is not a repository. With -trimpath, later copies can reuse its compiled packages.
	// The tests that the page names run at full size elsewhere.
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath -buildvcs=false", "NO_COLOR=1", "PENTODE_FULL=")
	out, _ := cmd.CombinedOutput() // a command may fail; its output shows it
	have := regexp.MustCompile(`(?m)^exit status \d+\n?`).ReplaceAllString(strings.TrimRight(string(out), "\n "), "")
	if !golden.Matches(want, have) {
		t.Errorf("$ %s\nprints\n%s\nand the page shows\n%s", line, have, want)
	}
}
