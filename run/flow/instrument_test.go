package flow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

// TestTrace: the trace of a run is JSON with a row for each process and every
// event that the filter lets through.
func TestTrace(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var out bytes.Buffer
		opt.Trace = &out
		filter := &stepsOnly{}
		opt.Filter = filter
		if err := finish(t, start(t, build("a :: numbers end=50\nout :: print_number output=OUT.txt\na.number -> out.number capacity=3"), opt)); err != nil {
			t.Fatal(err)
		}
		var trace struct {
			TraceEvents []struct {
				Name, Cat, Ph string
				Tid           int
				Ts, Dur       float64
				Args          map[string]string
			}
		}
		if err := json.Unmarshal(out.Bytes(), &trace); err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
		count := map[string]int{}
		for _, e := range trace.TraceEvents {
			count[e.Name]++
			if e.Ph == "X" && (e.Cat != "Flow" || e.Ts < 0 || e.Dur < 0) {
				t.Errorf("have %+v", e)
			}
		}
		if count["thread_name"] != 2 || count["flow_step"] != 100 || count["flow_finalize"] != 1 || count["flow_push"] != 0 || count["flow_init"] != 2 {
			t.Errorf("have %v", count)
		}
		if len(filter.regions) != 2 || filter.regions[1].Process != "out" || filter.regions[1].Index != 1 {
			t.Errorf("have %v", filter.regions)
		}
	})
}

// TestTraceNames: a name of any letters is the same in the trace.
func TestTraceNames(t *testing.T) {
	const name = "a\\b\"c\x01\x1fd]é"
	var out bytes.Buffer
	p := flow.New(catalog.Standard())
	p.AddProcess(name, "numbers", flow.Set("end", "3"))
	p.AddProcess("s", "sink", nil)
	p.Connect(name+".number", "s.sink")
	if err := finish(t, start(t, p, flow.Options{Trace: &out})); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Name string
			Args map[string]string
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

// TestOwnTrace: a process is in the trace of the whole run, and in one of its
// own only where that has a name or there is no other.
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

// TestTraceBlocked: the time that a source waits for room is none of its step,
// in the trace and in the figures.
func TestTraceBlocked(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var out bytes.Buffer
		opt.Trace = &out
		slow := &flow.Type{Name: "slow", In: inNumber, New: func() flow.Process {
			var in *flow.In
			return &fake{
				setup: func(s *flow.Setup) error { in = s.In("number"); return nil },
				step:  func(*flow.Step) error { in.Take(); time.Sleep(20 * time.Millisecond); return nil },
			}
		}}
		r := start(t, with(build("a :: numbers end=8\ns :: slow\na.number -> s.number capacity=1"), slow), opt)
		if err := finish(t, r); err != nil {
			t.Fatal(err)
		}
		var trace struct {
			TraceEvents []struct {
				Name string
				Tid  int
				Dur  float64
			}
		}
		if err := json.Unmarshal(out.Bytes(), &trace); err != nil {
			t.Fatal(err)
		}
		steps, worked := map[int]int{}, map[int]float64{}
		for _, e := range trace.TraceEvents {
			if e.Name == "flow_step" {
				steps[e.Tid]++
			}
			if strings.HasPrefix(e.Name, "flow_step") {
				worked[e.Tid] += e.Dur
			}
		}
		if steps[1] != 8 || steps[2] != 8 || worked[1]*2 > worked[2] {
			t.Errorf("steps %v took %v µs", steps, worked)
		}
		if s := r.Stats().Processes; s[0].Busy*2 > s[1].Busy || s[0].Blocked < s[0].Busy {
			t.Errorf("have %+v", s)
		}
	})
}

// TestTraceSize: a trace of limited size holds the newest events and the names
// of all processes, and says what it lost.
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
	var trace struct {
		TraceEvents []struct {
			Name string
			Ts   float64
		}
	}
	if err := json.Unmarshal(text, &trace); err != nil {
		t.Fatal(err)
	}
	names, oldest, newest := 0, math.Inf(1), 0.0
	for _, e := range trace.TraceEvents {
		if e.Name == "thread_name" {
			names++
			continue
		}
		oldest, newest = min(oldest, e.Ts), max(newest, e.Ts)
	}
	if len(text) > limit+1000 || names != 2 || !(oldest > newest/4) {
		t.Errorf("%d bytes with %d names, from %v to %v", len(text), names, oldest, newest)
	}
	kept := len(trace.TraceEvents) - names
	if want := fmt.Sprintf("the trace holds the newest %d of ", kept); !strings.Contains(log.String(), want) {
		t.Errorf("%d events are there, and the log says\n%s", kept, log.String())
	}
}

// stepsOnly is a filter that lets nothing about edges through.
type stepsOnly struct{ regions []flow.Region }

func (f *stepsOnly) Region(r flow.Region) flow.RegionFilter {
	f.regions = append(f.regions, r)
	return f
}

func (f *stepsOnly) Traced(ev flow.Event) bool { return ev != flow.EventPush && ev != flow.EventBlock }

// collected is an observer that counts steps.
type collected struct {
	file   string
	steps  int
	closed bool
}

func (c *collected) Began(flow.Event, time.Duration) {}
func (c *collected) Ended(ev flow.Event, _, _, _ time.Duration, _ string) {
	if ev == flow.EventStep {
		c.steps++
	}
}
func (c *collected) Close() error { c.closed = true; return nil }

// TestOwnProvider: a program's provider gets its block and every step; without
// it the pipeline runs too, with a warning.
func TestOwnProvider(t *testing.T) {
	const text = "a :: numbers end=3 _instrumentation:type=foo _instrumentation:foo:file=output.dat _instrumentation:foo:buffering=optimal\ns :: sink\na.number -> s.sink"
	var o *collected
	foo := &flow.Provider{Name: "foo", Keys: []flow.Key{{Name: "file", Kind: flow.String}, {Name: "buffering", Kind: flow.String, Choices: []string{"optimal"}}},
		New: func(s *flow.Setup, settings map[string]string) (flow.Observer, error) {
			o = &collected{file: settings["file"]}
			return o, nil
		}}
	p := build(text)
	p.Registry = p.Registry.Clone()
	if err := p.Registry.AddProvider(foo); err != nil {
		t.Fatal(err)
	}
	if p.Registry.AddProvider(foo) == nil || p.Registry.AddProvider(&flow.Provider{Name: "timer"}) == nil {
		t.Error("a second provider of one name was accepted")
	}
	if list := p.Check(); len(list) > 0 {
		t.Error(texts(list))
	}
	if err := finish(t, start(t, p, flow.Options{})); err != nil || o == nil || o.file != "output.dat" || o.steps != 3 || !o.closed {
		t.Errorf("have %+v, %v", o, err)
	}
	r := start(t, build(text), flow.Options{})
	if err := finish(t, r); err != nil || len(r.Warnings()) != 1 {
		t.Errorf("have %v, %v", texts(r.Warnings()), err)
	}
}

// TestProviders: each process chooses who observes it.
func TestProviders(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var log lockedLog
		opt.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		p := build("a :: numbers end=3 _instrumentation:type=logger _instrumentation:logger:level=warn\nb :: pass _instrumentation:type=timer\nc :: pass _instrumentation:type=trace _instrumentation:trace:output_file=c.json\nout :: print_number output=OUT.txt _instrumentation:type=none\na.number -> b.pass\nb.pass -> c.pass\nc.pass -> out.number")
		if err := finish(t, start(t, p, opt)); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), `level=WARN msg="begins step" process=a`); n != 3 {
			t.Errorf("%d lines about steps in\n%s", n, log.String())
		}
		table, err := os.ReadFile(filepath.Join(opt.Dir, "b_timing.csv"))
		if err != nil || !strings.HasPrefix(string(table), "part,count,total_s,mean_s,min_s,max_s\n") || !strings.Contains(string(table), "\nstep,4,") {
			t.Errorf("have %v %s", err, table)
		}
		trace, err := os.ReadFile(filepath.Join(opt.Dir, "c.json"))
		if err != nil || !json.Valid(trace) || strings.Count(string(trace), `"flow_step"`) != 4 {
			t.Errorf("have %v %s", err, trace)
		}
	})
}

// TestProvidersInside: files that are called after a process inside a cluster
// need no folder.
func TestProvidersInside(t *testing.T) {
	dir := t.TempDir()
	p := build("a :: numbers end=3\nc :: multiplier_cluster factor=2 const:_instrumentation:type=timer multiplication:_instrumentation:type=trace\ns :: sink\na.number -> c.factor\nc.product -> s.sink")
	if err := finish(t, start(t, p, flow.Options{Dir: dir})); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"c.const_timing.csv", "c.multiplication_trace.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestTraceFails: a trace that cannot be written fails the run.
func TestTraceFails(t *testing.T) {
	r := start(t, build("a :: numbers end=3\ns :: sink\na.number -> s.sink"), flow.Options{Trace: brokenWriter{}})
	if err := finish(t, r); err == nil || !strings.Contains(err.Error(), "the trace cannot be written") {
		t.Errorf("have %v", err)
	}
	for _, kind := range []string{"trace", "timer"} {
		p := build("a :: numbers end=3 _instrumentation:type=" + kind + " _instrumentation:" + kind + ":output_file=/nowhere/x\ns :: sink\na.number -> s.sink")
		var list problem.List
		if _, err := p.Start(context.Background(), flow.Options{}); !errors.As(err, &list) || !strings.Contains(err.Error(), "`/nowhere/x` cannot be written") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no") }

// A lockedLog can be written to by many.
type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
