package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// TestEnums checks that each enumerated type in an output schema lists all of its constants.
func TestEnums(t *testing.T) {
	enums := map[reflect.Type]jsontext.Enum{}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch zero := reflect.Zero(t).Interface().(type) {
		case jsontext.Enum:
			enums[t] = zero
		case jsontext.Form:
			walk(reflect.TypeOf(zero.JSONForm()))
		}
		switch t.Kind() {
		case reflect.Slice, reflect.Array, reflect.Pointer, reflect.Map:
			walk(t.Elem())
		case reflect.Struct:
			for _, f := range reflect.VisibleFields(t) {
				walk(f.Type)
			}
		}
	}
	for _, j := range jsonAnswers() {
		if j.value != nil {
			walk(reflect.TypeOf(j.value))
		}
	}
	if len(enums) < 10 {
		t.Errorf("%d types name their values, expected at least 10", len(enums))
	}
	for typ, enum := range enums {
		have, want := slices.Sorted(slices.Values(enum.JSONValues())), constants(t, typ)
		if !slices.Equal(have, want) {
			t.Errorf("%s names %q, and its constants are %q", typ, have, want)
		}
	}
}

// constants returns the values of a type's constants, read from its source code.
func constants(t *testing.T, typ reflect.Type) []string {
	t.Helper()
	dir := filepath.Join(golden.Root(t), filepath.FromSlash(strings.TrimPrefix(typ.PkgPath(), "github.com/pentode-dev/pentode/")))
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source of %s: %v", typ, err)
	}
	var values []string
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if of, ok := spec.Type.(*ast.Ident); ok && of.Name == typ.Name() {
				for _, v := range spec.Values {
					if literal, ok := v.(*ast.BasicLit); ok {
						text, _ := strconv.Unquote(literal.Value)
						values = append(values, text)
					}
				}
			}
			return true
		})
	}
	slices.Sort(values)
	return values
}
