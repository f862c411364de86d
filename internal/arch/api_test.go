package arch

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestPublicSignatures checks that the exported signatures of public packages use no types
// of packages below internal/, because a program that imports a public package could not
// name such types.
func TestPublicSignatures(t *testing.T) {
	need.Slow(t)
	for _, p := range exported(t) {
		if isInternal(p.Path()) || p.Name() == "main" {
			continue
		}
		for _, found := range internalTypes(p) {
			t.Errorf("%s: %s; make the type public, or hide it behind one of the package's own", strings.TrimPrefix(p.Path(), module), found)
		}
	}
}

// TestPublicSignaturesBite checks that the test above finds a type of internal/ wherever it
// appears in a signature.
func TestPublicSignaturesBite(t *testing.T) {
	hidden := types.NewPackage(module+"internal/x", "x")
	secret := types.NewNamed(types.NewTypeName(token.NoPos, hidden, "T", nil), types.NewStruct(nil, nil), nil)
	public := types.NewPackage(module+"core/y", "y")
	add := func(name string, typ types.Type) *types.Named {
		n := types.NewTypeName(token.NoPos, public, name, nil)
		named := types.NewNamed(n, typ, nil)
		public.Scope().Insert(n)
		return named
	}
	field := func(name string, typ types.Type) types.Type {
		return types.NewStruct([]*types.Var{types.NewField(token.NoPos, public, name, typ, false)}, nil)
	}
	add("Field", field("F", types.NewSlice(types.NewPointer(secret))))
	add("Unseen", field("f", secret))
	inner := add("inner", field("F", types.NewMap(types.Typ[types.Int], secret)))
	add("Through", field("F", inner))
	method := add("Method", types.NewStruct(nil, nil))
	result := types.NewTuple(types.NewParam(token.NoPos, public, "", types.NewChan(types.SendRecv, secret)))
	method.AddMethod(types.NewFunc(token.NoPos, public, "Get", types.NewSignatureType(nil, nil, nil, nil, result, false)))
	public.Scope().Insert(types.NewFunc(token.NoPos, public, "Get", types.NewSignatureType(nil, nil, nil, result, nil, false)))
	public.Scope().Insert(types.NewVar(token.NoPos, public, "V", types.NewArray(secret, 2)))
	var got []string
	for _, found := range internalTypes(public) {
		got = append(got, strings.Fields(found)[0])
	}
	if want := []string{"Field.F", "Get", "Method.Get", "Through.F.F", "V"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func isInternal(path string) bool { return strings.Contains(path+"/", "/internal/") }

// exported returns our packages, loaded from their export data, as an importing program
// sees them.
func exported(t *testing.T) []*types.Package {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", module+"...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	var ours []string
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
		if strings.HasPrefix(path, module) && file != "" {
			ours = append(ours, path)
		}
	}
	if len(ours) < 10 {
		t.Fatalf("only %d packages found", len(ours))
	}
	read := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	var list []*types.Package
	for _, path := range ours {
		p, err := read.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// internalTypes returns the places in the exported signatures of a package that name a type
// of internal/.
func internalTypes(p *types.Package) []string {
	w := &walker{of: p, seen: map[*types.Named]bool{}}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		if t, ok := o.(*types.TypeName); ok {
			if named, own := t.Type().(*types.Named); own && !t.IsAlias() {
				w.declared(name, named)
				continue
			}
		}
		w.visit(name, o.Type())
	}
	return w.found
}

type walker struct {
	of    *types.Package
	seen  map[*types.Named]bool
	found []string
}

// declared checks what a declared type exposes: its definition and its methods.
func (w *walker) declared(at string, n *types.Named) {
	if w.seen[n] {
		return
	}
	w.seen[n] = true
	w.visit(at, n.Underlying())
	for m := range n.Methods() {
		if m.Exported() {
			w.visit(at+"."+m.Name(), m.Type())
		}
	}
}

func (w *walker) visit(at string, t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		pkg := t.Obj().Pkg()
		switch {
		case pkg == nil: // the predeclared type error has no package
		case strings.HasPrefix(pkg.Path(), module) && isInternal(pkg.Path()):
			w.found = append(w.found, fmt.Sprintf("%s has the type %s", at, t))
		case pkg == w.of && !t.Obj().Exported():
			w.declared(at, t) // an unexported type is not checked elsewhere
		}
		for arg := range t.TypeArgs().Types() {
			w.visit(at, arg)
		}
	case interface{ Elem() types.Type }: // pointers, slices, arrays, maps, channels
		if m, ok := t.(*types.Map); ok {
			w.visit(at, m.Key())
		}
		w.visit(at, t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.visit(at+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				w.visit(at+"."+m.Name(), m.Type())
			}
		}
		for e := range t.EmbeddedTypes() {
			w.visit(at, e)
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				w.visit(at, v.Type())
			}
		}
		for p := range t.TypeParams().TypeParams() {
			w.visit(at, p.Constraint())
		}
	case *types.Union:
		for term := range t.Terms() {
			w.visit(at, term.Type())
		}
	}
}
