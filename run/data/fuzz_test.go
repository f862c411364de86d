package data_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
)

// FuzzType reads any YAML as a type, in both dialects, and walks the result in every way. The
// checker and the program must refuse the same declarations.
func FuzzType(f *testing.F) {
	f.Add("int")
	f.Add(particle)
	f.Add(everything)
	f.Add("{type: array, subtype: t, size: [$n, -3], subsize: [1, 1], start: [9, 0]}")
	f.Add("{type: array, subtype: {type: tuple}, size: 1000000000000}")
	f.Add("{type: record, buffersize: 4, members: {a: {disp: -1, type: double}, b: {disp: 99, type: t}}}")
	f.Add("{type: tuple, elements: [int, {x: {disp: 3, type: t}}, {type: pointer, subtype: self}]}")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := datatest.Read(text)
		if err != nil || len(text) > 4096 {
			return
		}
		for _, dialect := range []data.Dialect{data.Documented, data.Upstream} {
			env := &data.Env{Dialect: dialect}
			env.Define("t", data.Text("int"))
			env.Define("self", n)
			template, err := data.ParseType(n, env)
			if refused := lints(n, dialect); refused != (err != nil) {
				t.Fatalf("%s as %v: a checker is told %v, a program %v", text, dialect, refused, err)
			}
			if err != nil {
				continue
			}
			typ, err := template.Evaluate()
			if err != nil {
				continue
			}
			if dialect == data.Documented && !data.Sound(typ) {
				t.Fatalf("%s: the documented dialect made a type that reaches outside its buffer", text)
			}
			_, _, _ = typ.String(), data.Layout(typ), data.Densify(typ)
			if !data.Equal(typ, typ) {
				t.Fatalf("%s: not equal to itself", text)
			}
			if r, ok := typ.(*data.Record); ok {
				data.Advise(r)
			}
			if uint64(typ.Size()) > 1<<16 || !data.Sound(typ) {
				continue
			}
			memory := make([]byte, typ.Size())
			fields, err := data.Decode(typ, data.X86_64(), memory)
			if err != nil {
				t.Fatal(err)
			}
			for field := range fields {
				if field.Offset < 0 || field.Offset+field.Size > typ.Size() {
					t.Fatalf("%s: %s lies at %d, want it within the %d bytes of the type", text, field.Path, field.Offset, typ.Size())
				}
			}
			j := data.JSON{Machine: data.X86_64()}
			j.Append(nil, typ, memory)
		}
	})
}

// FuzzSpec makes a store from any YAML and uses it. The same calls must give the same results.
// Memory that the store may only read must not change, nor any memory outside what was shared.
func FuzzSpec(f *testing.F) {
	f.Add("data: {x: int}\nplugins: {trace: }")
	f.Add("metadata: {x: int}\nplugins: {set_value: {on_init: [{expose: [x: 3]}], on_data: {x: [{event: e}]}, on_event: {e: [{expose: [x: $x]}]}}}")
	f.Add("logging: {pattern: '%{x}', level: debug}\nplugins: {serialize: {x: y}, timer: {a: b}}\ndata: {x: {type: array, subtype: int, size: 4, start: 1, subsize: 2}}")
	f.Add("types: {t: t}\ndata: {x: t}")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := datatest.Read(text)
		if err != nil || len(text) > 4096 {
			return
		}
		for _, dialect := range []data.Dialect{data.Documented, data.Upstream} {
			first := useStore(t, n, dialect)
			if again := useStore(t, n, dialect); first != again {
				t.Fatalf("%s as %v: the calls answered\n%s\nand another time\n%s\nwant %v", text, dialect, first, again, again)
			}
		}
	})
}

// useStore calls a store of a tree and returns the results of the calls.
func useStore(t *testing.T, n *data.Node, dialect data.Dialect) string {
	open := func(string, int, fs.FileMode) (data.File, error) { return nil, fs.ErrPermission }
	s, err := data.New(data.Tree(n), data.Options{
		Dialect: dialect,
		Plugins: plugin.List(plugin.Program{}),
		Host:    data.Host{Console: io.Discard, Open: open},
	})
	if err != nil {
		return err.Error()
	}
	given := bytes.Repeat([]byte{1}, 512)
	memory := given[:256:256]
	answers := []error{s.Expose("x", memory, data.InOut)}
	before := bytes.Clone(given)
	answers = append(answers, s.Share("x", memory, data.Out))
	_, err = s.Access("x", data.In)
	answers = append(answers, err, s.Event("e"), s.Release("x"), s.Close())
	if !bytes.Equal(given, before) {
		t.Fatal("the store wrote to what it may only read")
	}
	if !bytes.Equal(given[256:], bytes.Repeat([]byte{1}, 256)) {
		t.Fatal("the store wrote past the memory that it was given")
	}
	return fmt.Sprint(answers)
}

// lints reads a declaration as a checker does and reports whether it is refused before the layout.
func lints(n *data.Node, d data.Dialect) bool {
	env := &data.Env{Dialect: d, Lint: true}
	env.Define("t", data.Text("int"))
	env.Define("self", n)
	template, problems := env.Read(n)
	template.Shape()
	return slices.ContainsFunc(problems, func(e *data.Error) bool {
		return e.Severity == problem.Error && e.Kind != "" && (e.Kind != data.StartAlone || e.Status == data.StatusSpecTree)
	})
}
