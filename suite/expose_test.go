package suite

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/heat"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// plate runs a pipeline whose solver feeds fields into a store with this tree.
func plate(t *testing.T, tree *data.Node, config pipe.Config) (*data.Store, error) {
	t.Helper()
	store, err := data.New(data.Tree(tree), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	registry := pipe.NewRegistry(heat.Types()...)
	if err := registry.Add(ExposeType(func(string) (*data.Store, error) { return store, nil })); err != nil {
		t.Fatal(err)
	}
	p := flow.New(registry)
	p.AddProcess("solver", "heat", pipe.Set("rows", "4", "cols", "6", "steps", "4", "every", "2"))
	p.AddProcess("out", "expose", config)
	p.Connect("solver.step", "out.step")
	p.Connect("solver.field", "out.field")
	return store, p.Run(context.Background(), flow.Options{})
}

func plateTree(fieldType any) *data.Node {
	return data.Map(
		"logging", "off",
		"metadata", data.Map("rows", "int", "cols", "int", "step", "int64"),
		"data", data.Map("field", fieldType),
	)
}

var grid = data.Map("type", "array", "subtype", "double", "size", data.List("$rows", "$cols"))

func TestExposeFeedsTheStore(t *testing.T) {
	store, err := data.New(data.Tree(plateTree(grid)), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	store.OnEvent("newstep", func(string) error {
		step, err := store.Ref("step")
		if err != nil {
			return err
		}
		field, err := store.Ref("field")
		if err != nil {
			return err
		}
		a, err := step.Read()
		if err != nil {
			return err
		}
		b, err := field.Read()
		seen = append(seen, fmt.Sprintf("step %d, %d bytes", a[0], len(b)))
		return err
	})
	registry := pipe.NewRegistry(heat.Types()...)
	if err := registry.Add(ExposeType(func(string) (*data.Store, error) { return store, nil })); err != nil {
		t.Fatal(err)
	}
	p := flow.New(registry)
	p.AddProcess("solver", "heat", pipe.Set("rows", "4", "cols", "6", "steps", "4", "every", "2"))
	p.AddProcess("out", "expose", pipe.Set("spec", "x.yml", "event", "newstep", "values:rows", "4", "values:cols", "6"))
	p.Connect("solver.field", "out.field")
	p.Connect("solver.step", "out.step")
	if err := p.Run(context.Background(), flow.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(seen, "; "); got != "step 0, 192 bytes; step 2, 192 bytes; step 4, 192 bytes" {
		t.Errorf("%v; want %q", got, "step 0, 192 bytes; step 2, 192 bytes; step 4, 192 bytes")
	}
}

func TestExposeSaysWhatDoesNotFit(t *testing.T) {
	base := []string{"spec", "x.yml", "values:rows", "4", "values:cols", "6"}
	for _, c := range []struct {
		name   string
		tree   *data.Node
		config []string
		want   string
	}{
		{"another size", plateTree(data.Map("type", "array", "subtype", "double", "size", "5")), base, "an array of 4 × 6 float64 arrives, but the tree declares 5"},
		{"no such datum", data.Map("logging", "off", "metadata", data.Map("step", "int", "rows", "int", "cols", "int")), base, "port `field` feeds nothing"},
		{"no such metadata", plateTree(grid), append([]string{"values:rank", "1"}, base...), "the tree has no metadata `rank`"},
		{"text for a number", plateTree(grid), []string{"spec", "x", "values:rows", "four"}, "the text `four` arrives, but the tree declares `int`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := plate(t, c.tree, pipe.Set(c.config...))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "out") {
				t.Errorf("got %v\nwant %s, with the name of the process", err, c.want)
			}
		})
	}
}

// TestExposeTakesTurns: only one process at a time uses a store.
func TestExposeTakesTurns(t *testing.T) {
	for _, scheduler := range flow.Schedulers() {
		store, err := data.New(data.Tree(data.Map("logging", "off", "data", data.Map("a", "int64", "b", "int64"))), data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		events := 0
		store.OnEvent("step", func(string) error {
			events++
			return nil
		})
		registry := catalog.Standard()
		if err := registry.Add(ExposeType(func(string) (*data.Store, error) { return store, nil })); err != nil {
			t.Fatal(err)
		}
		p := flow.New(registry)
		p.AddProcess("src", "numbers", pipe.Set("end", "2000"))
		for _, name := range []string{"a", "b"} {
			p.AddProcess("out_"+name, "expose", pipe.Set("spec", "x.yml", "event", "step"))
			p.Connect("src.number", "out_"+name+"."+name)
		}
		if err := p.Run(context.Background(), flow.Options{Scheduler: scheduler}); err != nil {
			t.Fatalf("%s: %v", scheduler, err)
		}
		if events != 4000 {
			t.Errorf("%s: %d events, want 4000", scheduler, events)
		}
	}
}

// TestExposeInTheOrderOfSizes: data on which a size depends are exposed first, whatever their names and the order of the connections.
func TestExposeInTheOrderOfSizes(t *testing.T) {
	node := data.Map(
		"logging", "off",
		"metadata", data.Map("zwidth", "int", "dims", data.Map("type", "array", "subtype", "char", "size", "$zwidth"), "a", data.Map("type", "array", "subtype", "char", "size", "$zwidth")),
		"data", data.Map("b", "int64"),
	)
	store, err := data.New(data.Tree(node), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	registry := catalog.Standard()
	if err := registry.Add(ExposeType(func(string) (*data.Store, error) { return store, nil })); err != nil {
		t.Fatal(err)
	}
	p := flow.New(registry)
	p.AddProcess("src", "numbers", pipe.Set("end", "3"))
	p.AddProcess("out", "expose", pipe.Set("spec", "x.yml", "values:a", "text", "values:zwidth", "8"))
	p.Connect("src.number", "out.b")
	if err := p.Run(context.Background(), flow.Options{}); err != nil {
		t.Fatal(err)
	}
	var order []string
	inOrder(store, []string{"a", "b", "dims", "zwidth"}, func(name string) { order = append(order, name) })
	if got := strings.Join(order, " "); got != "zwidth a b dims" {
		t.Errorf("the order is %s; want %q", got, "zwidth a b dims")
	}
}

// TestTextsFit: a text fits bytes of its length or more; the rest is filled with zeros.
func TestTextsFit(t *testing.T) {
	for _, c := range []struct {
		typ  *data.Node
		want string
	}{
		{data.Map("type", "array", "subtype", "char", "size", "6"), "water\x00"}, {data.Map("type", "array", "subtype", "char", "size", "5"), "water"},
		{data.Map("type", "array", "subtype", "char", "size", "4"), "the text has 5 bytes, but the tree declares 4"},
		{data.Map("type", "array", "subtype", "int16", "size", "5"), "the text `water` arrives, but the tree declares"},
		{data.Text("char"), "the text `water` arrives, but the tree declares `char`"},
	} {
		template, err := data.ParseType(c.typ, &data.Env{})
		if err != nil {
			t.Fatal(err)
		}
		typ, err := template.Evaluate()
		if err != nil {
			t.Fatal(err)
		}
		memory, err := memoryFor(typ, constant(" water "))
		have := fmt.Sprintf("%s", memory)
		if err != nil {
			have = err.Error()
		}
		if !strings.HasPrefix(have, c.want) || err == nil && have != c.want {
			t.Errorf("into %v: %q, want %q", typ, have, c.want)
		}
	}
}

func TestNumbersFit(t *testing.T) {
	for _, c := range []struct {
		typ   string
		value string
		want  string // "" if it fits
	}{
		{"int8", "127", ""}, {"int8", "-128", ""}, {"int8", "128", "128 does not fit into `int8`, which is signed and has 8 bits"},
		{"uint8", "255", ""}, {"uint8", "256", "does not fit"}, {"uint8", "-1", "-1 does not fit into `uint8`, which is unsigned and has 8 bits"},
		{"int32", "2147483647", ""}, {"int32", "2147483648", "does not fit"}, {"uint32", "4294967295", ""},
		{"int64", "9223372036854775807", ""}, {"int64", "-9223372036854775808", ""}, {"uint64", "-1", "does not fit"}, {"int64", "1e30", "does not fit"},
		{"int", "1.5", "1.5 is not a whole number"}, {"double", "1e30", ""}, {"float", "7", ""}, {"char", "65", ""},
	} {
		template, err := data.ParseType(data.Text(c.typ), &data.Env{})
		if err != nil {
			t.Fatal(err)
		}
		typ, err := template.Evaluate()
		if err != nil {
			t.Fatal(err)
		}
		_, err = memoryFor(typ, constant(c.value))
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s into %s: %v, want %q", c.value, c.typ, err, c.want)
		}
	}
}
