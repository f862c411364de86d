package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func TestMain(m *testing.M) { golden.Main(m) }

// pythonWith returns the settings of a class in testdata, for an interpreter that has numpy.
func pythonWith(t testing.TB, class string, more ...string) pipe.Config {
	t.Helper()
	command := need.Python(t, "numpy")
	pkg, err := filepath.Abs("../../../python")
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return pipe.Set(append([]string{"class", class, "interpreter", command, "path", here + ":" + pkg}, more...)...)
}

func ints(list ...int64) []flow.Datum {
	var d []flow.Datum
	for _, i := range list {
		d = append(d, flow.OfInt(i))
	}
	return d
}

func text(data flowtest.Data, port string) string {
	var words []string
	for _, d := range data[port] {
		switch {
		case d.Kind() == flow.ErrorKind:
			words = append(words, "error("+d.Why()+")")
		case !d.IsData():
			words = append(words, d.Kind().String())
		default:
			words = append(words, fmt.Sprint(d.Value()))
		}
	}
	return strings.Join(words, " ")
}

// TestPython runs Python classes of every kind. In short mode it runs every other class, in full mode all
// classes under every scheduler.
func TestPython(t *testing.T) {
	for i, c := range []struct {
		name, class string
		more        []string
		in          flowtest.Data
		out         []string
		want, log   string
		fail        string
	}{
		{"filter", "effects.Scale", []string{"factor", "3"}, flowtest.Data{"number": ints(1, 2, 3)}, []string{"product"}, "product: 3 6 9", "", ""},
		{"source", "effects.Count", nil, nil, []string{"number"}, "number: 1 2 3", "", ""},
		{"sink", "effects.Sum", nil, flowtest.Data{"number": ints(1, 2, 3)}, nil, "", "the sum is 6", ""},
		{"log", "effects.Sum", nil, flowtest.Data{"number": ints(1, 2, 3)}, nil, "", "level=WARN msg=\"summed up\"", ""},
		{"log of a module", "effects.Sum", nil, flowtest.Data{"number": ints(1)}, nil, "", "level=INFO msg=\"a module says so\"", ""},
		{"several data a step", "effects.Repeat", nil, flowtest.Data{"number": ints(2, 0, 1, 4, 5)}, []string{"number"}, "number: 2 2 1 4 4 4 4 -1", "", ""},
		{"several outputs", "effects.Split", nil, flowtest.Data{"number": ints(1, 2, 3)}, []string{"half", "word"}, "half: 0.5 empty empty; word: one error(no word) empty", "", ""},
		{"raises", "effects.Bad", nil, flowtest.Data{"number": ints(1, 2, 3, 4)}, []string{"out"}, "", "in fails", "failed in step 3: ValueError: three is too many (effects.py:"},
		{"exits", "effects.Bad", []string{"how", "exit"}, flowtest.Data{"number": ints(1, 2, 3, 4)}, []string{"out"}, "", "", "the program `PYTHON` ended with exit status 7 before its input did"},
		{"is killed", "effects.Bad", []string{"how", "kill"}, flowtest.Data{"number": ints(1, 2, 3, 4)}, []string{"out"}, "", "", "the program `PYTHON` ended with signal: killed"},
		{"hangs", "effects.Bad", []string{"how", "hang", "timeout", "0.3"}, flowtest.Data{"number": ints(1, 2, 3, 4)}, []string{"out"}, "", "", "did not answer within 300ms"},
		{"returns what has no form", "effects.Bad", []string{"how", "type"}, flowtest.Data{"number": ints(1)}, []string{"out"}, "", "", "failed in step 1: pentode.wire.WireError: a value of type object cannot leave the process"},
		{"returns too much", "effects.Bad", []string{"how", "large"}, flowtest.Data{"number": ints(1)}, []string{"out"}, "", "", "a whole number has more than 64 bits"},
		{"prints", "effects.Bad", []string{"how", "print"}, flowtest.Data{"number": ints(1)}, []string{"out"}, "out: 1", "msg=\"    indented\"", ""},
		{"fails in setup", "effects.Import", nil, flowtest.Data{"number": ints(1)}, nil, "", "", "cannot be set up: RuntimeError: no model here (effects.py:"},
		{"a value that does not fit", "effects.Scale", []string{"factor", "x"}, flowtest.Data{"number": ints(1)}, []string{"product"}, "", "", "key `factor` is `x`, but must be a whole number"},
		{"no such class", "effects.Scal", nil, flowtest.Data{"number": ints(1)}, nil, "", "", "module `effects` has no class `Scal`; it has Scale, Count"},
		{"no such module", "efects.Scale", nil, flowtest.Data{"number": ints(1)}, nil, "", "", "No module named 'efects'"},
		{"no such port", "effects.Scale", nil, flowtest.Data{"nuber": ints(1)}, nil, "", "", "has no input port `nuber`; did you mean `number`?"},
		{"inputs that are not required", "effects.Lenient", nil, flowtest.Data{"number": ints(1, 2, 3, 4, 5)}, []string{"out"}, "out: 2 4 6 8 10", "", ""},
		{"of two lengths", "effects.Lenient", nil, flowtest.Data{"number": ints(1, 2), "other": ints(10, 20, 30)}, []string{"out"}, "out: 12 24 30", "", ""},
		{"written for KWIVER", "guests.Adder", nil, flowtest.Data{"number0": ints(1, 2, 3), "number1": ints(10, 20)}, []string{"sum"}, "sum: 11 22", "", ""},
		{"a group of one", "effects.Scale", []string{"group", "g"}, flowtest.Data{"number": ints(1, 2, 3)}, []string{"product"}, "product: 2 4 6", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if i%4 != 0 {
				need.Slow(t) // each loads an interpreter and numpy
			}
			schedulers := flow.Schedulers()
			if c.fail != "" || !need.FullSize() {
				schedulers = schedulers[:1]
			}
			for _, scheduler := range schedulers {
				var log golden.Buffer
				got, err := flowtest.Feed(pythonType(), pythonWith(t, c.class, c.more...), c.in, c.out, 100,
					flow.Options{Scheduler: scheduler, Log: slog.New(slog.NewTextHandler(&log, nil))})
				fail := strings.ReplaceAll(c.fail, "PYTHON", need.Python(t, "numpy"))
				if c.fail == "" && err != nil || c.fail != "" && (err == nil || !strings.Contains(err.Error(), fail)) {
					t.Fatalf("%s: have %v\nwant %s\nlog %s", scheduler, err, fail, log.String())
				}
				var have []string
				for _, port := range c.out {
					have = append(have, port+": "+text(got, port))
				}
				if h := strings.Join(have, "; "); c.fail == "" && h != c.want {
					t.Errorf("%s: have %s\nwant %s", scheduler, h, c.want)
				}
				if !strings.Contains(log.String(), c.log) {
					t.Errorf("%s: the log is %s\nwant %s", scheduler, log.String(), c.log)
				}
			}
		})
	}
}

// TestPythonFlags checks that the flags which a class reports when it starts replace the flags found in its
// source.
func TestPythonFlags(t *testing.T) {
	config := pythonWith(t, "guests.Adder")
	delete(config, "class")
	open := pipe.Type{Name: "adder",
		In:  []pipe.Port{{Name: "number<n>", Type: "integer"}},
		Out: []pipe.Port{{Name: "sum", Type: "integer"}}}
	got, err := flowtest.Feed(PythonType(open, "guests.Adder", ""), config, flowtest.Data{"number0": ints(1, 2, 3), "number1": ints(10, 20)}, []string{"sum"}, 100, flow.Options{})
	if have := text(got, "sum"); err != nil || have != "11 22" {
		t.Errorf("have %s, %v", have, err)
	}
}

// TestPackage runs those tests of the Python package that do not need OpenCV.
func TestPackage(t *testing.T) {
	files, err := filepath.Glob("../../../python/tests/test_*.py")
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".py"); name != "test_vision" {
			modules = append(modules, "tests."+name)
		}
	}
	packageTest(t, need.Python(t, "numpy"), modules...)
}

// TestVisionPackage runs the tests of the Python package that need OpenCV.
func TestVisionPackage(t *testing.T) {
	need.Slow(t)
	packageTest(t, need.Python(t, "cv2"), "tests.test_vision")
}

func packageTest(t *testing.T, python string, modules ...string) {
	t.Helper()
	cmd := exec.Command(python, append([]string{"-m", "unittest"}, modules...)...)
	cmd.Dir = "../../../python"
	if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("Ran 0 tests")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPythonValues checks that values of every kind return from Python unchanged, through shared memory and
// over the socket.
func TestPythonValues(t *testing.T) {
	big := &tensor.Tensor{Kind: tensor.Float32, Shape: []int{300, 200}, Data: bytes.Repeat([]byte{1, 2, 3, 4}, 60000)}
	rgb := &tensor.Tensor{Kind: tensor.Uint16, Shape: []int{200, 300, 3}, Data: bytes.Repeat([]byte{7, 8}, 180000)}
	grey := tensor.New(tensor.Uint8, 400, 500, 1)
	for i := range grey.Data {
		grey.Data[i] = byte(i)
	}
	set := pic.Detections{{ID: 1, Frame: 2, Left: 1, Top: 2, Right: 3, Bottom: 4, Confidence: 0.5, Classes: []pic.Class{{Name: "cat", Score: 0.9}, {Name: "dog", Score: 0.1}}}, {ID: 2, Numbered: true, Length: 1.5, Attributes: []string{"(poly) 1 2 3 4", "(note) big"}}}
	values := []any{
		int64(-5), 1.5, "täxt", true, []byte("bytes"), bytes.Repeat([]byte("x"), 100000),
		&tensor.Tensor{Kind: tensor.Int64, Shape: []int{2, 3}, Data: make([]byte, 48)}, big, rgb, grey,
		[]any{int64(1), "two", []any{3.5}}, map[string]any{"a": int64(1), "b": map[string]any{"c": "d"}},
		pic.Timestamp{Frame: 3, Time: 0.5}, set,
		pic.Tracks{{ID: 7, States: []pic.TrackState{{Frame: 1, Time: 0.25, Detection: set[0]}}}},
		pic.Homography{Matrix: [9]float64{1, 0, 3, 0, 1, 4, 0, 0, 1}, From: 5, To: 1},
	}
	var in []flow.Datum
	for _, v := range values {
		in = append(in, flow.Of(v))
	}
	for _, class := range []string{"effects.Identity"} {
		got, err := flowtest.Feed(pythonType(), pythonWith(t, class), flowtest.Data{"value": in}, []string{"value"}, 100, flow.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range got["value"] {
			if have, want := fmt.Sprintf("%T %v", plain(d.Value()), plain(d.Value())), fmt.Sprintf("%T %v", plain(values[i]), plain(values[i])); have != want {
				t.Errorf("%T: have %.300s\nwant %.300s", values[i], have, want)
			}
		}
		if len(got["value"]) != len(values) {
			t.Errorf("have %d values, want %v", len(got["value"]), len(values))
		}
	}
}

// plain converts values to a form in which they can be compared.
func plain(v any) any {
	switch v := v.(type) {
	case *tensor.Tensor:
		return *v
	}
	return v
}

func frames(n, w, h int) []flow.Datum {
	var list []flow.Datum
	for i := range n {
		r := tensor.New(tensor.Uint8, h, w, 3)
		for j := range r.Data {
			r.Data[j] = byte(i*7 + j/3)
		}
		list = append(list, flow.Of(r))
	}
	return list
}

// TestPythonKeeps checks that a frame which Python keeps does not change, and that frames are sent over the
// socket when the shared memory is full.
func TestPythonKeeps(t *testing.T) {
	need.Slow(t)
	counts := []int{10}
	if need.Full() {
		counts = append(counts, 60)
	}
	for _, n := range counts {
		var log golden.Buffer
		_, err := flowtest.Feed(pythonType(), pythonWith(t, "effects.Keep"), flowtest.Data{"image": frames(n, 1920, 1080)}, nil, 100,
			flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil || !strings.Contains(log.String(), fmt.Sprintf("kept %d frames", n)) {
			t.Errorf("%v, and the log is %s", err, log.String())
		}
	}
}

// TestAlgorithm checks that a Python class can do the work of a type that needs an algorithm.
func TestAlgorithm(t *testing.T) {
	declared := detectorType()
	own := pythonWith(t, "")
	config := func(kind, class string) pipe.Config {
		return pipe.Set("detector:type", kind, "detector:python:class", class, "detector:python:name", "fish",
			"detector:python:interpreter", own["interpreter"].Value, "detector:python:path", own["path"].Value)
	}
	out := []string{"detected_object_set"}
	got, err := flowtest.Feed(Algorithmic(declared), config("python", "effects.Detect"), flowtest.Data{"image": frames(2, 64, 48)}, out, 10, flow.Options{})
	want := "[{0 false 0 1 2 64 48 0.5 0 [{fish 0.75}] []}]"
	if have := text(got, out[0]); err != nil || have != want+" "+want {
		t.Errorf("have %s, %v", have, err)
	}
	for _, c := range []struct{ kind, class, want string }{
		{"", "", "it needs a detection algorithm: set `detector:type` to"},
		{"python", "", "key `detector:python:class` has no value"},
	} {
		_, err := flowtest.Feed(Algorithmic(declared), config(c.kind, c.class), flowtest.Data{"image": frames(1, 64, 48)}, out, 10, flow.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("have %v\nwant %s", err, c.want)
		}
	}
}

// TestExecBinary checks that `exec` can run a program that speaks the binary protocol.
func TestExecBinary(t *testing.T) {
	config := pythonWith(t, "")
	command := "'" + config["interpreter"].Value + "' testdata/effects.py"
	got, err := flowtest.Feed(execType(), pipe.Set("command", command, "format", "binary", "env:PYTHONPATH", config["path"].Value),
		flowtest.Data{"number": ints(1, 2, 3)}, []string{"product"}, 100, flow.Options{})
	if have := text(got, "product"); err != nil || have != "2 4 6" {
		t.Errorf("have %s, %v", have, err)
	}
	for command, want := range map[string]string{
		"true": "ended before its input did", "sh -c 'exec 3>&-; sleep 1000'": "closed its socket", "sh -c 'printf nonsense >&3; cat <&3'": "claims to have",
		"sh -c \"printf '\\2\\0\\0\\0R{}' >&3; cat <&3 >/dev/null\"": "speaks version 0 of the protocol; expected 1",
	} {
		_, err := flowtest.Feed(execType(), pipe.Set("command", command, "format", "binary", "grace", "0.1"),
			flowtest.Data{"number": ints(1, 2, 3)}, []string{"product"}, 100, flow.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: have %v\nwant %s", command, err, want)
		}
	}
}

// TestPythonReconfigure checks that new settings take effect between two steps, and that a class can refuse
// them.
func TestPythonReconfigure(t *testing.T) {
	p := flow.New(pipe.NewRegistry(pythonType(), endlessType(), dropType()))
	p.AddProcess("n", "endless", nil)
	p.AddProcess("s", "python", pythonWith(t, "effects.Scale"))
	p.AddProcess("d", "drop", nil)
	p.Connect("n.number", "s.number")
	p.Connect("s.product", "d.value")
	r, err := p.Start(context.Background(), flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, value, fail string }{
		{"factor", "5", ""}, {"factor", "-1", "a negative factor is refused"}, {"factor", "x", "must be a whole number"}, {"fixed", "b", "cannot change"}, {"factor", "13", "13 brings bad luck"}, {"factor", "6", ""},
	} {
		_, err := r.Set(context.Background(), map[string]string{"s:" + c.key: c.value}, flow.SetOptions{})
		if (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
			t.Errorf("%s = %s: %v", c.key, c.value, err)
		}
	}
	r.Stop()
	r.Wait()
}

// squares checks that two classes multiply by the same factor.
type squares struct {
	in     *flow.In
	n      int64
	errors int
	wrong  string
}

func (q *squares) Setup(s *flow.Setup) error { q.in = s.In("value"); return nil }

func (q *squares) Step(s pipe.Step) error {
	d := q.in.Take()
	switch d.Kind() {
	case flow.CompleteKind:
		s.Complete()
		return nil
	case flow.ErrorKind:
		q.errors++
		q.n++
		return nil
	}
	q.n++
	switch v := d.Int(); v {
	case 4 * q.n, 9 * q.n, 25 * q.n:
	default:
		q.wrong = fmt.Sprintf("datum %d is %d, no product of a square", q.n, v)
	}
	return nil
}

// TestPythonSet checks that two classes change at the same datum, even if their steps are sent in batches,
// and that the old settings return if a step fails during the watch.
func TestPythonSet(t *testing.T) {
	need.Slow(t)
	last := &squares{}
	typ := &pipe.Type{
		Name: "squares", Level: pipe.CheckSync, In: []pipe.Port{{Name: "value", Type: pipe.AnyType, Flags: pipe.Required}},
		New: func() pipe.Process { return last },
	}
	p := flow.New(pipe.NewRegistry(pythonType(), endlessType(), typ))
	p.AddProcess("n", "endless", nil)
	p.AddProcess("a", "python", pythonWith(t, "effects.Scale", "group", "g"))
	p.AddProcess("b", "python", pythonWith(t, "effects.Scale"))
	p.AddProcess("q", "squares", nil)
	p.Connect("n.number", "a.number")
	p.Connect("a.product", "b.number")
	p.Connect("b.product", "q.value")
	r, err := p.Start(t.Context(), flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := func(factor string, opt flow.SetOptions) (flow.SetResult, error) {
		return r.Set(t.Context(), map[string]string{"a:factor": factor, "b:factor": factor}, opt)
	}
	for i := range 50 {
		if result, err := set([]string{"2", "3", "5"}[i%3], flow.SetOptions{}); err != nil || len(result.Crossed) > 0 {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	result, err := set("7", flow.SetOptions{WatchFor: time.Minute})
	if err == nil || !strings.Contains(result.Undone, "7 is too much") {
		t.Errorf("%+v, %v", result, err)
	}
	if result, err = set("2", flow.SetOptions{}); err != nil || result.Changes[0].Old != "3" {
		t.Errorf("%+v, %v", result, err)
	}
	r.Stop()
	if err := r.Wait(); !errors.Is(err, flow.ErrStopped) {
		t.Error(err)
	}
	if last.wrong != "" || last.errors == 0 || last.n == 0 {
		t.Errorf("%s; %d errors among %d data", last.wrong, last.errors, last.n)
	}
}

// TestPythonGroup checks that the processes of a group share an interpreter, and that every other process has
// its own.
func TestPythonGroup(t *testing.T) {
	need.Slow(t)
	schedulers := flow.Schedulers()
	if !need.FullSize() {
		schedulers = schedulers[:1]
	}
	for _, scheduler := range schedulers {
		p := flow.New(pipe.NewRegistry(pythonType()))
		var log golden.Buffer
		p.AddProcess("a", "python", pythonWith(t, "effects.Count", "group", "g", "limit", "100"))
		p.AddProcess("b", "python", pythonWith(t, "effects.Scale", "group", "g"))
		p.AddProcess("c", "python", pythonWith(t, "effects.Sum", "group", "g"))
		p.Connect("a.number", "b.number")
		p.Connect("b.product", "c.number")
		err := p.Run(context.Background(), flow.Options{Scheduler: scheduler, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil || !strings.Contains(log.String(), "the sum is 10100") {
			t.Errorf("%s: %v, and the log is %s", scheduler, err, log.String())
		}
	}
}

// endlessType returns a source that counts for ever; dropType returns a process that discards its input.
func endlessType() *pipe.Type {
	return &pipe.Type{Name: "endless", Out: []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}}, New: func() pipe.Process { return &endless{} }}
}

type endless struct {
	n   int64
	out *flow.Out
}

func (e *endless) Setup(s *flow.Setup) error { e.out = s.Out("number"); return nil }

func (e *endless) Step(pipe.Step) error {
	e.n++
	e.out.Push(flow.OfInt(e.n))
	return nil
}

func dropType() *pipe.Type {
	return &pipe.Type{Name: "drop", In: []pipe.Port{{Name: "value", Type: pipe.AnyType, Flags: pipe.Required}}, New: func() pipe.Process { return &drop{} }}
}

type drop struct{ in *flow.In }

func (d *drop) Setup(s *flow.Setup) error { d.in = s.In("value"); return nil }

func (d *drop) Step(pipe.Step) error { d.in.Take(); return nil }

// BenchmarkPython measures the steps per second through a class that does nothing.
func BenchmarkPython(b *testing.B) {
	for _, c := range []struct {
		name, class, in, out string
		data                 []flow.Datum
		more                 []string
	}{
		{"numbers", "effects.Scale", "number", "product", ints(1, 2, 3, 4), nil},
		{"frames 1920×1080", "effects.Frame", "image", "image", frames(4, 1920, 1080), nil},
		{"frames 1920×1080, copied", "effects.Frame", "image", "image", frames(4, 1920, 1080), []string{"copy", "true"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			limit := &limited{data: c.data, left: b.N}
			p := flow.New(pipe.NewRegistry(pythonType(), limit.typ(), dropType()))
			p.AddProcess("n", "limited", nil)
			p.AddProcess("s", "python", pythonWith(b, c.class, c.more...))
			p.AddProcess("d", "drop", nil)
			p.Connect("n.value", "s."+c.in)
			p.Connect("s."+c.out, "d.value")
			r, err := p.Start(context.Background(), flow.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			began := time.Now()
			if err := r.Wait(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "steps/s")
		})
	}
}

// limited sends its data repeatedly, a given number of times.
type limited struct {
	data []flow.Datum
	left int
	out  *flow.Out
}

func (l *limited) typ() *pipe.Type {
	return &pipe.Type{Name: "limited", Out: []pipe.Port{{Name: "value", Type: pipe.AnyType, Flags: pipe.Required}}, New: func() pipe.Process { return l }}
}

func (l *limited) Setup(s *flow.Setup) error { l.out = s.Out("value"); return nil }

func (l *limited) Step(s pipe.Step) error {
	l.out.Push(l.data[l.left%len(l.data)])
	if l.left--; l.left <= 0 {
		s.Complete()
	}
	return nil
}
