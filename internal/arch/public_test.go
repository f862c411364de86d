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

// withoutExample lists public packages that need no example, with the reason.
var withoutExample = map[string]string{
	"run/flow/flowtest":        "it takes a *testing.T",
	"run/flow/recording":       "the engine of pipelines calls it: flow.Options has its options",
	"run/data/ranks":           "the plugin mpi hands it on; it takes the ranks of an MPI",
	"run/data/plugin/flow":     "the list in run/data/plugin has it",
	"run/data/plugin/mpi":      "the list in run/data/plugin has it",
	"run/data/plugin/pycall":   "the list in run/data/plugin has it",
	"run/data/plugin/usercode": "the example of run/data/plugin uses it",
	"run/handoff":              "its two ends are two programs",
	"run/trace/collect":        "it runs a program under a tracer that is compiled first",
	"run/trace/ctf":            "it reads a trace of a program",
	"run/trace/ctf/tsdl":       "run/trace/ctf reads with it",
	"run/trace/recorded":       "it reads a trace of a program",
	"run/trace/forecast":       "it reads a trace of a program",
	"runs/traced":              "it runs a program under a tracer that is compiled first",
	"lang/pinsight/installed":  "a dialect: lang/pinsight reads it",
	"core/debuginfo":           "it reads a compiled program",
	"core/debuginfo/structs":   "it reads a compiled program",
}

// TestPublicPackages checks that each public package has a package comment, and that each package
// listed in tools/api has an example, unless withoutExample gives a reason.
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
		if _, err := os.Stat(filepath.Join(root, "tools", "api", apiFile(path))); err != nil {
			continue
		}
		found++
		switch why := withoutExample[path]; {
		case why == "" && !examples:
			t.Errorf("%s has no example with an `// Output:` that a test compares", path)
		case why != "" && examples:
			t.Errorf("%s has an example now: take it out of withoutExample", path)
		}
	}
	if found < 40 {
		t.Errorf("only %d packages of tools/api are looked at", found)
	}
}

// documented reports whether a package has a package comment, and an example that runs.
func documented(t *testing.T, dir string) (comment, example bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	comment = !slices.ContainsFunc(files, isCode) // a folder that contains only tests needs no comment
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
