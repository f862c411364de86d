package suite

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
	"github.com/pentode-dev/pentode/run/trace"
)

// TestPartOf: every node in the picture of a run is a node in the picture of its file.
func TestPartOf(t *testing.T) {
	r := open(t, example(t))
	files := map[string]bool{}
	for _, n := range Graph(r).Nodes {
		c, inside := PartOf(r, n.ID)
		if c == nil {
			t.Errorf("`%s` is in no file", n.ID)
			continue
		}
		file := name(c)
		files[file] = true
		if n.ID != "target" && (inside == "" || !strings.HasSuffix(n.ID, "/"+inside)) {
			t.Errorf("`%s` is `%s` in %s; want inside other than nothing and n.ID = %q at the end", n.ID, inside, file, "/"+inside)
		}
		if n.Group != "" && n.ID != "target" && !strings.Contains(n.ID, file) && !strings.HasPrefix(n.ID, "launch/") {
			t.Errorf("`%s` is in %s; want %q at the start", n.ID, file, "launch/")
		}
	}
	for _, want := range []string{"heat.psdl", "heat.pipe", "heat.yml", "heat.pinsight"} {
		if !files[want] {
			t.Errorf("no node is in %s", want)
		}
	}
	for id, want := range map[string]string{
		"target": "heat.coilcfg", "launch/west": "heat.psdl", "flow/heat.pipe/solver": "heat.pipe", "data/heat.yml/data.field": "heat.yml",
		"trace/heat.pinsight/Lexgion(solver)": "heat.pinsight",
	} {
		if c, _ := PartOf(r, id); c == nil || name(c) != want {
			t.Errorf("`%s` is not in %s", id, want)
		}
	}
	for _, id := range []string{"", "flow/other.pipe/solver", "data/other.yml/x", "trace/other.pinsight/x"} {
		if c, inside := PartOf(r, id); c != nil || inside != "" {
			t.Errorf("`%s` is `%s` in %s; want c nil and inside = nothing", id, inside, name(c))
		}
	}
}

// TestConfigOf: a file of the run is found however its path is written.
func TestConfigOf(t *testing.T) {
	r := open(t, example(t))
	for _, path := range []string{filepath.Join(r.Dir, "heat.pipe"), r.Dir + "/./x/../heat.pipe"} {
		if c := ConfigOf(r, path); c == nil || name(c) != "heat.pipe" {
			t.Errorf("%s is none of the run", path)
		}
	}
	if c := ConfigOf(r, filepath.Join(r.Dir, "other.pipe")); c != nil {
		t.Errorf("%s; want none", name(c))
	}
}

// TestDocumentationOf: a process type has documentation for itself and its keys.
func TestDocumentationOf(t *testing.T) {
	r := open(t, example(t))
	pipe := ConfigOf(r, filepath.Join(r.Dir, "heat.pipe"))
	if d := DocumentationOf(pipe, "heat"); d.Text == "" || d.Keys["rows"] == "" {
		t.Errorf("heat: %+v, want d.Text other than nothing and d.Keys[\"rows\"] other than nothing", d)
	}
	for _, d := range []Documentation{DocumentationOf(pipe, "nothing"), DocumentationOf(ConfigOf(r, filepath.Join(r.Dir, "heat.psdl")), "heat")} {
		if d.Text != "" || d.Keys == nil || len(d.Keys) > 0 {
			t.Errorf("%+v, want d.Text = nothing, d.Keys not nil and len(d.Keys) at most 0", d)
		}
	}
}

// TestKeepStores: a tree is opened once, a failed open is tried again, and all trees are closed.
func TestKeepStores(t *testing.T) {
	opened := map[string]int{}
	open, end := KeepStores(func(name string) (*data.Store, error) {
		if opened[name]++; name == "bad.yml" {
			return nil, errors.New("damaged")
		}
		return data.New(data.Tree(data.Map("logging", "off", "metadata", data.Map("n", "int"))), data.Options{})
	})
	stores := map[string]*data.Store{}
	for range 2 {
		for _, name := range []string{"a.yml", "b.yml"} {
			s, err := open(name)
			if err != nil || stores[name] != nil && stores[name] != s {
				t.Errorf("%s: another store, %v", name, err)
			}
			stores[name] = s
		}
		if _, err := open("bad.yml"); err == nil || err.Error() != "damaged" {
			t.Errorf("a tree that is damaged: %v", err)
		}
	}
	if opened["a.yml"] != 1 || opened["b.yml"] != 1 || opened["bad.yml"] != 2 || stores["a.yml"] == stores["b.yml"] {
		t.Errorf("opened %v times, want opened[\"a.yml\"] = 1, opened[\"b.yml\"] = 1, opened[\"bad.yml\"] = 2 and stores[\"a.yml\"] other than %v", opened, stores["b.yml"])
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if err := end(); err == nil {
		t.Error("the stores were not closed the first time")
	}
}

// typeOf returns a type declared in the language of trees.
func typeOf(t *testing.T, declared any) data.Type {
	t.Helper()
	node, ok := declared.(*data.Node)
	if !ok {
		node = data.Text(declared.(string))
	}
	template, err := data.ParseType(node, &data.Env{})
	if err != nil {
		t.Fatal(err)
	}
	typ, err := template.Evaluate()
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

func array(of any, size string) *data.Node {
	return data.Map("type", "array", "subtype", of, "size", size)
}

// TestTakes: each port type accepts the right kinds of tree types.
func TestTakes(t *testing.T) {
	types := map[string]any{
		"int": "int64", "float": "float", "double": "double", "text": array("char", "8"), "doubles": array("double", "8"),
		"rows": array(array("double", "8"), "4"), "floats": array("float", "8"), "ints": array("int64", "8"),
	}
	for port, fits := range map[string]string{
		"integer": "int float double", "double": "float double", "array:float64:2": "doubles rows floats ints text",
		"string": "text", "kwiver:string": "text", "kwiver:file_name": "text", "kwiver:image": "doubles rows floats ints text", "kwiver:timestamp": "",
	} {
		k := takes(port)
		if k == nil || k.help == "" {
			t.Errorf("%s takes anything, want k not nil and k.help other than nothing", port)
			continue
		}
		for name, declared := range types {
			want := strings.Contains(" "+fits+" ", " "+name+" ")
			if got := k.fits(typeOf(t, declared)); got != want {
				t.Errorf("%s takes %s: %v, want %v", port, name, got, want)
			}
		}
	}
	if takes("anything") != nil {
		t.Error("a type that is not known takes something only")
	}
}

// TestInsideTypes: the largest number and the records are found at any depth.
func TestInsideTypes(t *testing.T) {
	inner := data.Map("type", "struct", "members", data.List(data.Map("small", "char"), data.Map("large", "int64")))
	tuple := data.Map("type", "tuple", "elements", data.List("int16", inner))
	outer := data.Map("type", "struct", "members", data.List(data.Map("first", "int32"), data.Map("pairs", array(tuple, "3"))))
	for _, c := range []struct {
		declared any
		widest   int64
		records  string
	}{
		{"char", 1, ""}, {"int16", 2, ""}, {array("float", "100"), 4, ""}, {inner, 8, "!"}, {tuple, 8, "[1]!"},
		{outer, 8, "! .pairs[1]!"}, {array(outer, "2"), 8, "! .pairs[1]!"},
		{data.Map("type", "pointer", "subtype", "char"), 8, ""},
	} {
		typ := typeOf(t, c.declared)
		if got := largest(typ); got != c.widest {
			t.Errorf("%s: %d, want %d", typ, got, c.widest)
		}
		var found []string
		eachRecord(typ, func(path string, _ *data.Record) { found = append(found, path+"!") })
		if got := strings.Join(found, " "); got != c.records {
			t.Errorf("%s: %s, want %s", typ, got, c.records)
		}
	}
}

// TestFilterNeedsTheDomain: a catalogue that cannot decide about pipelines is refused.
func TestFilterNeedsTheDomain(t *testing.T) {
	var events []trace.Event
	for i, e := range pipe.Events() {
		events = append(events, trace.Event{ID: trace.EventID(i), Name: e.String(), On: true})
	}
	process, thread := trace.Kind{Name: "process", High: 9}, trace.Kind{Name: "thread", High: 9}
	for _, c := range []struct {
		domain trace.Domain
		want   string
	}{
		{trace.Domain{Name: "Flow", Events: events, Kinds: []trace.Kind{process, thread}}, ""},
		{trace.Domain{Name: "Flood"}, "the catalogue of the trace configuration has no domain `Flow`"},
		{trace.Domain{Name: "Flow", Events: events[1:], Kinds: []trace.Kind{process, thread}}, "domain `Flow` of the trace configuration has no event `" + events[0].Name + "`"},
		{trace.Domain{Name: "Flow", Events: events, Kinds: []trace.Kind{thread}}, "domain `Flow` of the trace configuration has no unit `process`"},
		{trace.Domain{Name: "Flow", Events: events, Kinds: []trace.Kind{process}}, "domain `Flow` of the trace configuration has no unit `thread`"},
	} {
		catalog, err := trace.NewCatalog(c.domain)
		if err != nil {
			t.Fatal(err)
		}
		p, err := trace.Compile(catalog, &trace.Config{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Filter(p, map[string]uint32{"MPI.rank": 3, "Flow.nothing": 1})
		if c.want != "" {
			if err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			continue
		}
		if err != nil || !f.Region(recording.Region{Process: "a"}).Traced(pipe.EventStep) {
			t.Errorf("nothing is traced, %v", err)
		}
	}
}
