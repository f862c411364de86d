package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/registry"
	"github.com/pentode-dev/pentode/runs/traced"
)

// endless starts a pipeline that never ends, and returns it with its state folder.
func endless(t *testing.T, base string, r state.Run) (*flow.Run, *state.Dir) {
	t.Helper()
	p := flow.New(catalog.Standard())
	p.AddProcess("src", "numbers", pipe.Set("end", "1000000000000"))
	p.AddProcess("snk", "sink", nil)
	p.Connect("src.number", "snk.sink")
	run, err := p.Start(context.Background(), flow.Options{Stdin: strings.NewReader(""), Stdout: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	d, err := state.Create(base, r)
	if err != nil {
		t.Fatal(err)
	}
	server, err := control.Listen(d.Socket(), steer.Methods(run))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		run.Abort()
		run.Wait()
		server.Close()
	})
	return run, d
}

// eventually takes pictures of a run until one is as wanted.
func eventually(t *testing.T, source *live.Source, wanted func(live.Picture) bool) live.Picture {
	t.Helper()
	var p live.Picture
	golden.Until(t, "the picture is as wanted", func() bool {
		p = source.Look()
		return wanted(p)
	})
	return p
}

// TestTopOfAPipeline: `top` shows a pipeline, can pause and stop it, and follows it to its end.
func TestTopOfAPipeline(t *testing.T) {
	run, d := endless(t, filepath.Join(t.TempDir(), "state"), state.Run{ID: "a-1", Pipeline: "/somewhere/heat.pipe"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	source := topSource(ctx, registry.Registry{Dir: filepath.Dir(d.Path)}, d)
	// On a slow machine the pipeline may not have answered at the first picture.
	p := eventually(t, source, func(p live.Picture) bool { return len(p.Sections[0].Rows) == 2 })
	if source.Title != "heat.pipe" || !strings.HasPrefix(p.Summary, "running, ") || p.Over || p.Paused {
		t.Errorf("`%s` is %+v; want heat.pipe, running, and neither over nor paused", source.Title, p)
	}
	var out bytes.Buffer
	if err := (&app{out: &out}).topOnce(source); err != nil || !strings.HasPrefix(out.String(), "heat.pipe  running, ") || !strings.Contains(out.String(), "\nsrc.number → snk.sink   ") {
		t.Errorf("%v: %s", err, out.String())
	}
	if words, ok := state.ReadCommand(os.Getpid()); ok { // not every system provides the command line
		program := p.Sections[len(p.Sections)-1]
		if have := program.Rows[0].Cells; program.Head[0] != "program" || have[0] != fmt.Sprint(os.Getpid()) || !strings.HasSuffix(have[1], " %") || have[4] != launch.QuoteAll(words) || words[0] != os.Args[0] {
			t.Errorf("the program is %q: %q, want process %d under `program`, its share of the processor in %%, and its command line %q", program.Head, have, os.Getpid(), words)
		}
	}
	if err := source.Pause(true); err != nil {
		t.Error(err)
	}
	if err := run.Pause(); !errors.Is(err, flow.ErrPaused) {
		t.Errorf("it is not paused: %v", err)
	}
	eventually(t, source, func(p live.Picture) bool { return p.Paused })
	if err := source.Pause(false); err != nil {
		t.Error(err)
	}
	eventually(t, source, func(p live.Picture) bool { return !p.Paused })
	if err := source.Stop(); err != nil {
		t.Error(err)
	}
	p = eventually(t, source, func(p live.Picture) bool { return p.Over })
	if !strings.HasPrefix(p.Summary, "stopped, ") {
		t.Errorf("at the end it is %s; want %q at the start", p.Summary, "stopped, ")
	}
	if source.Restart != nil || source.Log() != nil {
		t.Error("a pipeline has nothing to restart and no log")
	}
}

// TestTopOfWhatIsGone: if a program has disappeared, its last figures remain visible.
func TestTopOfWhatIsGone(t *testing.T) {
	d, err := state.Create(filepath.Join(t.TempDir(), "state"), state.Run{ID: "a-1", Pipeline: "heat.pipe"})
	if err != nil {
		t.Fatal(err)
	}
	for _, last := range []flow.State{flow.Running, flow.Finished} {
		server, err := control.Listen(d.Socket(), control.Methods{
			steer.MethodWatch: control.Stream(func(_ context.Context, _ steer.Watch, send func(flow.Stats) error) error {
				return send(flow.Stats{State: last, Wall: 2 * time.Second})
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		p := eventually(t, topSource(t.Context(), registry.Registry{Dir: filepath.Dir(d.Path)}, d), func(p live.Picture) bool { return p.Over })
		want := map[flow.State]string{flow.Running: "its program is gone; the last state was: running, 2 s", flow.Finished: "finished, 2 s"}[last]
		if !strings.HasPrefix(p.Summary, want) {
			t.Errorf("have %s, want %s", p.Summary, want)
		}
		server.Close()
	}
}

// TestTopLog: `top` in another terminal shows the output of the pipeline.
func TestTopLog(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	path := filepath.Join(t.TempDir(), "heat.pipe")
	if err := os.WriteFile(path, []byte("process src :: numbers\n  end = 1000000000000\nprocess snk :: sink\nconnect from src.number to snk.sink\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := runs.NewWorkspace().Config(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{err: io.Discard}
	s.say("warning: src: it is hot")
	run, err := runs.StartPipeline(t.Context(), config, runs.Options{Recent: s.log.Lines})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		run.Abort()
		_ = run.Wait() // its error is that it was stopped
	}()
	base, err := control.StateDir(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	d, err := state.Newest(base, func(state.Run) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if lines := topSource(t.Context(), registry.Registry{Dir: base}, d).Log(); len(lines) != 1 || lines[0] != "warning: src: it is hot" {
		t.Errorf("the log is %q, want len(lines) = 1 and lines[0] = %q", lines, "warning: src: it is hot")
	}
}

// tracedPrograms registers traced programs that answer `control status`.
func tracedPrograms(t *testing.T, all ...traced.Live) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir, err := control.RuntimeDir(os.Getenv)
	if err == nil {
		err = control.Private(filepath.Join(dir, "trace"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		server, err := control.Listen(filepath.Join(dir, "trace", fmt.Sprint(p.PID)+".sock"), control.Methods{
			"status": control.Answer(func(context.Context, struct{}) (traced.Live, error) { return p, nil }),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Close)
	}
}

// TestTopOfAPlan: `top` of a plan shows its programs, the pipelines inside them, and the regions of
// traced programs; actions go through the plan's supervisor.
func TestTopOfAPlan(t *testing.T) {
	base := filepath.Join(t.TempDir(), "state")
	d, err := state.Create(base, state.Run{ID: "plan-1", Directory: "/somewhere/heat", Nodes: []state.Node{{ID: "west"}, {ID: "east"}}})
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	methods := control.Methods{launch.MethodStatus: control.Answer(func(context.Context, launch.Request) ([]launch.Status, error) {
		return []launch.Status{{ID: "west", State: launch.Running}, {ID: "east", State: launch.Ended}}, nil
	})}
	for _, name := range []string{launch.MethodStop, launch.MethodRestart, launch.MethodSignal} {
		methods[name] = control.Answer(func(_ context.Context, r launch.Request) (any, error) {
			asked = append(asked, strings.TrimSpace(name+" "+r.Node+" "+r.Signal))
			return nil, nil
		})
	}
	server, err := control.Listen(d.Socket(), methods)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	run, _ := endless(t, base, state.Run{ID: "a-1", Pipeline: "heat.pipe", Launch: "plan-1", Node: "west"})
	endless(t, base, state.Run{ID: "a-2", Pipeline: "heat.pipe", Launch: "plan-2", Node: "north"})
	if over, err := state.Create(base, state.Run{ID: "a-3", Pipeline: "heat.pipe", Launch: "plan-1", Node: "east"}); err != nil {
		t.Fatal(err)
	} else {
		over.Run.Supervisor.Start++ // a start time that does not match, as if the program had ended
		text, _ := json.Marshal(over.Run)
		if err := over.WriteFile("run.json", text); err != nil {
			t.Fatal(err)
		}
	}
	tracedPrograms(t, traced.Live{PID: 1, Launch: "plan-1", Node: "east", Regions: []traced.Monitored{{Region: "step", Unit: "thread 0", Count: 2000, Total: 4 * time.Millisecond, Mean: 2 * time.Microsecond}}},
		traced.Live{PID: 2, Launch: "plan-1", Node: "west"}, traced.Live{PID: 3, Launch: "plan-2", Node: "north", Regions: []traced.Monitored{{Region: "other"}}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	source := topSource(ctx, registry.Registry{Dir: base}, d)
	heads := func(p live.Picture) string {
		var heads []string
		for _, s := range p.Sections {
			if s.Head != nil {
				heads = append(heads, s.Head[0])
			}
		}
		return strings.Join(heads, "; ")
	}
	p := eventually(t, source, func(p live.Picture) bool { return p.Summary == "running: 1 of 2 programs run" })
	if source.Title != "plan-1  heat" || heads(p) != "program; west: process; east: region" {
		t.Errorf("`%s` is %s with %s; want source.Title = %q and heads(p) = %q", source.Title, p.Summary, heads(p), "plan-1  heat", "program; west: process; east: region")
	}
	if have := strings.Join(p.Sections[len(p.Sections)-1].Rows[0].Cells, " | "); have != "step | thread 0 | 2,000 | 4 ms | 2 µs | 0 s" {
		t.Errorf("the region is %s; want %q", have, "step | thread 0 | 2,000 | 4 ms | 2 µs | 0 s")
	}
	if err := run.Pause(); err != nil {
		t.Fatal(err)
	}
	eventually(t, source, func(p live.Picture) bool { return heads(p) == "program; west, paused: process; east: region" })
	for _, err := range []error{source.Stop(), source.Restart("west"), source.Pause(true), source.Pause(false)} {
		if err != nil {
			t.Error(err)
		}
	}
	if have := strings.Join(asked, "; "); have != "stop; restart west; signal  STOP; signal  CONT" {
		t.Errorf("it was asked for %s; want %q", have, "stop; restart west; signal  STOP; signal  CONT")
	}
	if lines := source.Log(); lines != nil {
		t.Errorf("nothing has been written yet, but got %q", lines)
	}
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "2026-03-04T05:06:07.000008Z out west | %d\n", i)
	}
	if err := os.WriteFile(d.LogFile("", ""), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if lines := source.Log(); len(lines) < 1000 || lines[len(lines)-1] != "west | 19999" || lines[len(lines)-1000] != "west | 19000" {
		t.Errorf("the log has %d lines, want len(lines) at least 1000, lines[len(lines)-1] = %q and lines[len(lines)-1000] = %q", len(lines), "west | 19999", "west | 19000")
	}
	for stream, text := range map[string]string{"out": "one\n", "err": "two\n"} {
		if err := os.WriteFile(d.LogFile("west", stream), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if lines := source.LogOf("west"); len(lines) < 1000 || lines[len(lines)-1] != "19999" {
		t.Errorf("the log of `west` has %d lines, want len(lines) at least 1000 and lines[len(lines)-1] = %q", len(lines), "19999")
	}
	if err := os.WriteFile(d.LogFile("", ""), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if have := strings.Join(source.LogOf("west"), ", "); have != "one, two" || source.LogOf("east") != nil {
		t.Errorf("the log of `west` is %s; want have = %q and source.LogOf(\"east\") nil", have, "one, two")
	}
	server.Close()
	if p := source.Look(); !strings.Contains(p.Summary, "does not answer") || len(p.Sections) != 0 {
		t.Errorf("of a supervisor that does not answer: %+v", p)
	}
}
