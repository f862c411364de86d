package flow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/recording"
)

// readTrace reads a trace and fails if it violates the rules of the format.
func readTrace(t interface{ Fatal(...any) }, text []byte) *flowtest.Trace {
	trace, err := flowtest.ReadTrace(text)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// TestTrace: the trace of a run has a row for each process and every event that
// the filter lets through.
func TestTrace(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var out bytes.Buffer
		filter := &stepsOnly{}
		opt.Trace, opt.Filter, opt.Name = &out, filter, "a \"b\".pipe"
		if err := finish(t, start(t, build("a :: numbers end=50\nout :: print_number output=OUT.txt\na.number -> out.number capacity=3"), opt)); err != nil {
			t.Fatal(err)
		}
		trace := readTrace(t, out.Bytes())
		if trace.Processes[1] != "a \"b\".pipe" || len(trace.Tracks) != 2 {
			t.Errorf("have %v, %v; want %q and 2 tracks", trace.Processes, trace.Tracks, "a \"b\".pipe")
		}
		count := map[string]int{}
		for i := range trace.Events {
			e := &trace.Events[i]
			count[e.Cat]++
			if want := fmt.Sprintf("%s step %d", trace.Tracks[e.Track()], e.Args.Step); e.Cat == "flow_step" && strings.TrimSuffix(e.Name, " (goes on)") != want {
				t.Errorf("%s should be %s", e.Name, want)
			}
		}
		if trace.Count("flow_step", "a") != 50 || trace.Count("flow_step", "out") != 50 || count["flow_finalize"] != 1 || count["flow_push"] != 0 || count["flow_init"] != 2 {
			t.Errorf("have %v, want 50 steps of a and of out, one flow_finalize, 2 flow_init and no flow_push", count)
		}
		if len(filter.regions) != 2 || filter.regions[1].Process != "out" || filter.regions[1].Index != 1 {
			t.Errorf("have %v, want 2 regions, the second with number 1, of out", filter.regions)
		}
	})
}

// TestRandomTraces: for any graph, counters equal data pushed minus data taken, and every taken
// datum has its arrow.
func TestRandomTraces(t *testing.T) {
	need.Slow(t)
	rapid.Check(t, func(t *rapid.T) {
		p := flowtest.DrawPipeline(t, catalog.Standard(), rapid.Bool().Draw(t, "drops"))
		var out bytes.Buffer
		stats := runRandom(t, p, flow.Options{Scheduler: rapid.SampledFrom(flow.Schedulers()).Draw(t, "scheduler"), Trace: &out})
		passages, err := readTrace(t, out.Bytes()).Passages()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range stats.Edges {
			pushed, taken := int(e.Pushed-e.Dropped), int(e.Taken)
			want := flowtest.Passage{Pushed: pushed, Taken: taken, Left: int(e.Left), Begun: pushed, Reached: taken}
			if have := passages[e.From+" → "+e.To]; have != want {
				t.Fatalf("%s → %s is %+v in the trace, want %+v", e.From, e.To, have, want)
			}
		}
	})
}

// TestTraceOfFullEdge: every datum has its arrow, even if an edge grows after some were taken.
func TestTraceOfFullEdge(t *testing.T) {
	const early, all = 5, 60
	taken, pushed := make(chan struct{}), make(chan struct{})
	source := &pipe.Type{Name: "source", Out: outNumber, New: func() pipe.Process {
		var o *flow.Out
		return &fake{
			setup: func(s *flow.Setup) error { o = s.Out("number"); return nil },
			step: func(s pipe.Step) error {
				if s.Number() == 2*early {
					<-taken
				}
				o.Push(flow.OfInt(int64(s.Number())))
				if s.Number() == all {
					close(pushed)
					s.Complete()
				}
				return nil
			},
		}
	}}
	late := consumer("late", func(s pipe.Step, n int64) error {
		if n == early {
			close(taken)
			<-pushed
		}
		return nil
	})
	var out bytes.Buffer
	if err := finish(t, start(t, with(build("a :: source\nl :: late\na.number -> l.number capacity=100"), source, late), flow.Options{Scheduler: "thread_per_process", Trace: &out})); err != nil {
		t.Fatal(err)
	}
	passages, err := readTrace(t, out.Bytes()).Passages()
	if want := (flowtest.Passage{Pushed: all, Taken: all, Begun: all, Reached: all}); err != nil || passages["a.number → l.number"] != want {
		t.Errorf("%+v, %v", passages, err)
	}
}

// TestTraceBlocked: the time that a source waits for room does not count as part of its step, in
// the trace and in the figures.
func TestTraceBlocked(t *testing.T) {
	need.Slow(t)
	slow := &pipe.Type{Name: "slow", In: inNumber, New: func() pipe.Process {
		var in *flow.In
		return &fake{
			setup: func(s *flow.Setup) error { in = s.In("number"); return nil },
			step: func(pipe.Step) error {
				in.Take()
				time.Sleep(20 * time.Millisecond) // the step that the source waits for
				return nil
			},
		}
	}}
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		pass := func() error {
			var out bytes.Buffer
			opt.Trace = &out
			r := start(t, with(build("a :: numbers end=8\ns :: slow\na.number -> s.number capacity=1"), slow), opt)
			if err := finish(t, r); err != nil {
				t.Fatal(err)
			}
			trace := readTrace(t, out.Bytes())
			worked, waits := map[string]float64{}, map[string]int{}
			for i := range trace.Events {
				switch e := &trace.Events[i]; e.Cat {
				case "flow_step":
					worked[trace.Tracks[e.Track()]] += *e.Dur
				case "flow_block":
					waits[fmt.Sprintf("%s at %s", e.Name, e.Args.Edge)]++
				}
			}
			if trace.Count("flow_step", "a") != 8 || trace.Count("flow_step", "s") != 8 || worked["a"]*2 > worked["s"] || waits["a waits for room at a.number → s.number"] == 0 {
				return fmt.Errorf("steps took %v µs, waits are %v", worked, waits)
			}
			if s := r.Stats().Processes; s[0].Busy*2 > s[1].Busy || s[0].Blocked < s[0].Busy {
				return fmt.Errorf("have %+v", s)
			}
			return nil
		}
		err := pass()
		for try := 0; try < 20 && err != nil; try++ { // the source did not get to run in the middle of a step
			err = pass()
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// TestTraceSize: a trace of limited size has the newest events and the names of all processes, and
// reports how much was lost.
func TestTraceSize(t *testing.T) {
	const limit = 300_000
	f, err := os.Create(filepath.Join(t.TempDir(), "trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var log lockedLog
	opt := flow.Options{Scheduler: "sync", Trace: f, TraceSize: limit, Log: slog.New(slog.NewTextHandler(&log, nil))}
	if err := finish(t, start(t, build("a :: numbers end=20000\ns :: sink\na.number -> s.sink"), opt)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	trace := readTrace(t, text)
	oldest, newest := math.Inf(1), 0.0
	for i := range trace.Events {
		oldest, newest = min(oldest, *trace.Events[i].Ts), max(newest, *trace.Events[i].Ts)
	}
	if len(text) > limit+1000 || len(trace.Tracks) != 2 || !(oldest > newest/4) {
		t.Errorf("%d bytes with %v, from %v to %v; want at most %d bytes, 2 tracks, and the oldest later than a fourth of the newest", len(text), trace.Tracks, oldest, newest, limit+1000)
	}
	if want := fmt.Sprintf("the trace has only the newest %d of ", len(trace.Events)); !strings.Contains(log.String(), want) {
		t.Errorf("%d events are there, and the log says\n%s\nwant %q in it", len(trace.Events), log.String(), want)
	}
}

// BenchmarkTrace measures a traced datum: two steps, a push, a take.
func BenchmarkTrace(b *testing.B) {
	p := build(fmt.Sprintf("a :: numbers end=%d\ns :: sink\na.number -> s.sink", b.N))
	b.ReportAllocs()
	b.ResetTimer()
	if err := p.Run(b.Context(), flow.Options{Scheduler: "sync", Trace: io.Discard}); err != nil {
		b.Fatal(err)
	}
}

// stepsOnly is a filter that drops all events of edges.
type stepsOnly struct{ regions []recording.Region }

func (f *stepsOnly) Region(r recording.Region) recording.RegionFilter {
	f.regions = append(f.regions, r)
	return f
}

func (f *stepsOnly) Traced(ev pipe.Event) bool { return ev != pipe.EventPush && ev != pipe.EventBlock }

// TestTraceNames: a name with any characters is unchanged in the trace.
func TestTraceNames(t *testing.T) {
	const name = "a\\b\"c\x01\x1fd]é"
	var out bytes.Buffer
	p := flow.New(catalog.Standard())
	p.AddProcess(name, "numbers", pipe.Set("end", "3"))
	p.AddProcess("s", "sink", nil)
	p.Connect(name+".number", "s.sink")
	if err := finish(t, start(t, p, flow.Options{Trace: &out})); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Name string
			Args map[string]any
		}
	}
	if err := json.Unmarshal(out.Bytes(), &trace); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	for _, e := range trace.TraceEvents {
		if e.Name == "thread_name" && e.Args["name"] == name {
			return
		}
	}
	t.Errorf("no row is called %q in %s", name, out.String())
}

// TestOwnTrace: a process is in the trace of the whole run; it has its own trace only if that has a
// name or there is no other.
func TestOwnTrace(t *testing.T) {
	for setting, want := range map[string]string{
		"_instrumentation:type=trace": "",
		"_instrumentation:type=trace _instrumentation:trace:output_file=own.json": "own.json",
	} {
		dir := t.TempDir()
		var out bytes.Buffer
		p := build("a :: numbers end=3 " + setting + "\ns :: sink\na.number -> s.sink")
		if err := finish(t, start(t, p, flow.Options{Dir: dir, Trace: &out})); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		have := strings.TrimPrefix(strings.Join(files, " "), dir+"/")
		if have != want {
			t.Errorf("%s makes %q, want %q", setting, have, want)
		}
		if !strings.Contains(out.String(), `"a"`) {
			t.Errorf("%s: the process is not in the trace of the run", setting)
		}
	}
}
