package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestNoPatternAtStart checks that the program compiles no regular expression at its
// start, because most commands need none.
func TestNoPatternAtStart(t *testing.T) {
	need.Slow(t)
	out, err := exec.Command("go", "list", "-deps", "-f", "{{range .GoFiles}}{{$.Dir}}/{{.}}\n{{end}}", module+"cmd/pentode").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	files, found := token.NewFileSet(), 0
	for path := range strings.FieldsFuncSeq(string(out), func(r rune) bool { return r == '\n' }) {
		if !strings.HasPrefix(path, root+string(filepath.Separator)) {
			continue
		}
		found++
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			vars, ok := d.(*ast.GenDecl)
			if !ok || vars.Tok != token.VAR {
				continue
			}
			ast.Inspect(vars, func(n ast.Node) bool {
				if _, later := n.(*ast.FuncLit); later {
					return false
				}
				if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "MustCompile" {
					t.Errorf("%s: compile it when it is first used, with sync.OnceValue", files.Position(n.Pos()))
				}
				return true
			})
		}
	}
	if found < 300 {
		t.Errorf("only %d files of the program were found", found)
	}
}
