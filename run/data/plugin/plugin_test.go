package plugin_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/pycall"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
)

// bench is a store with all plugins, its log, and a clock that does not advance.
type bench struct {
	*data.Store
	log bytes.Buffer
	now time.Time
}

func start(t *testing.T, spec string, functions map[string]usercode.Function) (*bench, error) {
	t.Helper()
	b := &bench{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	var err error
	b.Store, err = data.New(data.Tree(datatest.Tree(t, spec)), data.Options{
		Plugins: plugin.List(plugin.Program{Functions: usercode.Functions(functions)}),
		Host:    data.Host{Console: &b.log, Now: func() time.Time { return b.now }},
	})
	return b, err
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (b *bench) long(t *testing.T, text string) int64 {
	t.Helper()
	v, err := b.Env().ParseValue(data.Text(text))
	must(t, err)
	n, err := v.Long()
	must(t, err)
	return n
}

func TestTrace(t *testing.T) {
	b, err := start(t, "{logging: {pattern: '%n %v'}, data: {d: int}, plugins: {trace: }}", nil)
	must(t, err)
	d := int32(1)
	must(t, b.Expose("d", &d, data.Out), b.Event("go"), b.Close())
	want := `Trace Welcome!
PDI Initialization successful
Trace !!!                            named event: pdi_start_timer
Trace =>>   data becoming available in the store: d
Trace <<= data stop being available in the store: d
Trace !!!                            named event: go
Trace !!!                            named event: pdi_stop_timer
PDI Finalization
Trace Goodbye!
`
	if got := b.log.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSetValue(t *testing.T) {
	b, err := start(t, `
logging: {level: info, pattern: '%n %l %v'}
metadata:
  n: int
  v: {type: array, subtype: int, size: 3}
  rec: {type: struct, members: [{a: int}, {b: {type: array, subtype: int, size: 2}}]}
  word: {type: array, subtype: char, size: 6}
data: {d: int, x: double, later: int}
plugins:
  set_value:
    on_init:
      - expose: [n: 3, v: [1, 2, 3], rec: {b: [7, 8], a: 6}, word: heat]
      - share: [d: 10]
    on_event:
      turn:
        - expose: [v: ['$v[1]', '$v[2]', '$v[0]']]
        - set: [d: '$d * 2']
        - event: more
      more: [{expose: [n: '$n + 1']}]
      quiet: [{logger: {level: error, pattern: '<%{n}> %v'}}]
      loud: [{logger: {level: '${word}', evaluate: 0}}]
      drop: [{release: [d]}]
    on_data:
      later: [{expose: [n: '$later']}]
    on_finalize:
      - share: [x: 1.5]
      - release: [x]
`, nil)
	must(t, err)
	check := func(text string, want int64) {
		t.Helper()
		if got := b.long(t, text); got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
	}
	check("$n", 3)
	check("100 * $rec.a + 10 * $rec.b[0] + $rec.b[1]", 678)
	must(t, b.Event("turn"))
	check("100 * $v[0] + 10 * $v[1] + $v[2]", 231)
	check("$d", 20)
	check("$n", 4)
	later := int32(9)
	must(t, b.Expose("later", &later, data.Out))
	check("$n", 9)
	must(t, b.Event("quiet"))
	b.Store.Log.Warn("not seen")
	b.Store.Log.Error("seen")
	must(t, b.Event("loud"), b.Event("drop"))
	if err := b.Event("turn"); data.StatusOf(err) != data.StatusValue {
		t.Errorf("a set of what was released: %v", err)
	}
	must(t, b.Close())
	log := b.log.String()
	if !strings.Contains(log, "<9> seen\n") || strings.Contains(log, "not seen") {
		t.Errorf("log:\n%s\nwant %q in log and no %q in log", log, "<9> seen\n", "not seen")
	}
}

func TestSetValueErrors(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{"{on_init: {expose: []}}", "expected a list of operations, found a mapping"},
		{"{on_init: [{bad: 1}]}", "unknown operation `bad`: the operations are `set`, `share`, `expose`, `release`, `event` and `logger`"},
		{"{on_init: [{expose: 3}]}", "expected a list of `name: value`, found `3`"},
		{"{on_init: [{expose: [nodecl: 1]}]}", "`nodecl` is not declared, so its size is not known"},
		{"{on_init: [{set: [d: 1]}]}", "`d` is not shared"},
		{"{on_init: [{release: [d]}]}", "cannot release `d`: it is not shared"},
		{"{on_init: [{release: d}]}", "expected a list of names, found `d`"},
		{"{on_event: [a]}", "expected a mapping of events, found a sequence"},
		{"{on_init: [{share: [huge: 1]}]}", "cannot make `huge`: a value of 1000000000000 bytes is larger than the limit of 4294967296 bytes"},
		{"{logging: loud}", "`loud` is not a logging level: the levels are `trace`, `debug`, `info`, `warn`, `error`, `off`"},
	} {
		_, err := start(t, "{data: {d: int, huge: {type: array, subtype: byte, size: 1000000000000}}, plugins: {set_value: "+c.config+"}}", nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.config, err, c.want)
		}
	}
}

// TestSerialize checks that the dense form of a value is shared with it, and that changes to that form
// reach the value.
func TestSerialize(t *testing.T) {
	b, err := start(t, `
logging: off
types: {row: {type: array, subtype: int, size: 4, start: 1, subsize: 2}}
data:
  grid: {type: array, subtype: row, size: 3, start: 1, subsize: 2}
  p: {type: struct, members: [{tag: char}, {to: {type: pointer, subtype: row}}]}
plugins: {serialize: {grid: dense, p: flat}}
`, nil)
	must(t, err)
	var grid [12]int32
	for i := range grid {
		grid[i] = int32(i)
	}
	must(t, b.Share("grid", &grid, data.InOut))
	if got := b.long(t, "1000 * $dense[0][0] + $dense[1][1]"); got != 5010 {
		t.Errorf("dense: %d, want 5010", got)
	}
	memory, err := b.Access("dense", data.Out)
	must(t, err)
	view, err := data.View[int32](memory)
	must(t, err)
	for i := range view {
		view[i] = -1
	}
	must(t, b.Release("dense"), b.Reclaim("grid"))
	if want := [12]int32{0, 1, 2, 3, 4, -1, -1, 7, 8, -1, -1, 11}; grid != want {
		t.Errorf("grid is %v, want %v", grid, want)
	}
	if _, err := b.Access("dense", data.In); data.StatusOf(err) != data.StatusValue {
		t.Errorf("the copy outlives the datum: %v", err)
	}

	row := [4]int32{5, 6, 7, 8}
	value := struct {
		tag byte
		to  *[4]int32
	}{3, &row}
	if err := b.Share("p", &value, data.Out); err == nil {
		t.Error("an unknown pointer is followed")
	}
	must(t, b.Reveal(&row), b.Share("p", &value, data.Out))
	if got := b.long(t, "100 * $flat.tag + 10 * $flat.to[0] + $flat.to[1]"); got != 367 {
		t.Errorf("flat: %d, want 367", got)
	}
	must(t, b.Reclaim("p"), b.Close())
}

func TestJSON(t *testing.T) {
	dir := filepath.ToSlash(t.TempDir())
	b, err := start(t, fmt.Sprintf(`
logging: off
metadata: {step: int}
data:
  temp: {type: array, subtype: double, size: 2}
  who: {type: struct, members: [{name: {type: array, subtype: char, size: 8}}, {grade: char}, {n: {type: pointer, subtype: int}}]}
plugins:
  json:
    - {file: '%[1]s/all-${step:03d}.json', write: [temp, step], when: '$step > 0'}
    - who: %[1]s/who.json
`, dir), nil)
	must(t, err)
	n := int32(77)
	must(t, b.Reveal(&n))
	for step := range int32(3) {
		must(t, b.Expose("step", &step, data.Out), b.Expose("temp", []float64{float64(step), 0.5}, data.Out))
		who := struct {
			name  [8]byte
			grade byte
			n     *int32
		}{[8]byte{'A', 'd', 'a'}, 'b', &n}
		must(t, b.Expose("who", &who, data.Out))
	}
	must(t, b.Expose("temp", []float64{9, 9}, data.Out))
	must(t, b.Close())
	if _, err := os.Stat(dir + "/all-000.json"); !errors.Is(err, os.ErrNotExist) {
		t.Error("`when` was not heard")
	}
	want := `[
{
    "step": 2
},
{
    "temp": [2.0, 0.5]
},
{
    "temp": [9.0, 9.0]
}
]`
	text, err := os.ReadFile(dir + "/all-002.json")
	must(t, err)
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	text, err = os.ReadFile(dir + "/who.json")
	must(t, err)
	var list []map[string]struct {
		Name  []string
		Grade string
		N     int
	}
	must(t, json.Unmarshal(text, &list))
	if len(list) != 3 || list[2]["who"].Name[0] != "Ada" || list[0]["who"].Grade != "b" || list[0]["who"].N != 77 {
		t.Errorf("who: %+v, want len(list) = 3, list[2][\"who\"].Name[0] = %q, list[0][\"who\"].Grade = %q and list[0][\"who\"].N = 77", list, "Ada", "b")
	}
	must(t, os.WriteFile(dir+"/who.json", []byte("{}"), 0o644))
	b, err = start(t, "{logging: off, data: {who: int}, plugins: {json: {who: "+dir+"/who.json}}}", nil)
	must(t, err)
	if err := b.Expose("who", &n, data.Out); err == nil || !strings.Contains(err.Error(), "does not end with a JSON array") {
		t.Errorf("got %v", err)
	}
	b, err = start(t, "{data: {who: int}, plugins: {json: {who: "+dir+"/never.json}}}", nil)
	must(t, err, b.Share("who", new(int32), data.In)) // the program may read it
	if _, err := os.Stat(dir + "/never.json"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(b.log.String(), "`who` is not written to `"+dir+"/never.json`: it may not be read") {
		t.Errorf("%v, and the log is %s", err, b.log.String())
	}
}

func TestJSONErrors(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{"5", "expected `datum: file` or `file`, `write` and `when`, found a scalar"},
		{"[[d]]", "expected `datum: file` or `file`, `write` and `when`, found a sequence"},
		{"{}", "expected `datum: file` or `file`, `write` and `when`, found a mapping"},
		{"{file: a.json, wirte: [d]}", "unknown key `wirte`: the keys are `file`, `write` and `when`"},
		{"{file: a.json, write: d}", "expected a list of names after `write`, found a scalar"},
		{"{file: a.json, write: []}", "expected a list of names after `write`, found a sequence"},
		{"{file: a.json, write: [[d]]}", "the name of a datum"},
		{"{file: [a], write: [d]}", "the name of a file"},
		{"{file: a.json, when: [a], write: [d]}", "a condition"},
		{"{d: [a]}", "the name of a file"},
	} {
		_, err := start(t, "{data: {d: int}, plugins: {json: "+c.config+"}}", nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.config, err, c.want)
		}
	}
}

func TestTimer(t *testing.T) {
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "times.csv"))
	b, err := start(t, `
logging: {pattern: '%n %l %v'}
data: {d: int}
plugins:
  timer:
    a: {start: begin, stop: end}
    b: [x, y]
    c: pdi
    output_to: `+file, nil)
	must(t, err)
	step := func(event string) {
		b.now = b.now.Add(time.Second)
		must(t, b.Event(event))
	}
	for _, e := range []string{"begin", "x_start_timer", "end", "x_stop_timer", "y_start_timer", "y_stop_timer", "end", "begin", "begin", "end"} {
		step(e)
	}
	must(t, b.Close())
	text, err := os.ReadFile(file)
	must(t, err)
	if want := "a,4\nb,3\nc,10\n"; string(text) != want {
		t.Errorf("got %q, want %q", text, want)
	}
	log := b.log.String()
	for _, line := range []string{"Timer error timer `a` is not running: its stop is ignored\n", "Timer error timer `a` is already running: its start is ignored\n"} {
		if strings.Count(log, line) != 1 {
			t.Errorf("no %q in\n%s", line, log)
		}
	}
	if _, err := start(t, "{logging: off, plugins: {timer: {a: {start: x}}}}", nil); err == nil ||
		!strings.Contains(err.Error(), "the key `stop` is missing") {
		t.Errorf("got %v", err)
	}
}

// TestUpstreamErrors checks errors of plugin configurations against the original program's messages.
func TestUpstreamErrors(t *testing.T) {
	all := plugin.List(plugin.Program{Functions: usercode.Functions(nil)})
	datatest.UpstreamErrors(t, golden.Root(t), all, func(tree string) bool {
		return strings.Contains(tree, "plugins:") && !strings.Contains(tree, "decl_hdf5") && !strings.Contains(tree, "user_code")
	})
}

// TestGreetings checks that plugins log when they are loaded and closed.
func TestGreetings(t *testing.T) {
	all := plugin.List(plugin.Program{})
	for config, title := range map[string]string{
		"json: {d: f.json}": "JSON", "mpi: ": "MPI", "pycall: ": "Pycall", "serialize: {d: e}": "Serialize", "set_value: ": "Set-value", "timer: ": "Timer", "user_code: ": "User-code",
	} {
		var log bytes.Buffer
		s, err := data.New(data.Tree(datatest.Tree(t, "{logging: {pattern: '%n %v'}, plugins: {"+config+"}}")), data.Options{
			Plugins: all, Host: data.Host{Console: &log, Now: func() time.Time { return time.Time{} }},
		})
		must(t, err)
		must(t, s.Close())
		if got := log.String(); !strings.HasPrefix(got, title+" Plugin loaded successfully\n") || !strings.HasSuffix(got, title+" Closing plugin\n") {
			t.Errorf("%s:\n%s\nwant got = %q at the start and got = %q at the end", title, got, title+" Plugin loaded successfully\n", title+" Closing plugin\n")
		}
	}
}

// TestUpstreamLog checks the log of the timer and of remaining references in upstream's dialect.
// Programs read these lines, so their text and order are upstream's: plugins close first.
func TestUpstreamLog(t *testing.T) {
	var log bytes.Buffer
	s, err := data.New(data.Tree(datatest.Tree(t, "{logging: {pattern: '%n %v'}, data: {d: int}, plugins: {timer: {a: {start: x, stop: y}}}}")), data.Options{
		Dialect: data.Upstream, Plugins: plugin.List(plugin.Program{}),
		Host: data.Host{Console: &log, Now: func() time.Time { return time.Time{} }},
	})
	must(t, err, s.Share("d", new(int32), data.Out), s.Event("y"), s.Close())
	_, end, _ := strings.Cut(log.String(), "successful\n")
	want := "Timer Cannot end timer for a  because it was never started.\n" +
		"PDI Finalization\n" +
		"Timer Total time spent for a : 0 seconds\n" +
		"Timer Successfully output results to standard output\n" +
		"Timer Closing plugin\n" +
		"PDI Remaining 1 reference(s) to `d' in PDI after program end\n"
	if end != want {
		t.Errorf("got\n%s\nwant\n%s", end, want)
	}
}

func TestUserCode(t *testing.T) {
	var got []string
	functions := map[string]usercode.Function{
		"add": func(s *data.Store) error {
			a, err := s.Access("a", data.In)
			if err != nil {
				return err
			}
			sum, err := s.Access("sum", data.Out)
			if err != nil {
				return err
			}
			n := binary.LittleEndian.Uint32(a) + binary.LittleEndian.Uint32(sum)
			binary.LittleEndian.PutUint32(sum, n)
			return errors.Join(s.Release("sum"), s.Release("a"))
		},
		"say": func(s *data.Store) error {
			word, err := s.Access("word", data.In)
			if err != nil {
				return err
			}
			got = append(got, strings.TrimRight(string(word), "\x00"))
			return s.Release("word")
		},
		"fail": func(*data.Store) error { return errors.New("out of ink") },
	}
	spec := `
logging: off
metadata: {m: int}
data: {d: int, v: {type: array, subtype: int, size: 3}}
plugins:
  user_code:
    on_event:
      add: {add: {a: '$v[1]', sum: $d}}
      part: {add: {a: '$m + 1', sum: '$v[0]'}}
      say: [{when: '$m > 1', say: {word: 'm is ${m}'}}, {say: {word: always}}]
      fail: {fail: {}}
    on_data: {m: {say: {word: seen}}}
`
	b, err := start(t, spec, functions)
	must(t, err)
	m, d := int32(1), int32(10)
	v := []int32{100, 20, 30}
	must(t, b.Expose("m", &m, data.Out), b.Share("d", &d, data.InOut), b.Share("v", v, data.InOut))
	must(t, b.Event("add"), b.Event("part"), b.Event("say"))
	if d != 30 || v[0] != 102 {
		t.Errorf("d is %d, v %v; want d = 30 and v[0] = 102", d, v)
	}
	m = 2
	must(t, b.Expose("m", &m, data.Out), b.Event("say"))
	if want := "seen always seen m is 2 always"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if err := b.Event("fail"); err == nil || err.Error() != "while triggering `fail`: function `fail`: out of ink" {
		t.Errorf("got %v", err)
	}
	must(t, b.Reclaim("d"))
	if err := b.Event("add"); data.StatusOf(err) != data.StatusValue || !strings.Contains(err.Error(), "cannot give `sum` to `add`") {
		t.Errorf("got %v", err)
	}
	if _, err := b.Access("a", data.In); data.StatusOf(err) != data.StatusValue {
		t.Errorf("an alias outlives its call: %v", err)
	}
	_, err = start(t, spec, nil)
	if data.StatusOf(err) != data.StatusSystem || !strings.Contains(err.Error(), "the program has no function `add`") {
		t.Errorf("got %v", err)
	}
}

// TestPycall checks that Python code gets data in place, writable if the program allows that,
// and computed values as copies.
func TestPycall(t *testing.T) {
	var calls []string
	run := func(code string, values []pycall.Value) error {
		for _, v := range values {
			calls = append(calls, fmt.Sprintf("%s: %s has %d bytes, shared %v, writable %v", code, v.Name, len(v.Memory), v.Shared, v.Writable))
			if v.Writable {
				v.Memory[0]++
			}
		}
		if code == "fail" {
			return errors.New("NameError")
		}
		return nil
	}
	spec := `
logging: off
data: {d: int, v: {type: array, subtype: int, size: 3}, r: {type: struct, members: [{a: int}, {b: double}]}}
plugins:
  pycall:
    on_event:
      whole: {with: {x: $d}, exec: whole}
      part: [{with: {x: '$v[1]'}, exec: element}, {with: {x: $r.b}, exec: member}]
      copy: {with: {x: '$d + 1'}, exec: copy}
      fail: {exec: fail}
    on_data: {d: on data}
`
	s, err := data.New(data.Tree(datatest.Tree(t, spec)), data.Options{Plugins: []data.Plugin{pycall.Plugin(run)}, Host: data.Host{Console: io.Discard}})
	must(t, err)
	d, v := int32(10), []int32{1, 2, 3}
	r := struct {
		A int32
		B float64
	}{}
	must(t, s.Share("d", &d, data.Out), s.Share("v", v, data.InOut), s.Share("r", &r, data.InOut))
	must(t, s.Event("whole"), s.Event("part"), s.Event("copy"), s.Reclaim("d"), s.Share("d", &d, data.In), s.Event("whole"))
	want := `on data: d has 4 bytes, shared true, writable false
whole: x has 4 bytes, shared true, writable false
element: x has 4 bytes, shared true, writable true
member: x has 8 bytes, shared true, writable true
copy: x has 8 bytes, shared false, writable false
on data: d has 4 bytes, shared true, writable true
whole: x has 4 bytes, shared true, writable true`
	if got := strings.Join(calls, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if d != 12 || v[1] != 3 {
		t.Errorf("Python has left d = %d and v = %v", d, v)
	}
	if err := s.Event("fail"); err == nil || !strings.HasSuffix(err.Error(), "NameError") {
		t.Errorf("%v", err)
	}
	must(t, s.Close())
}

// TestDocumented checks that every plugin and every key has a description.
func TestDocumented(t *testing.T) {
	for _, p := range plugin.List(plugin.Program{}) {
		if p.Name == "" || p.Doc == "" || p.Config == nil || (p.Runs != 0) != (p.New != nil) || (p.Title == "") != (p.New == nil) || p.Removed != "" && p.Runs != 0 {
			t.Errorf("%+v, want a name, a text and its keys; Runs, New and Title together or none of them, and no Runs where it is removed", p)
		}
		seen := map[*config.Rule]bool{}
		var walk func(where string, r *config.Rule)
		walk = func(where string, r *config.Rule) {
			if r == nil || seen[r] {
				return
			}
			seen[r] = true
			for _, k := range r.Keys {
				if k.Name == "" || !strings.HasSuffix(k.Doc, ".") || k.Rule == nil {
					t.Errorf("%s: %+v, want a name, a text that ends with a full stop, and a rule", where, k)
				}
				walk(where+"."+k.Name, k.Rule)
			}
			walk(where, r.List)
			walk(where, r.Names)
		}
		walk(p.Name, p.Config)
		if p.Runs != 0 && p.Config.Mapping().Find("logging") == nil {
			t.Errorf("%s has no key `logging`, which the store reads of every plugin", p.Name)
		}
	}
}

// TestPlaces checks that a store has the plugins that run in its place, and that the error for
// another plugin names the places where it runs.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		plugin string
		place  data.Places
		want   string
	}{
		{"mpi", data.Programs, ""},
		{"mpi", data.Replays, ""},
		{"mpi", data.Pipelines, "plugin `mpi` does not run in pipelines, only in programs that call PDI and in `data replay`: the plugins here are"},
		{"pycall", data.Programs, ""},
		{"pycall", data.Replays, "plugin `pycall` does not run in `data replay`, only in programs that call PDI: the plugins here are"},
		{"deisa", data.Programs, "plugin `deisa` is not built in"},
		{"trace", data.Pipelines, ""},
	} {
		tree := data.Tree(datatest.Tree(t, "{logging: off, plugins: {"+c.plugin+": }}"))
		s, err := data.New(tree, data.Options{Plugins: plugin.List(plugin.Program{}), Place: c.place})
		if c.want == "" {
			must(t, err)
			must(t, s.Close())
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.plugin, err)
		}
	}
}

// TestRefused checks that reading a configuration returns the errors of a start and has no other effect.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for spec, want := range map[string]string{
		"set_value: {on_init: }":                                        "expected a list of operations",
		"set_value: {on_event: {e: [nothing: 1]}}":                      "unknown operation `nothing`",
		"set_value: {on_data: {d: {}}}":                                 "expected a list of operations",
		"set_value: {on_finalize: 5}":                                   "expected a list of operations",
		"decl_hdf5: ":                                                   "expected a mapping with the key `file`, found nothing",
		"timer: {a: {start: x}, output_to: " + dir + "/t}":              "the key `stop` is missing",
		"set_value: {on_init: [event: go]}, json: {d: " + dir + "/f}":   "",
		"timer: {a: b, output_to: " + dir + "/t}, trace: , serialize: ": "",
		"nosuch: 5, deisa: 7":                                           "",
		"decl_netcdf: 7":                                                "expected a mapping with the key `file`",
	} {
		spec := data.Tree(datatest.Tree(t, "{data: {d: int}, plugins: {"+spec+"}}"))
		got := ""
		for name, err := range data.Refused(spec, data.Options{Plugins: plugin.List(plugin.Program{})}) {
			got += name + ": " + err.Error()
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("files %v, %v", files, err)
	}
}
