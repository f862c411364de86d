package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Limits on the size of a package. Files that all refer to each other can only be understood
// together, so their number is limited too.
const (
	maxFiles       = 40
	maxFileLines   = 700
	maxCircle      = 15
	maxCircleLines = 5300
)

// TestRooms checks the limits: the size of packages and files, and the number of files in a
// package that all refer to each other. Generated files, named zz_*, have no limit.
func TestRooms(t *testing.T) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	type goPackage struct {
		ImportPath, Export, Dir string
		GoFiles                 []string
	}
	export := map[string]string{}
	var own []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		export[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module) {
			own = append(own, p)
		}
	}
	places := token.NewFileSet()
	imports := importer.ForCompiler(places, "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	for _, p := range own {
		name := strings.TrimPrefix(p.ImportPath, module)
		if n := len(p.GoFiles); n > maxFiles {
			t.Errorf("%s has %d files, expected at most %d: join those that are one thought, or find its border", name, n, maxFiles)
		}
		var files []*ast.File
		lines := map[string]int{}
		for _, base := range p.GoFiles {
			file, err := parser.ParseFile(places, filepath.Join(p.Dir, base), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
			lines[base] = places.File(file.FileStart).LineCount() - 1
			if lines[base] > maxFileLines && !strings.HasPrefix(base, "zz_") {
				t.Errorf("%s/%s has %d lines, expected at most %d", name, base, lines[base], maxFileLines)
			}
		}
		uses := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		checker := types.Config{Importer: imports, FakeImportC: true, Error: func(error) {}} // ignore errors: names that cgo generates are unknown here
		checked, _ := checker.Check(p.ImportPath, places, files, uses)
		circle := largestCircle(needs(places, checked, uses))
		sum := 0
		for _, base := range circle {
			sum += lines[base]
		}
		if len(circle) > maxCircle || sum > maxCircleLines {
			t.Errorf("%s: %d files with %d lines all need each other, expected at most %d files and %d lines: %s",
				name, len(circle), sum, maxCircle, maxCircleLines, strings.Join(circle, " "))
		}
	}
}

// needs maps each file of a package to the other files that declare names it uses.
func needs(places *token.FileSet, checked *types.Package, info *types.Info) map[string][]string {
	file := func(p token.Pos) string { return filepath.Base(places.Position(p).Filename) }
	uses := map[string][]string{}
	for id, o := range info.Uses {
		if o.Pkg() != checked {
			continue
		}
		f, isFunc := o.(*types.Func)
		if isMethod := isFunc && f.Signature().Recv() != nil; !isMethod && o.Parent() != checked.Scope() {
			continue
		}
		if from, to := file(id.Pos()), file(o.Pos()); from != to && !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// largestCircle returns the largest set of files in which each file depends on every other one,
// directly or through others.
func largestCircle(uses map[string][]string) (largest []string) {
	reached := map[string]map[string]bool{}
	for from := range uses {
		seen, queue := map[string]bool{}, []string{from}
		for len(queue) > 0 {
			next := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for _, to := range uses[next] {
				if !seen[to] {
					seen[to] = true
					queue = append(queue, to)
				}
			}
		}
		reached[from] = seen
	}
	for from, seen := range reached {
		var circle []string
		for to := range seen {
			if reached[to][from] {
				circle = append(circle, to)
			}
		}
		if len(circle) > len(largest) {
			largest = circle
		}
	}
	slices.Sort(largest)
	return largest
}

// TestLargestCircle checks that largestCircle finds the largest set in some small graphs.
func TestLargestCircle(t *testing.T) {
	uses := map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d", "f"}}
	if got := largestCircle(uses); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the largest circle is %v, expected a, b and c", got)
	}
	if got := largestCircle(map[string][]string{"a": {"b"}, "b": {"c"}}); got != nil {
		t.Errorf("there is no circle, but %v was found", got)
	}
}
