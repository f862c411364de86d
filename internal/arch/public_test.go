package arch

import (
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
)

// withoutExample are promised packages whose functions an example cannot call.
var withoutExample = map[string]string{
	"run/flow/flowtest": "it takes a *testing.T",
}

// TestPublicPackages: `go doc` says what each package is for, and shows how to use those that other programs import.
func TestPublicPackages(t *testing.T) {
	root := golden.Root(t)
	found := 0
	for _, p := range list(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if isInternal(p.ImportPath) {
			continue
		}
		comment, examples := documented(t, filepath.Join(root, filepath.FromSlash(path)))
		if !comment {
			t.Errorf("%s has no package comment", path)
		}
		if !promised.MatchString(path) || withoutExample[path] != "" {
			continue
		}
		found++
		if !examples {
			t.Errorf("%s has no example with an `// Output:` that a test compares", path)
		}
	}
	if found < 15 {
		t.Errorf("only %d packages have examples that were looked for", found)
	}
}

// documented reports whether a package has a package comment, and an example that runs.
func documented(t *testing.T, dir string) (comment, example bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	comment = !slices.ContainsFunc(files, isCode) // a folder of tests alone needs none
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if isCode(name) {
			comment = comment || f.Doc != nil
			continue
		}
		example = example || slices.ContainsFunc(doc.Examples(f), func(e *doc.Example) bool { return e.Output != "" })
	}
	return comment, example
}

func isCode(file string) bool { return !strings.HasSuffix(file, "_test.go") }
