package flow_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// kinds returns the kinds of data as letters: d data, e empty, x error, f flush, c complete.
func kinds(data []flow.Datum) string {
	var b strings.Builder
	for _, d := range data {
		b.WriteByte(" dexfc"[d.Kind()])
	}
	return b.String()
}

var (
	data  = flow.OfInt(1)
	empty = flow.OfEmpty()
	fault = flow.OfError("x")
	flush = flow.OfFlush()
)

// TestKinds checks that the largest kind among the inputs of a step decides what the outputs get.
func TestKinds(t *testing.T) {
	var flushed atomic.Int64
	two := func(freq int64) *pipe.Type {
		return &pipe.Type{
			Name: "two",
			In: []pipe.Port{
				{Name: "a", Type: "integer", Flags: pipe.Required},
				{Name: "b", Type: "integer", Flags: pipe.Required, Freq: pipe.Times(freq)},
			},
			Out: []pipe.Port{{Name: "out", Type: "integer", Freq: pipe.Times(2)}},
			New: func() pipe.Process {
				var a, b *flow.In
				var out *flow.Out
				return &fake{
					setup: func(s *flow.Setup) error { a, b, out = s.In("a"), s.In("b"), s.Out("out"); return nil },
					step: func(pipe.Step) error {
						a.Take()
						for range freq {
							b.Take()
						}
						out.Push(flow.OfInt(1))
						out.Push(flow.OfInt(2))
						return nil
					},
					flush: func(pipe.Step) error { flushed.Add(1); return nil },
				}
			},
		}
	}
	cases := []struct {
		a, b []flow.Datum
		freq int64
		want string
	}{
		{[]flow.Datum{data, data}, []flow.Datum{data, data}, 1, "dddd"},
		{[]flow.Datum{data, data, data}, []flow.Datum{data, empty, data}, 1, "ddeedd"},
		{[]flow.Datum{data, empty, data}, []flow.Datum{data, fault, data}, 1, "ddxxdd"},
		{[]flow.Datum{data, flush, data}, []flow.Datum{data, flush, data}, 1, "ddfdd"},
		{[]flow.Datum{data, data}, []flow.Datum{data}, 1, "dd"},
		{[]flow.Datum{data, data}, []flow.Datum{data, data, data}, 2, "dd"}, // an incomplete group is dropped
		{[]flow.Datum{data, data}, []flow.Datum{data, empty, data, data}, 2, "eedd"},
		{[]flow.Datum{data, flush}, []flow.Datum{data, data, flush}, 2, "ddf"},
		{[]flow.Datum{flow.Datum{}}, []flow.Datum{data}, 1, "ee"}, // the zero datum is empty
	}
	for _, c := range cases {
		for _, s := range flow.Schedulers() {
			got, err := flowtest.Feed(two(c.freq), nil, flowtest.Data{"a": c.a, "b": c.b}, []string{"out"}, 1000, flow.Options{Scheduler: s})
			if err != nil {
				t.Fatal(err)
			}
			if have := kinds(got["out"]); have != c.want {
				t.Errorf("%s and %s with %d under %s: have %s, want %s", kinds(c.a), kinds(c.b), c.freq, s, have, c.want)
			}
		}
	}
	if flushed.Load() != int64(2*len(flow.Schedulers())) {
		t.Errorf("flushed %d times, want %d", flushed.Load(), 2*len(flow.Schedulers()))
	}
}

// TestSync checks that data which do not belong together give an error datum instead of a wrong
// result.
func TestSync(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		shift := &pipe.Type{Name: "shift", Level: pipe.CheckSync, In: inNumber, Out: outNumber, New: func() pipe.Process {
			var in *flow.In
			var out *flow.Out
			return &fake{
				setup: func(s *flow.Setup) error { in, out = s.In("number"), s.Out("number"); return nil },
				step: func(s pipe.Step) error {
					d, stamp := in.TakeStamped()
					if d.Kind() == flow.CompleteKind {
						s.Complete()
						return nil
					}
					out.Forward(d, stamp+1)
					return nil
				},
			}
		}}
		p := with(build("a :: numbers end=5\nh :: shift\nm :: multiplication\ns :: sink\na.number -> h.number\na.number -> m.factor1\nh.number -> m.factor2\nm.product -> s.sink"), shift)
		r := start(t, p, opt)
		if err := finish(t, r); err != nil {
			t.Fatal(err)
		}
		for _, q := range r.Stats().Processes {
			if q.Name == "m" && q.Out != 5 {
				t.Errorf("%d data came out, want 5", q.Out)
			}
		}
	})
}

// TestSyncIsLoggedOnce checks that data which do not belong together are logged only once.
func TestSyncIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	late := &pipe.Type{Name: "late", Out: outNumber, New: func() pipe.Process {
		var out *flow.Out
		return &fake{
			setup: func(s *flow.Setup) error { out = s.Out("number"); return nil },
			step: func(s pipe.Step) error {
				out.Forward(flow.OfInt(1), flow.Stamp(s.Number()+1))
				if s.Number() == 5 {
					s.Complete()
				}
				return nil
			},
		}
	}}
	p := with(build("a :: numbers end=5\nl :: late\nm :: multiplication\ns :: sink\na.number -> m.factor1\nl.number -> m.factor2\nm.product -> s.sink"), late)
	if err := finish(t, start(t, p, flow.Options{Scheduler: "sync", Log: slog.New(slog.NewTextHandler(&log, nil))})); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "from step 1 on the required inputs do not belong together"); n != 1 {
		t.Errorf("logged %d times:\n%s\nwant 1", n, log.String())
	}
}

// TestHeartbeat checks that every step sends a heartbeat, including the last one.
func TestHeartbeat(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		r := start(t, build("a :: numbers end=5\ns :: sink\nh :: sink\na.number -> s.sink\na._heartbeat -> h.sink"), opt)
		if err := finish(t, r); err != nil {
			t.Fatal(err)
		}
		for _, e := range r.Stats().Edges {
			if e.Taken != 5 {
				t.Errorf("%s gave %d data, want 5", e.From, e.Taken)
			}
		}
	})
}

// TestPeek checks that Peek returns complete after the last datum and does not block.
func TestPeek(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var seen []string
		look := &pipe.Type{Name: "look", In: inNumber, Level: pipe.CheckNone, New: func() pipe.Process {
			var in *flow.In
			return &fake{
				setup: func(s *flow.Setup) error { in = s.In("number"); return nil },
				step: func(s pipe.Step) error {
					seen = append(seen, in.Peek(2).Kind().String())
					if in.Take().Kind() == flow.CompleteKind {
						s.Complete()
					}
					return nil
				},
			}
		}}
		if err := finish(t, start(t, with(build("a :: numbers end=3\nl :: look\na.number -> l.number"), look), opt)); err != nil {
			t.Fatal(err)
		}
		if have := strings.Join(seen, " "); have != "data complete complete complete" {
			t.Errorf("have %s; want %q", have, "data complete complete complete")
		}
	})
}

// TestOf checks that Of accepts all Go number types.
func TestOf(t *testing.T) {
	for _, v := range []any{1, int8(1), int16(1), int32(1), int64(1), uint8(1), uint16(1), uint32(1)} {
		if d := flow.Of(v); d.Int() != 1 || d.Text() != "1" {
			t.Errorf("%T is %v, want d.Int() = 1 and d.Text() = %q", v, d.Value(), "1")
		}
	}
}

// TestHigh checks that the complete is not counted as a datum in the edge.
func TestHigh(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		r := start(t, build("a :: numbers end=3\ns :: sink\na.number -> s.sink"), opt)
		if err := finish(t, r); err != nil {
			t.Fatal(err)
		}
		if e := r.Stats().Edges[0]; e.High > 3 || e.High < 1 || e.Mean > 3 {
			t.Errorf("have %+v, want e.High at most 3, e.High at least 1 and e.Mean at most 3", e)
		}
	})
}

// TestStatic checks that an unconnected static port has the value from the configuration, and a
// connected one does not.
func TestStatic(t *testing.T) {
	var seen []string
	typ := &pipe.Type{Name: "s", In: []pipe.Port{{Name: "a", Type: "integer", Flags: pipe.Static}, {Name: "b", Type: "string", Flags: pipe.Static}, {Name: "c", Type: "integer"}, {Name: "d/<n>", Type: "integer"}}, New: func() pipe.Process {
		var ins []*flow.In
		return &fake{
			setup: func(s *flow.Setup) error {
				ins = []*flow.In{s.In("a"), s.In("b"), s.In("c"), s.In("d/1")}
				return nil
			},
			step: func(s pipe.Step) error {
				for _, in := range ins {
					d := in.Take()
					seen = append(seen, fmt.Sprintln(in.Connected(), d.Kind(), d.Value()))
				}
				s.Complete()
				return nil
			},
		}
	}}
	p := with(build("a :: numbers start=9 end=20\ns :: s static/a=4 static/b=5\na.number -> s.a"), typ)
	if err := finish(t, start(t, p, flow.Options{})); err != nil {
		t.Fatal(err)
	}
	p = with(build("s :: s static/a=4 static/b=5"), typ)
	if err := finish(t, start(t, p, flow.Options{})); err != nil {
		t.Fatal(err)
	}
	want := "[true data 9 false data 5 false empty <nil> false empty <nil> false data 4 false data 5 false empty <nil> false empty <nil>]"
	if have := fmt.Sprint(strings.Fields(strings.Join(seen, ""))); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}

// TestStats checks the counts of a run and their JSON format.
func TestStats(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		r := start(t, build("a :: numbers end=100\nd :: duplicate copies=1\ns :: sink\na.number -> d.input capacity=5\nd.duplicate -> s.sink"), opt)
		if err := finish(t, r); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r.Stats())
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Processes []map[string]any
			Edges     []map[string]any
			Wall      float64 `json:"wall_ns"`
		}
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		want := "a numbers 0 100, d duplicate 100 200, s sink 200 0"
		var have []string
		for _, p := range s.Processes {
			have = append(have, fmt.Sprint(p["name"], " ", p["type"], " ", p["in"], " ", p["out"]))
			for _, key := range []string{"steps", "busy_ns", "blocked_ns"} {
				if v, ok := p[key].(float64); !ok || v < 0 {
					t.Errorf("%s of %v is %v, want a number, at least 0", key, p["name"], p[key])
				}
			}
		}
		if h := strings.Join(have, ", "); h != want {
			t.Errorf("have %s\nwant %s", h, want)
		}
		e := s.Edges[0]
		if e["from"] != "a.number" || e["to"] != "d.input" || e["capacity"] != 5.0 || e["pushed"] != 100.0 || e["taken"] != 100.0 || e["dropped"] != 0.0 || e["high"].(float64) < 1 || e["high"].(float64) > 5 || e["mean"].(float64) > 5 || s.Wall <= 0 {
			t.Errorf("have %s, want the edge a.number to d.input of 5, with 100 pushed and taken and none dropped, at most 5 in it, and a run of some time", text)
		}
	})
}

// TestErrorData checks that error data are counted for each port, with the first reasons, and
// logged once, and that they fail the run if the option is set.
func TestErrorData(t *testing.T) {
	odd := &pipe.Type{Name: "odd", In: inNumber, Out: []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}}, New: func() pipe.Process {
		var in *flow.In
		var out *flow.Out
		return &fake{
			setup: func(s *flow.Setup) error { in, out = s.In("number"), s.Out("number"); return nil },
			step: func(pipe.Step) error {
				if n := in.Take().Int(); n%2 == 1 {
					out.Push(flow.OfError("odd " + itoa(int(n%6))))
				} else {
					out.Push(flow.OfInt(n))
				}
				return nil
			},
		}
	}}
	const pipe = "a :: numbers start=1 end=13\no :: odd\np :: multiplication\ns :: sink\na.number -> o.number\no.number -> p.factor1\na.number -> p.factor2\np.product -> s.sink"
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		for _, fail := range []bool{false, true} {
			var log golden.Buffer
			opt.Log, opt.FailOnErrors = slog.New(slog.NewTextHandler(&log, nil)), fail
			r := start(t, with(build(pipe), odd), opt)
			err := finish(t, r)
			var data *flow.ErrorDataError
			if fail != errors.As(err, &data) || !fail && err != nil || fail && data.Process != "o" {
				t.Errorf("fail %v: %v", fail, err)
			}
			got := map[string][]flow.PortErrors{}
			for _, p := range r.Stats().Processes {
				got[p.Name] = p.Errors
			}
			want := []flow.PortErrors{{Port: "number", Count: 6, Reasons: []string{"odd 1", "odd 3", "odd 5"}}}
			if !reflect.DeepEqual(got["o"], want) || len(got["p"]) != 1 || got["p"][0].Count != 6 || got["a"] != nil {
				t.Errorf("%+v, want got[\"o\"] = %v, len(got[\"p\"]) = 1, got[\"p\"][0].Count = 6 and got[\"a\"] nil", got, want)
			}
			if said := log.String(); strings.Count(said, "error instead of a value") != 1 || !strings.Contains(said, "odd 1") {
				t.Errorf("the log is %s; want strings.Count(said, \"error instead of a value\") = 1 and %q in said", said, "odd 1")
			}
		}
	})
}
