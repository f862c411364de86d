package arch

import (
	"errors"
	"fmt"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// promised are the packages that other programs may import. Packages whose types appear in their API belong to them.
var promised = regexp.MustCompile(`^(run/(flow|data|launch|trace|target)|run/flow/(adapter|catalog|flowtest|image)|run/data/(into|plugin)|runs|lang|lang/(all|coil|paradyn|pdi|pinsight|sprokit)|cli)$`)

// TestGoldenAPI compares the public API with the lists in tools/api. The flag -update only adds lines. A line that
// no longer holds must be deleted by hand, so that a breaking change is noticed.
func TestGoldenAPI(t *testing.T) {
	if !golden.Updating() {
		need.Slow(t)
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the lists are those of linux/amd64")
	}
	folder := filepath.Join(golden.Root(t), "tools", "api")
	known := map[string]bool{}
	for _, p := range surface(exported(t)) {
		path := strings.TrimPrefix(p.Path(), module)
		file := apiFile(path)
		known[file] = true
		compareAPI(t, filepath.Join(folder, file), path, declarations(p))
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[f.Name()] {
			t.Errorf("tools/api/%s lists a package that other programs can no longer import; delete the file if that is intended", f.Name())
		}
	}
}

// apiFile returns the file name of a package's list.
func apiFile(path string) string { return strings.ReplaceAll(path, "/", "_") + ".txt" }

func compareAPI(t *testing.T, file, path string, now []string) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	before := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	before = slices.DeleteFunc(before, func(line string) bool { return line == "" })
	gone, added := apart(before, now)
	for _, line := range gone {
		if golden.Updating() {
			break // .ci/api names them
		}
		t.Errorf("%s no longer has\n\t%s\nPrograms that use it break. If that is intended, delete the line from tools/api/%s, and name the change in CHANGELOG.md", path, line, filepath.Base(file))
	}
	if len(added) == 0 {
		return
	}
	if !golden.Updating() {
		t.Errorf("%s has more than tools/api/%s: run .ci/update\n\t%s", path, filepath.Base(file), strings.Join(added, "\n\t"))
		return
	}
	all := append(before, added...)
	slices.Sort(all)
	if err := os.WriteFile(file, []byte(strings.Join(all, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// apart compares two lists and returns the lines that are only in the first (gone) and those that are only in the
// second (added).
func apart(before, now []string) (gone, added []string) {
	has := func(list []string) func(string) bool { return func(s string) bool { return slices.Contains(list, s) } }
	return slices.DeleteFunc(slices.Clone(before), has(now)), slices.DeleteFunc(slices.Clone(now), has(before))
}

// surface returns the promised packages, and recursively the packages whose types appear in their API.
func surface(all []*types.Package) []*types.Package {
	byPath := map[string]*types.Package{}
	open := map[string]bool{}
	for _, p := range all {
		byPath[p.Path()] = p
		if promised.MatchString(strings.TrimPrefix(p.Path(), module)) {
			open[p.Path()] = true
		}
	}
	found := map[string]bool{}
	for len(open) > 0 {
		for path := range open {
			delete(open, path)
			found[path] = true
			for other := range mentioned(byPath[path]) {
				if byPath[other] != nil && !found[other] {
					open[other] = true
				}
			}
		}
	}
	var list []*types.Package
	for _, path := range slices.Sorted(maps.Keys(found)) {
		list = append(list, byPath[path])
	}
	return list
}

// mentioned returns the packages of the types in the declarations of a package.
func mentioned(p *types.Package) map[string]bool {
	found := map[string]bool{}
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() {
			declare(o, func(q *types.Package) string {
				found[q.Path()] = true
				return ""
			})
		}
	}
	return found
}

// declarations returns the exported declarations of a package, one line for each, sorted.
func declarations(p *types.Package) []string {
	short := func(q *types.Package) string {
		if q == p {
			return ""
		}
		return strings.TrimPrefix(q.Path(), module)
	}
	var lines []string
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() {
			lines = append(lines, declare(o, short)...)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// declare returns the lines of one declaration: for a type also its exported fields and methods.
func declare(o types.Object, short types.Qualifier) []string {
	name := o.Name()
	text := func(t types.Type) string { return types.TypeString(nameless(t), short) }
	switch o := o.(type) {
	case *types.Const:
		return []string{"const " + name + " " + text(o.Type())}
	case *types.Var:
		return []string{"var " + name + " " + text(o.Type())}
	case *types.Func:
		return []string{"func " + name + strings.TrimPrefix(text(o.Type()), "func")}
	}
	if alias, ok := o.Type().(*types.Alias); ok {
		return []string{"type " + name + " = " + text(alias.Rhs())}
	}
	t := o.Type().(*types.Named)
	head := "type " + name
	if params := t.TypeParams(); params.Len() > 0 {
		var list []string
		for p := range params.TypeParams() {
			list = append(list, p.Obj().Name()+" "+text(p.Constraint()))
		}
		head += "[" + strings.Join(list, ", ") + "]"
	}
	var lines []string
	switch u := t.Underlying().(type) {
	case *types.Struct:
		lines = append(lines, head+" struct")
		for f := range u.Fields() {
			switch {
			case !f.Exported():
			case f.Embedded():
				lines = append(lines, head+" struct, embedded "+text(f.Type()))
			default:
				lines = append(lines, head+" struct, "+f.Name()+" "+text(f.Type()))
			}
		}
	case *types.Interface: // one line for all methods, because an additional method breaks implementations
		var list []string
		for m := range u.Methods() {
			method := "unexported"
			if m.Exported() {
				method = m.Name() + strings.TrimPrefix(text(m.Type()), "func")
			}
			list = append(list, method)
		}
		return append(lines, head+" interface { "+strings.Join(slices.Compact(slices.Sorted(slices.Values(list))), "; ")+" }")
	default:
		lines = append(lines, head+" "+text(u))
	}
	values := types.NewMethodSet(t)
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		f := m.Obj().(*types.Func)
		if !f.Exported() || len(m.Index()) > 1 && f.Pkg() != o.Pkg() {
			continue // a promoted method or field: the embedded type has its own line
		}
		receiver := "*" + name
		if values.Lookup(f.Pkg(), f.Name()) != nil {
			receiver = name
		}
		lines = append(lines, fmt.Sprintf("method (%s) %s%s", receiver, f.Name(), strings.TrimPrefix(text(f.Type()), "func")))
	}
	return lines
}

// nameless returns a function type without the names of its parameters, which do not affect callers.
func nameless(t types.Type) types.Type {
	s, ok := t.(*types.Signature)
	if !ok {
		return t
	}
	strip := func(list *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range list.Variables() {
			vars = append(vars, types.NewParam(v.Pos(), v.Pkg(), "", nameless(v.Type())))
		}
		return types.NewTuple(vars...)
	}
	var params []*types.TypeParam
	for p := range s.TypeParams().TypeParams() {
		params = append(params, p)
	}
	if len(params) > 0 {
		return s // its type parameters belong to it
	}
	return types.NewSignatureType(nil, nil, nil, strip(s.Params()), strip(s.Results()), s.Variadic())
}
