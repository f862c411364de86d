package flow_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestCheck provokes every problem that a graph can have, and each is reported once. want has kind,
// process, port and place of each.
func TestCheck(t *testing.T) {
	t.Setenv("SPROKIT_PYTHON_MODULES", "") // modules may have algorithms
	cases := []struct {
		name, text string
		want       []string
		message    string
	}{
		{"nothing", "", []string{"no-processes - - -"}, "the pipeline has no processes"},
		{"an empty cluster", "o :: orphan_cluster", []string{"no-processes - - -"}, ""},
		{"alone", "o :: orphan", nil, ""},
		{"duplicate", "a :: orphan\na :: orphan", []string{"duplicate-process a - t.pipe:2:1"}, "process `a` is declared twice"},
		{"duplicate cluster", "a :: numbers\nm :: multiplier_cluster factor=2\nm :: sink\na.number -> m.factor\nm.product -> s.sink\ns :: sink", []string{"duplicate-process m - t.pipe:3:1"}, ""},
		{"unknown type", "a :: nubmers\ns :: sink\na.number -> s.sink", []string{"unknown-type a - t.pipe:1:1"}, "did you mean `numbers`?"},
		{"unknown process", "a :: numbers\ns :: sink\na.number -> sk.sink", []string{"unknown-process sk - t.pipe:3:1", "missing-required-connection s sink t.pipe:2:1", "warning separate-parts s - t.pipe:2:1"}, "there is no process `sk`"},
		{"unknown output", "a :: numbers\ns :: sink\na.nubmer -> s.sink", []string{"unknown-port a nubmer t.pipe:3:1", "missing-required-connection a number t.pipe:1:1"}, "did you mean `number`?"},
		{"unknown input", "a :: numbers\ns :: sink\na.number -> s.number", []string{"unknown-port s number t.pipe:3:1", "missing-required-connection s sink t.pipe:2:1"}, "`sink` has sink"},
		{"the wrong way round", "a :: numbers\nt :: take_number\nt.number -> a.number", []string{"unknown-port t number t.pipe:3:1", "unknown-port a number t.pipe:3:1", "missing-required-connection a number t.pipe:1:1", "missing-required-connection t number t.pipe:2:1"}, "is an input: a connection goes from an output to an input"},
		{"unknown cluster port", "a :: numbers\nm :: multiplier_cluster factor=2\ns :: sink\na.number -> m.fcator\nm.product -> s.sink",
			[]string{"unknown-port m fcator t.pipe:4:1", "missing-required-connection a number t.pipe:1:1", "missing-required-connection m/multiplication factor1 t.pipe:2:1", "warning separate-parts m/const - t.pipe:2:1"}, "cluster `m` has no input port `fcator`"},
		{"connected twice", "a :: numbers\nb :: numbers\ns :: sink\na.number -> s.sink\nb.number -> s.sink", []string{"port-connected-twice s sink t.pipe:5:1"}, "input port `s.sink` is connected twice"},
		{"unknown output beside a known one", "a :: numbers\nb :: numbers\ns :: sink\na.nubmer -> s.sink\nb.number -> s.sink", []string{"unknown-port a nubmer t.pipe:4:1", "missing-required-connection a number t.pipe:1:1"}, ""},
		{"types differ", "a :: numbers\ns :: take_string\na.number -> s.string", []string{"type-mismatch s string t.pipe:3:1"}, "`a.number` gives `integer`, but `s.string` takes `string`"},
		{"types differ through pass", "a :: numbers\np :: pass\nq :: pass\ns :: take_string\na.number -> p.pass\np.pass -> q.pass\nq.pass -> s.string", []string{"type-mismatch s string t.pipe:7:1"}, "meet here"},
		{"types differ backwards", "a :: numbers\np :: pass\nq :: pass\ns :: take_string\nq.pass -> s.string\na.number -> p.pass\np.pass -> q.pass", []string{"type-mismatch q pass t.pipe:7:1"}, ""},
		{"any is any", "a :: numbers\np :: pass\ns :: sink\na.number -> p.pass\np.pass -> s.sink", nil, ""},
		{"any upstream", "a :: any_source\np :: pass\ns :: sink\na.data -> p.pass\np.pass -> s.sink", nil, ""},
		{"untagged ends differ", "a :: numbers\nt :: tagged_flow_dependent\ns :: take_string\na.number -> t.untagged_input\nt.untagged_output -> s.string", nil, ""},
		{"tagged ends do not", "a :: numbers\nt :: tagged_flow_dependent\ns :: take_string\na.number -> t.tagged_input\nt.tagged_output -> s.string", []string{"type-mismatch s string t.pipe:5:1"}, ""},
		{"no type at all", "f :: flow_dependent\ng :: flow_dependent\nf.output -> g.input", []string{"untyped-port f output t.pipe:3:1"}, "nothing determines the type"},
		{"a type refused", "a :: numbers\nf :: flow_dependent reject=true\na.number -> f.input", []string{"type-refused f input t.pipe:3:1"}, "refuses every type"},
		{"a data type", "d :: data_dependent\ns :: sink\nd.output -> s.sink", nil, ""},
		{"a data type that differs", "d :: data_dependent\ns :: take_number\nd.output -> s.number", []string{"type-mismatch s number t.pipe:3:1"}, "gives `_none`"},
		{"a data type refused", "d :: data_dependent reject=1\ns :: sink\nd.output -> s.sink", []string{"type-refused d output t.pipe:3:1"}, ""},
		{"no type along a chain", "f :: flow_dependent\ng :: flow_dependent\nh :: flow_dependent\nf.output -> g.input\ng.output -> h.input", []string{"untyped-port f output t.pipe:4:1"}, "nothing determines the type"},
		{"a data type never chosen", "d :: data_dependent set_on_configure=no\ns :: sink\nd.output -> s.sink", []string{"untyped-port d output t.pipe:3:1"}, "does not say which type"},
		{"const is not changed", "c :: const\nm :: mutate\nc.const -> m.mutate", []string{"flag-mismatch m mutate t.pipe:3:1"}, "which are const"},
		{"shared, one who changes", "c :: shared\nm :: mutate\nc.shared -> m.mutate", nil, ""},
		{"shared, two readers", "c :: shared\ns :: sink\nt :: sink\nc.shared -> s.sink\nc.shared -> t.sink", nil, ""},
		{"not shared, who changes has a copy", "a :: numbers\nm :: mutate\ns :: sink\na.number -> s.sink\na.number -> m.mutate", nil, ""},
		{"shared, changed first", "c :: shared\nm :: mutate\ns :: sink\nc.shared -> m.mutate\nc.shared -> s.sink", []string{"flag-mismatch s sink t.pipe:5:1"}, "`m.mutate` would change its data"},
		{"shared, changed second", "c :: shared\nm :: mutate\ns :: sink\nc.shared -> s.sink\nc.shared -> m.mutate", []string{"flag-mismatch m mutate t.pipe:5:1"}, ""},
		{"required output", "a :: numbers", []string{"missing-required-connection a number t.pipe:1:1"}, "output port `number` of process `a` must be connected"},
		{"required inputs", "a :: numbers\nm :: multiplication\ns :: sink\na.number -> m.factor1\nm.product -> s.sink", []string{"missing-required-connection m factor2 t.pipe:2:1"}, ""},
		{"one of a group", "a :: numbers\nm :: multiplexer\ns :: sink\na.number -> m.x/1\nm.x -> s.sink", []string{"too-few-ports m x/<item> t.pipe:2:1"}, "needs at least 2 input ports"},
		{"a group without its end", "a :: numbers\nb :: numbers\nm :: multiplexer\na.number -> m.x/1\nb.number -> m.x/2", []string{"missing-required-connection m x t.pipe:3:1"}, ""},
		{"distribute without status", "a :: numbers\nd :: distribute\ns :: sink\nt :: sink\na.number -> d.src/x\nd.dist/x/1 -> s.sink\nd.dist/x/2 -> t.sink", []string{"missing-required-connection d status/x t.pipe:2:1"}, ""},
		{"a circle", "p :: pass\nq :: pass\ns :: sink\np.pass -> q.pass\nq.pass -> p.pass\nq.pass -> s.sink", []string{"not-a-dag p pass t.pipe:5:1"}, "p → q → p"},
		{"a circle through an unknown type", "p :: pass\nq :: other\ns :: sink\np.pass -> q.in\nq.out -> p.pass\nq.out -> s.sink", []string{"unknown-type q - t.pipe:2:1", "warning not-a-dag p pass t.pipe:5:1"}, "it is not known whether `q.in` is such an input"},
		{"a circle beside one through an unknown type", "p :: pass\nq :: other\nr :: pass\nt :: pass\np.pass -> q.in\nq.out -> p.pass\nq.out -> s.sink\ns :: sink\nr.pass -> t.pass\nt.pass -> r.pass\nu :: sink\nt.pass -> u.sink", []string{"unknown-type q - t.pipe:2:1", "not-a-dag r pass t.pipe:10:1", "warning separate-parts r - t.pipe:3:1"}, ""},
		{"a type from an unknown type", "q :: other\np :: pass\nr :: pass\nq.out -> p.pass\np.pass -> r.pass\nr.pass -> q.in", []string{"unknown-type q - t.pipe:1:1", "warning not-a-dag q in t.pipe:6:1"}, ""},
		{"a circle through feedback", "f :: feedback\np :: pass\nf.output -> p.pass\np.pass -> f.input", nil, ""},
		{"itself", "p :: pass\np.pass -> p.pass\na :: any_source\ns :: sink\na.data -> s.sink", []string{"untyped-port p pass t.pipe:2:1", "not-a-dag p pass t.pipe:2:1", "warning separate-parts a - t.pipe:3:1"}, "p → p"},
		{"frequencies differ", "a :: numbers\nd :: duplicate\nm :: multiplication\ns :: sink\na.number -> d.input\nd.duplicate -> m.factor1\na.number -> m.factor2\nm.product -> s.sink", []string{"frequency-mismatch m factor1 t.pipe:6:1"}, ""},
		{"frequencies overflow", bigFrequencies(), []string{"frequency-mismatch d2 input t.pipe:10:1"}, "too large"},
		{"two parts", "a :: numbers\ns :: sink\nb :: numbers\nt :: sink\na.number -> s.sink\nb.number -> t.sink", []string{"warning separate-parts b - t.pipe:3:1"}, "2 parts that are not connected: a, s; b, t"},
		{"unknown key", "a :: numbers ned=4\ns :: sink\na.number -> s.sink", []string{"warning unknown-key a - t.pipe:1:1"}, "did you mean `end`?"},
		{"missing key", "a :: numbers\no :: print_number\na.number -> o.number", []string{"missing-key o - t.pipe:2:1"}, "needs a value for its key `output`"},
		{"bad value", "a :: numbers end=ten\ns :: sink\na.number -> s.sink", []string{"bad-value a - t.pipe:1:1"}, "expected a whole number"},
		{"bad choice", "a :: numbers _instrumentation:timer:type=sun\ns :: sink\na.number -> s.sink", []string{"bad-value a - t.pipe:1:1"}, "expected wall, cpu"},
		{"bad non-blocking", "a :: numbers\ns :: sink _non_blocking=some\na.number -> s.sink", []string{"bad-value s - t.pipe:2:1"}, ""},
		{"a cluster's key", "a :: numbers\nm :: multiplier_cluster\ns :: sink\na.number -> m.factor\nm.product -> s.sink", []string{"missing-key m - t.pipe:2:1"}, ""},
		{"a cluster's inner key", "a :: numbers\nm :: multiplier_cluster factor=1 const:value=3\ns :: sink\na.number -> m.factor\nm.product -> s.sink", []string{"read-only-key m - t.pipe:2:1"}, "follows its key `factor`"},
		{"static value not used", "a :: numbers\ns :: static static/number=4\na.number -> s.number", []string{"warning static-ignored s number t.pipe:2:1"}, "is connected"},
		{"static value", "s :: static static/number=4", nil, ""},
		{"a static value that is no number", "s :: static static/number=abc", []string{"bad-value s - t.pipe:1:1"}, "`abc` does not fit key `static/number` of process `s`: expected a whole number"},
		{"a static port misspelt", "s :: static static/nubmer=4", []string{"warning unknown-key s - t.pipe:1:1"}, "did you mean `static/number`?"},
		{"values that do not go together", "a :: numbers end=-3\ns :: sink\na.number -> s.sink", []string{"bad-value a - t.pipe:1:1"}, "key `end` is -3, but must be larger than key `start`, which is 0"},
		{"an algorithm that is not here", "a :: detected_object_input file_name=a reader:type=nonsense\ns :: sink\na.detected_object_set -> s.sink", []string{"warning bad-value a - t.pipe:1:1"}, "`nonsense` is not one of csv, viame_csv, kw18, habcam, oceaneyes, so an installed Python package must register it"},
		{"an algorithm misspelt", "a :: detected_object_input file_name=a reader:type=cvs\ns :: sink\na.detected_object_set -> s.sink", []string{"warning bad-value a - t.pipe:1:1"}, "did you mean `csv`?"},
		{"a negative number", "a :: keyed u=-1", []string{"bad-value a - t.pipe:1:1"}, "expected a whole number that is at least 0"},
		{"no number", "a :: keyed d=1.5.2", []string{"bad-value a - t.pipe:1:1"}, "expected a number"},
		{"no truth", "a :: keyed b=maybe", []string{"bad-value a - t.pipe:1:1"}, "expected true, false, yes, no, 1 or 0"},
		{"no algorithm", "a :: detected_object_input file_name=a\ns :: sink\na.detected_object_set -> s.sink", []string{"missing-key a - t.pipe:1:1"}, "needs a value for its key `reader:type`: expected csv, viame_csv"},
		{"a program that is not here", "a :: numbers\ne :: exec command=no-such-program-anywhere\na.number -> e.x", []string{"warning bad-value e - t.pipe:2:1"}, "there is no program `no-such-program-anywhere` on this machine"},
		{"an empty value", "a :: numbers\no :: print_number output=\na.number -> o.number", []string{"bad-value o - t.pipe:2:1"}, "expected a value"},
		{"non-blocking source", "a :: numbers _non_blocking=2\ns :: sink\na.number -> s.sink", []string{"warning no-effect a - t.pipe:1:1"}, "there are none"},
		{"a site without a name", "a :: numbers _site=over.there\ns :: sink\na.number -> s.sink", []string{"bad-value a - t.pipe:1:1"}, "`over.there` is not the name of a site: use letters, digits, - and _"},
		{"several sites without copies", "a :: numbers _site=deck,gpu\ns :: sink\na.number -> s.sink", []string{"bad-value a - t.pipe:1:1"}, "process `a` is on 2 sites, but has no copies: give it `_replicas = 2` or more, or a single site"},
		{"more sites than copies", "a :: numbers\nm :: multiplication _site=x,y,z _replicas=2\ns :: sink\na.number -> m.factor1\na.number -> m.factor2\nm.product -> s.sink", []string{"bad-value m - t.pipe:2:1"}, "process `m` is on 3 sites, but has 2 copies"},
		{"dropped before a join", "a :: numbers\np :: pass _non_blocking=2\nm :: multiplication\ns :: sink\na.number -> p.pass\np.pass -> m.factor1\na.number -> m.factor2\nm.product -> s.sink", []string{"warning mixed-data m - t.pipe:3:1"}, "some are dropped before `p`"},
		{"dropped at a join", "a :: numbers\nm :: multiplication _non_blocking=2\ns :: sink\na.number -> m.factor1\na.number -> m.factor2\nm.product -> s.sink", nil, ""},
		{"dropped before both inputs of a join", "a :: numbers\np :: pass _non_blocking=2\nm :: multiplication\ns :: sink\na.number -> p.pass\np.pass -> m.factor1\np.pass -> m.factor2\nm.product -> s.sink", nil, ""},
		{"one file of two", "a :: numbers\nv :: print_number output=n.txt\nw :: print_number output=./n.txt\na.number -> v.number\na.number -> w.number", []string{"same-file w - t.pipe:3:1"}, "processes `v` and `w` both write the file `./n.txt`"},
		{"one file of two sites", "a :: numbers\nv :: print_number output=n.txt\nw :: print_number output=n.txt _site=b\na.number -> v.number\na.number -> w.number", nil, ""},
		{"standard output of two", "a :: numbers\nv :: text_write file_name=-\nw :: text_write file_name=-\na.number -> v.text\na.number -> w.text", nil, ""},
		{"images without a number", "h :: heat\nc :: colormap\nw :: image_writer file_name_template=a.png\nh.field -> c.field\nc.image -> w.image", []string{"warning bad-value w - t.pipe:3:1"}, "each image overwrites the previous one"},
		{"copies with state", "a :: numbers _replicas=2\ns :: sink\na.number -> s.sink", []string{"state-in-replicas a - t.pipe:1:1"}, "is not declared as stateless"},
		{"copies without state", "a :: numbers\nm :: multiplication _replicas=2\ns :: sink\na.number -> m.factor1\na.number -> m.factor2\nm.product -> s.sink", nil, ""},
		{"an unknown provider", "a :: numbers _instrumentation:type=foo _instrumentation:foo:file=output.dat _instrumentation:bar:file=x\ns :: sink\na.number -> s.sink", []string{"warning unknown-key a - t.pipe:1:1", "warning bad-value a - t.pipe:1:1"}, "there is no instrumentation provider `foo` here: process `a` runs without it"},
	}
	seen := map[problem.Kind]bool{pipe.SetupFailed: true, pipe.UnknownScheduler: true, pipe.CannotRun: true, pipe.EdgeGrown: true, pipe.NoSuchEdge: true, pipe.UnknownAlgorithm: true} // have tests of their own
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := with(build(c.text), staticType(), keyedType())
			list := p.Check()
			var have []string
			for _, q := range list {
				seen[q.Kind] = true
				dash := func(s string) string {
					if s == "" {
						return "-"
					}
					return s
				}
				line := fmt.Sprintf("%s %s %s %s", q.Kind, dash(q.Subject.Name), dash(q.Subject.Port), dash(q.Span.String()))
				if q.Severity == problem.Warning {
					line = "warning " + line
				}
				have = append(have, line)
			}
			if !slices.Equal(have, c.want) {
				t.Errorf("have %s\nwant %s\n%s", strings.Join(have, "\n     "), strings.Join(c.want, "\n     "), strings.Join(texts(list), "\n"))
			}
			if !strings.Contains(strings.Join(texts(list), "\n"), c.message) {
				t.Errorf("no message says %q:\n%s", c.message, strings.Join(texts(list), "\n"))
			}
		})
	}
	for _, kind := range pipe.Kinds() {
		if !seen[kind] {
			t.Errorf("no case shows %s", kind)
		}
	}
}

func staticType() *pipe.Type {
	return &pipe.Type{Name: "static", In: []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Static}}, New: func() pipe.Process {
		return &fake{step: func(s pipe.Step) error { s.Complete(); return nil }}
	}}
}

func bigFrequencies() string {
	var decl, conn strings.Builder
	decl.WriteString("a :: numbers\n")
	last := "a.number"
	for i := range 5 {
		fmt.Fprintf(&decl, "d%d :: duplicate copies=99999999999\n", i)
		fmt.Fprintf(&conn, "%s -> d%d.input\n", last, i)
		last = fmt.Sprintf("d%d.duplicate", i)
	}
	return decl.String() + "s :: sink\n" + conn.String() + last + " -> s.sink"
}

// TestJudgeOfAType: if settings do not fit together, the problem is reported at the process.
func TestJudgeOfAType(t *testing.T) {
	strict := staticType()
	strict.Name, strict.Judge = "strict", func(pipe.Values) error { return errors.New("the moon is full") }
	list := with(build("s :: strict static/number=4"), strict).Check()
	if len(list) != 1 || list[0].Kind != pipe.BadValue || list[0].Subject.Name != "s" || list[0].Message != "process `s`: the moon is full" {
		t.Errorf("have %q, want len(list) = 1, list[0].Kind = %v, list[0].Subject.Name = %q and list[0].Message = %q", texts(list), pipe.BadValue, "s", "process `s`: the moon is full")
	}
}

// TestEdgeRules: later rules override earlier ones, and rules that apply to no edge are reported.
func TestEdgeRules(t *testing.T) {
	at := source.NewFile("t.pipe", "_pipeline").Span(0, 9)
	p := build("a :: numbers\nb :: numbers\nm :: multiplication\ns :: sink\na.number -> m.factor1\nb.number -> m.factor2\nm.product -> s.sink")
	for _, set := range [][2]string{
		{"_edge:capacity", "30"}, {"_edge:compress", "true"}, {"_edge_by_type:integer:capacity", "20"}, {"_edge_by_conn:a:up:number:compress", "false"},
		{"_edge_by_conn:b:up:number:capacity", "10"}, {"_edge_by_conn:m:down:factor2:blocking", "false"},
		{"_edge_by_type:kwiver:image:capacity", "5"}, {"_edge_by_conn:z:up:number:capacity", "5"},
	} {
		if q := p.Graph.Edges.Set(set[0], set[1], at); q != nil {
			t.Errorf("%v; want none", q)
		}
	}
	plan, list := pipe.Resolve(&p.Graph, p.Registry)
	var have []string
	for _, e := range plan.Edges {
		have = append(have, fmt.Sprintf("%s %d %v %v", e.To, e.Capacity, e.Blocking, e.Compress))
	}
	want := []string{"m.factor1 20 true false", "m.factor2 10 false true", "s.sink 20 true true"}
	if !slices.Equal(have, want) {
		t.Errorf("have %v\nwant %v", have, want)
	}
	if len(list) != 2 || list[0].Kind != pipe.NoSuchEdge || list[1].Kind != pipe.NoSuchEdge || list[0].Span != at {
		t.Errorf("have %v, want len(list) = 2, list[0].Kind = %v, list[1].Kind = %v and list[0].Span = %v", texts(list), pipe.NoSuchEdge, pipe.NoSuchEdge, at)
	}
	for _, bad := range [][2]string{{"_edge:capacity", "many"}, {"_edge:capacity", "-1"}, {"_edge:blocking", "perhaps"}, {"_edge:colour", "red"}, {"_edge:a:capacity", "3"}, {"_edge_by_conn:a:number:down:out:number:capacity", "1"}} {
		if p.Graph.Edges.Set(bad[0], bad[1], at) == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

// TestClusterEdge: an edge into or out of a cluster can be named by the cluster's port; a rule with
// the inner port's name overrides it.
func TestClusterEdge(t *testing.T) {
	const text = "a :: numbers\nm :: multiplier_cluster factor=2\ns :: sink\na.number -> m.factor\nm.product -> s.sink"
	for _, c := range []struct{ set, want string }{
		{"_edge_by_conn:m:down:factor:capacity=7", "7 40 40"},
		{"_edge_by_conn:m:up:product:capacity=8", "40 8 40"},
		{"_edge_by_conn:m:down:factor:capacity=7 _edge_by_conn:m/multiplication:down:factor1:capacity=9", "9 40 40"},
	} {
		p := build(text)
		for set := range strings.FieldsSeq(c.set) {
			key, value, _ := strings.Cut(set, "=")
			if q := p.Graph.Edges.Set(key, value, source.Span{}); q != nil {
				t.Errorf("%v; want none", q)
			}
		}
		plan, list := pipe.Resolve(&p.Graph, p.Registry)
		capacity := map[string]int{}
		for _, e := range plan.Edges {
			capacity[e.To.String()] = e.Capacity
		}
		have := fmt.Sprint(capacity["m/multiplication.factor1"], capacity["s.sink"], capacity["m/multiplication.factor2"])
		if have != c.want || len(list) > 0 {
			t.Errorf("%s: have %s, want %s; %v", c.set, have, c.want, texts(list))
		}
	}
}

// TestTunableMark: `[tunable]` is reported at a key that the type reads only once, but not at a key
// that it reads again.
func TestTunableMark(t *testing.T) {
	p := build("a :: numbers end=5\ns :: text_write file_name=x prefix=y\na.number -> s.text")
	for i, key := range []string{"end", "prefix"} {
		c := p.Graph.Processes[i].Config
		c[key] = pipe.Setting{Value: c[key].Value, Tunable: true}
	}
	list := p.Check()
	if len(list) != 1 || list[0].Kind != pipe.NoEffect || list[0].Subject.Key != "end" {
		t.Errorf("have %v, want len(list) = 1, list[0].Kind = %v and list[0].Subject.Key = %q", texts(list), pipe.NoEffect, "end")
	}
}

// TestLongLoop: a message about a loop stays readable, and costs little.
func TestLongLoop(t *testing.T) {
	need.Slow(t)
	const n = 50000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "p%d :: pass\np%d.pass -> p%d.pass\n", i, i, (i+1)%n)
	}
	for _, p := range build(b.String()).Check() {
		if p.Kind == pipe.NotADAG {
			if !strings.HasSuffix(p.Message, "p10 → p11 → … 49988 more → p0") {
				t.Errorf("have %.300s, want %q at the end", p.Message, "p10 → p11 → … 49988 more → p0")
			}
			return
		}
	}
	t.Error("the loop is not found")
}

// TestUndocumentedKey: a type may lack its documentation and still be checked.
func TestUndocumentedKey(t *testing.T) {
	typ := &pipe.Type{Name: "t", Keys: []pipe.Key{{Name: "k", Required: true}}}
	list := with(build("a :: t"), typ).Check()
	if len(list) != 1 || list[0].Kind != pipe.MissingKey {
		t.Errorf("have %v, want len(list) = 1 and list[0].Kind = %v", texts(list), pipe.MissingKey)
	}
}

// keyedType has keys of every kind.
func keyedType() *pipe.Type {
	return &pipe.Type{Name: "keyed", Keys: []pipe.Key{{Name: "u", Kind: pipe.Unsigned, Default: "1"}, {Name: "d", Kind: pipe.Double, Default: "1"}, {Name: "b", Kind: pipe.Bool, Default: "1"}},
		New: func() pipe.Process { return &fake{} }}
}
