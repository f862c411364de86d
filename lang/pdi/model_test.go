package pdi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

func read(text string) *pdi.Model {
	tree := syntax.Parse(source.NewFile("a.yml", text))
	return pdi.ReadAt(tree, tree.Root, &load.Env{Opener: source.Map{}}) // the tree may have errors
}

// TestTypeOf finds types by the names of types and data. The error for a type that cannot be read gives the reason, or the names its size depends on.
func TestTypeOf(t *testing.T) {
	m := read(`types:
  point: {type: struct, members: [{x: int}, {y: double}]}
  wrong: {type: array, subtype: nosuch, size: 1}
  sized: {type: array, subtype: int, size: $n}
metadata: {n: int}
data:
  p: point
  line: {type: array, subtype: point, size: '$n + $m'}
  bad: {type: array, subtype: int}
`)
	if got := m.Names(); !slices.Equal(got, []string{"point", "wrong", "sized", "n", "p", "line", "bad"}) {
		t.Errorf("the tree declares %v, want %v", got, []string{"point", "wrong", "sized", "n", "p", "line", "bad"})
	}
	s, err := m.Values(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"point": "16 bytes", "p": "16 bytes", "n": "4 bytes",
		"wrong":  "error: a.yml:3:33: unknown type `nosuch`",
		"bad":    "error: ",
		"line":   "needs [n m]",
		"sized":  "needs [n]",
		"poin":   "error: the tree declares no `poin`: did you mean `point`?",
		"nosuch": "error: the tree declares no `nosuch`",
	} {
		typ, err := m.TypeOf(s, name)
		got := ""
		switch needs := pdi.Needs(err); {
		case err == nil:
			got = fmt.Sprintf("%d bytes", typ.Size())
		case len(needs) > 0:
			got = fmt.Sprint("needs ", needs)
		default:
			got = "error: " + err.Error()
		}
		if got != want && (err == nil || !strings.HasPrefix(got, want) || strings.HasPrefix(want, "needs")) {
			t.Errorf("%s\n got %s\nwant %s", name, got, want)
		}
	}
	s, err = m.Values(nil, []pdi.Assignment{{Name: "n", Value: "3"}, {Name: "m", Value: "4"}})
	if err != nil {
		t.Fatal(err)
	}
	if typ, err := m.TypeOf(s, "line"); err != nil || typ.Size() != 7*16 {
		t.Errorf("with values the size is %v, %v", typ, err)
	}
}

// TestAssign gives data values, with their declared types if they have one.
func TestAssign(t *testing.T) {
	m := read("metadata: {n: int, list: {type: array, subtype: int, size: 2}, s: {type: array, subtype: char, size: 4}}\n")
	for _, c := range []struct {
		set  []pdi.Assignment
		expr string
		want string
	}{
		{[]pdi.Assignment{{Name: "n", Value: "3"}}, "$n + 1", "4"},
		{[]pdi.Assignment{{Name: "list", Value: "[5, 6]"}}, "$list[1]", "6"},
		{[]pdi.Assignment{{Name: "free", Value: "7"}}, "$free * 2", "14"},
		{[]pdi.Assignment{{Name: "free", Value: "{a: 8}"}}, "$free.a", "8"},
		{[]pdi.Assignment{{Name: "n", Value: "3"}, {Name: "n", Value: "4"}}, "$n", "4"},
		{[]pdi.Assignment{{Name: "list", Value: "[1, 2, 3]"}}, "", "cannot give `list` the value `[1, 2, 3]`"},
		{[]pdi.Assignment{{Name: "n", Value: "[1, 2"}}, "", "cannot give `n` "},
		{[]pdi.Assignment{{Name: "n", Value: "$nosuch"}}, "", "cannot give `n` "},
	} {
		s, err := m.Values(nil, c.set)
		got := ""
		if err == nil {
			var v *data.Value
			if v, err = s.Env().ParseValue(data.Text(c.expr)); err == nil {
				var n int64
				n, err = v.Long()
				got = fmt.Sprint(n)
			}
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%v: %s is %s, want %s", c.set, c.expr, got, c.want)
		}
	}
	if s, err := pdi.Empty(data.Documented, []pdi.Assignment{{Name: "a", Value: "1"}}); err != nil || s == nil {
		t.Errorf("a store without a tree: %v", err)
	}
}

// TestPluginTypes: the types of a plugin are known even if no plugin runs.
func TestPluginTypes(t *testing.T) {
	m := read("data: {comm: MPI_Comm}\nplugins:\n  mpi:\n  nosuch:\n")
	s, err := m.Values(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if typ, err := m.TypeOf(s, "comm"); err != nil || typ.Size() != s.Env().Machine.Pointer {
		t.Errorf("%v, %v", typ, err)
	}
}

// TestWrittenFiles lists the HDF5 and netCDF files that a tree writes, and whether ranks write them together.
func TestWrittenFiles(t *testing.T) {
	const list = `data: {x: int}
plugins:
  decl_hdf5:
  - {file: a.h5, write: [x]}
  - {file: b.h5, read: [x]}
  - {file: 'c_$n.h5', write: [x], communicator: $MPI_COMM_WORLD}
  - {write: [x]}
  decl_netcdf: {file: d.nc, write: x}
`
	for text, want := range map[string]string{
		list: "a.h5 4:12 false, c_$n.h5 6:12 true, d.nc 8:23 false",
		"plugins: {decl_hdf5: {file: a.h5, write: [x]}}\n": "a.h5 1:29 false",
		"plugins: {trace: {}}\n":                           "",
		"plugins: {decl_hdf5: a.h5}\n":                     "",
	} {
		var got []string
		for _, f := range read(text).WrittenFiles() {
			got = append(got, fmt.Sprintf("%s %s %v", f.Name, strings.TrimPrefix(f.Span.String(), "a.yml:"), f.Together))
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%q writes %q, want %q", text, s, want)
		}
	}
}

// TestDeclarations checks the places of names and of their types.
func TestDeclarations(t *testing.T) {
	m := read("# a tree\nmetadata: {n: int}\ndata:\n  x: double\n")
	for name, want := range map[string]string{"n": "2:12 2:15", "x": "4:3 4:6"} {
		d := m.Lookup(name)
		if d == nil {
			t.Errorf("%s is not found", name)
			continue
		}
		if got := strings.ReplaceAll(d.Span().String()+" "+d.TypeSpan().String(), "a.yml:", ""); got != want {
			t.Errorf("%s is at %s, want %s", name, got, want)
		}
	}
	if m.Lookup("nosuch") != nil {
		t.Error("a name that is not declared is found")
	}
	if got := m.Top().String(); got != "a.yml:1:1" {
		t.Errorf("the tree begins at %s; want %q", got, "a.yml:1:1")
	}
}

// TestReadAt reads a tree that is a part of a larger document; messages name places in that document.
func TestReadAt(t *testing.T) {
	tree := syntax.Parse(source.NewFile("a.yml", "runs:\n- other: 1\n- metadata: {n: int}\n  data: {x: nosuch}\n"))
	runs, ok := tree.Root.Find("runs")
	if !ok {
		t.Fatal("the document has no runs")
	}
	m := pdi.ReadAt(tree, runs.Value.Entries[1].Value, &load.Env{Opener: source.Map{}})
	if diff := cmp.Diff([]string{"n", "x"}, m.Names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := m.Diagnostics(); len(found) != 1 || found[0].Span.String() != "a.yml:4:13" {
		t.Errorf("%v, want len(found) = 1 and found[0].Span.String() = %q", found, "a.yml:4:13")
	}
}
