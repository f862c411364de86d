package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// programLines are the maximum numbers of lines of the programs in docs/go.md, without imports and blank lines.
var programLines = map[string]int{"product/main.go": 20, "check/main.go": 10, "shout/main.go": 30, "echo/main.go": 30}

// TestGoPage builds and runs the programs of docs/go.md unchanged, in a separate module,
// which cannot import packages below internal/.
func TestGoPage(t *testing.T) {
	need.Slow(t) // it compiles programs
	root := golden.Root(t)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// Use the versions of the library's own dependencies, so that nothing has to be downloaded.
	name := strings.TrimSuffix(module, "/")
	write("go.mod", strings.Replace(read("go.mod"), "module "+name+"\n", "module example.org/mine\n", 1)+
		"\nrequire "+name+" v1.0.0\n\nreplace "+name+" => "+strconv.Quote(root)+"\n")
	write("go.sum", read("go.sum"))
	lines := map[string]int{}
	for _, m := range golden.Fence.FindAllStringSubmatch(read("docs/go.md"), -1) {
		switch {
		case m[1] == "console":
			for _, command := range strings.Split("\n"+m[3], "\n$ ")[1:] {
				line, want, _ := strings.Cut(strings.TrimSuffix(command, "\n"), "\n")
				follow(t, dir, line, want)
			}
		case m[2] == "":
			t.Errorf("nothing tries\n%s", m[0])
		default:
			write(m[2], m[3])
			if m[1] == "go" {
				lines[m[2]] = codeLines(m[3])
			}
		}
	}
	for program, most := range programLines {
		if n := lines[program]; n == 0 || n > most {
			t.Errorf("%s has %d lines without imports and blank lines, want 1 to %d", program, n, most)
		}
	}
	follow(t, dir, "gofmt -l .", "")
	follow(t, dir, "go vet ./...", "")
}

var imports = regexp.MustCompile(`(?ms)^import \(.*?^\)\n`)

func codeLines(text string) (n int) {
	for line := range strings.Lines(imports.ReplaceAllString(text, "")) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}
