package data_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// TestReadGoesOn checks that every mistake of a declaration is found once, with its kind and severity.
func TestReadGoesOn(t *testing.T) {
	for _, c := range []struct{ text, documented, upstream string }{
		{"{type: array, subtype: {type: tuple, elements: [nosuch, {x: int}]}, sizes: 3, start: $}",
			"error unknown-key, error bad-expression, warning start-alone, error unknown-type, info dialects-differ",
			"error unknown-key, error bad-expression, error start-alone, error unknown-type, error dialects-differ"},
		{"{type: struct, members: [{a: int}, {a: {type: int, size: 3, size: 4}}, b]}",
			"warning unknown-key, warning unknown-key, warning duplicate-key, error wrong-shape, error duplicate-key",
			"warning unknown-key, warning unknown-key, warning duplicate-key, error wrong-shape, warning duplicate-key"},
		{"{type: int, type: int}", "warning duplicate-key", "warning duplicate-key"}, // the first key of all
		{"{type: record, buffersize: 8, members: {a: int, b: {disp: 4, type: loop}}}",
			"error missing-key, error recursive-type",
			"error missing-key, error recursive-type"},
		{"{type: pointer, <<: {subtype: int}}", "error merge-key", "error merge-key"},
		{"{type: int, <<: {+unit: m}}", "warning merge-key", "warning merge-key"},
		{"{type: list, +unit: m}", "info dialects-differ, info dialects-differ", "error dialects-differ"},
		{"{type: real, kind: $n}", "info dialects-differ", "info dialects-differ"},
		{"{type: array, subtype: int, size: -1}", "error ", ""},
		{"{type: array, subtype: int, size: ''}", "error missing-key", "error missing-key"},
		{"{type: array, subtype: int, size: ['']}", "warning wrong-shape", "warning wrong-shape"},
	} {
		for d, want := range map[data.Dialect]string{data.Documented: c.documented, data.Upstream: c.upstream} {
			env := &data.Env{Dialect: d, Lint: true}
			must(t, env.Define("loop", datatest.Tree(t, "{type: array, size: 2, subtype: loop}")))
			must(t, env.Define("list", datatest.Tree(t, "{type: pointer, subtype: list}")))
			var got []string
			_, problems := env.Read(datatest.Tree(t, c.text))
			for _, e := range problems {
				got = append(got, e.Severity.String()+" "+string(e.Kind))
			}
			if s := strings.Join(got, ", "); s != want {
				t.Errorf("%s as %v\n got %s\nwant %s", c.text, d, s, want)
			}
		}
	}
}

// TestReadStops checks the limit of problems in one declaration.
func TestReadStops(t *testing.T) {
	bad := &data.Node{Kind: data.SequenceNode}
	for range 5000 {
		bad.Items = append(bad.Items, data.Map("a", "nosuch"))
	}
	env := &data.Env{Lint: true}
	if _, problems := env.Read(data.Map("type", "struct", "members", bad)); len(problems) < 1000 || len(problems) > 2000 {
		t.Errorf("%d problems, want len(problems) at least 1000 and len(problems) at most 2000", len(problems))
	}
}

// TestReadFirstError checks what a program gets: the first error, with its place and a suggestion.
func TestReadFirstError(t *testing.T) {
	_, err := data.ParseType(datatest.Tree(t, "{type: struct, members: [{a: int}, {b: doubel}, {c: nosuch}]}"), &data.Env{})
	if want := "spec.yml:1:40: unknown type `doubel`: did you mean `double`?"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestExpressions lists the expressions of a declaration, including those of user types and
// without plain numbers.
func TestExpressions(t *testing.T) {
	env := &data.Env{Lint: true}
	must(t, env.Define("row", datatest.Tree(t, "{type: array, subtype: int, size: [$n, 3]}")))
	env.Read(datatest.Tree(t, "{type: array, subtype: row, size: yes, +unit: {of: $u}}"))
	var got []string
	for _, x := range env.Expressions {
		got = append(got, fmt.Sprint(x.Node.Text, " ", x.Number))
	}
	if want := []string{"yes true", "$n true", " false"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestShape checks what is known of a type without values: sizes that depend on data are unknown,
// and invalid parts have no kind.
func TestShape(t *testing.T) {
	env := &data.Env{}
	must(t, env.Define("list", datatest.Tree(t, "{type: struct, members: [{v: int}, {next: {type: pointer, subtype: list}}]}")))
	template, _ := env.Read(datatest.Tree(t, `
type: struct
members:
- fixed: {type: array, subtype: double, size: [2, $n]}
- slice: {type: array, subtype: char, size: 4, start: 1, subsize: 2}
- kind: {type: integer, kind: $k}
- kinds: {type: array, subtype: {type: integer, kind: $k}, size: 2}
- bad: nosuch
- list: list
- pair: {type: tuple, elements: [int8, {named: float}]}
`))
	shape := template.Shape()
	var got []string
	for _, m := range shape.Members {
		got = append(got, m.Name+" "+m.Type.Kind.String())
	}
	if want := "fixed array, slice array, kind null, kinds null, bad null, list record, pair tuple"; strings.Join(got, ", ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	fixed, list := shape.Members[0].Type, shape.Members[5].Type
	if fixed.Count != 2 || fixed.Elem.Count != -1 || fixed.Elem.Elem.Kind != expr.Float64 || shape.Members[1].Type.Count != -1 {
		t.Errorf("the arrays are %+v and %+v, want fixed.Count = 2, fixed.Elem.Count = -1, fixed.Elem.Elem.Kind = %v and shape.Members[1].Type.Count = -1", fixed, shape.Members[1].Type, expr.Float64)
	}
	if list.Members[1].Type.To != list {
		t.Error("the list does not lead back to itself")
	}
}

// TestSubject checks that an error names the datum with the wrong declaration.
func TestSubject(t *testing.T) {
	_, err := data.New(data.Tree(datatest.Tree(t, "data: {x: int, y: nosuch}")), data.Options{})
	if e, ok := err.(*data.Error); !ok || e.Subject.Name != "y" || e.Kind != data.UnknownType || e.Severity != problem.Error {
		t.Errorf("got %#v", err)
	}
}
