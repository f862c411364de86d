package flow_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// collected is an observer that counts steps.
type collected struct {
	file   string
	steps  int
	closed bool
}

func (c *collected) Began(pipe.Event, time.Duration) {}
func (c *collected) Ended(ev pipe.Event, _, _, _ time.Duration, _ string) {
	if ev == pipe.EventStep {
		c.steps++
	}
}
func (c *collected) Close() error { c.closed = true; return nil }

// TestOwnProvider: a provider added by a program gets its block and every step; without the
// provider the pipeline still runs, with a warning.
func TestOwnProvider(t *testing.T) {
	const text = "a :: numbers end=3 _instrumentation:type=foo _instrumentation:foo:file=output.dat _instrumentation:foo:buffering=optimal\ns :: sink\na.number -> s.sink"
	var o *collected
	foo := &pipe.Provider{Name: "foo", Keys: []pipe.Key{{Name: "file", Kind: pipe.String}, {Name: "buffering", Kind: pipe.String, Choices: []string{"optimal"}}},
		New: func(e *pipe.Env, settings map[string]string) (pipe.Observer, error) {
			o = &collected{file: settings["file"]}
			return o, nil
		}}
	p := build(text)
	p.Registry = p.Registry.Clone()
	if err := p.Registry.AddProvider(foo); err != nil {
		t.Fatal(err)
	}
	if p.Registry.AddProvider(foo) == nil || p.Registry.AddProvider(&pipe.Provider{Name: "timer"}) == nil {
		t.Error("a second provider of one name was accepted")
	}
	if list := p.Check(); len(list) > 0 {
		t.Errorf("%v; want at most 0", texts(list))
	}
	if err := finish(t, start(t, p, flow.Options{})); err != nil || o == nil || o.file != "output.dat" || o.steps != 3 || !o.closed {
		t.Errorf("have %+v, %v", o, err)
	}
	var log, before bytes.Buffer
	r := start(t, build(text), flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Ready: func(context.Context) error {
		before.Write(log.Bytes())
		return nil
	}})
	if err := finish(t, r); err != nil || len(r.Warnings()) != 1 {
		t.Errorf("have %v, %v", texts(r.Warnings()), err)
	}
	// A program that has already shown these messages can leave out what is logged before Ready.
	if strings.Count(before.String(), "level=WARN") != 1 || before.String() != log.String() {
		t.Errorf("before it was ready the log had %q, in the end %q", before.String(), log.String())
	}
}

// TestProviders: each process chooses its observer.
func TestProviders(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		var log lockedLog
		opt.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		p := build("a :: numbers end=3 _instrumentation:type=logger _instrumentation:logger:level=warn\nb :: pass _instrumentation:type=timer\nc :: pass _instrumentation:type=trace _instrumentation:trace:output_file=c.json\nout :: print_number output=OUT.txt _instrumentation:type=none\na.number -> b.pass\nb.pass -> c.pass\nc.pass -> out.number")
		if err := finish(t, start(t, p, opt)); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), `level=WARN msg="begins step" process=a`); n != 3 {
			t.Errorf("%d lines about steps in\n%s\nwant 3", n, log.String())
		}
		table, err := os.ReadFile(filepath.Join(opt.Dir, "b_timing.csv"))
		if err != nil || !strings.HasPrefix(string(table), "part,count,total_s,mean_s,min_s,max_s\n") || !strings.Contains(string(table), "\nstep,4,") {
			t.Errorf("have %v %s", err, table)
		}
		trace, err := os.ReadFile(filepath.Join(opt.Dir, "c.json"))
		if err != nil {
			t.Fatal(err)
		}
		if own := readTrace(t, trace); own.Count("flow_step", "c") != 4 || own.Count("flow_push", "c") != 4 {
			t.Errorf("have %s; want own.Count(\"flow_step\", \"c\") = 4 and own.Count(\"flow_push\", \"c\") = 4", trace)
		}
	})
}

// TestTimerClocks: wall time includes the wait for a datum, processor time does not.
func TestTimerClocks(t *testing.T) {
	const wait = 200 * time.Millisecond
	asked := make(chan struct{}, 4)
	late := &pipe.Type{Name: "late", Out: outNumber, New: func() pipe.Process {
		var out *flow.Out
		steps := 0
		return &fake{
			setup: func(s *flow.Setup) error { out = s.Out("number"); return nil },
			step: func(s pipe.Step) error {
				if steps++; steps == 2 {
					<-asked
					<-asked
					time.Sleep(wait) // the time that is measured
					s.Complete()
				}
				out.Push(flow.OfInt(int64(steps)))
				return nil
			},
		}
	}}
	eager := &pipe.Type{Name: "eager", In: inNumber, New: func() pipe.Process {
		var in *flow.In
		return &fake{
			setup: func(s *flow.Setup) error { in = s.In("number"); return nil },
			step:  func(pipe.Step) error { in.Take(); asked <- struct{}{}; in.Take(); return nil },
		}
	}}
	p := with(build("a :: late\nw :: eager _instrumentation:type=timer\nc :: eager _instrumentation:type=timer _instrumentation:timer:type=cpu\na.number -> w.number\na.number -> c.number"), late, eager)
	dir := t.TempDir()
	if err := finish(t, start(t, p, flow.Options{Scheduler: "thread_per_process", Dir: dir})); err != nil {
		t.Fatal(err)
	}
	for name, waited := range map[string]bool{"w": true, "c": false} {
		text, err := os.ReadFile(filepath.Join(dir, name+"_timing.csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(rows, func(row []string) bool { return row[0] == "step" })
		most, err := strconv.ParseFloat(rows[i][5], 64)
		if err != nil || (most >= wait.Seconds()) != waited {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// TestProvidersInside: files named after a process inside a cluster need no folder.
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

// A lockedLog can be written by several goroutines.
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
