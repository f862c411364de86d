package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// counting starts a pipeline of numbers, which never ends by itself if end is 0.
func counting(t testing.TB, end string) *flow.Run {
	t.Helper()
	if end == "0" {
		end = "1000000000000"
	}
	p := flow.New(catalog.Standard())
	p.AddProcess("src", "numbers", pipe.Config{"start": {Value: "0"}, "end": {Value: end}})
	p.AddProcess("snk", "sink", nil)
	p.Connect("src.number", "snk.sink")
	run, err := p.Start(context.Background(), flow.Options{Stdin: strings.NewReader(""), Stdout: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestRemote: a pipeline of another program is watched and controlled through its socket, and its end is noticed.
func TestRemote(t *testing.T) {
	run := counting(t, "0")
	socket := filepath.Join(t.TempDir(), "socket")
	server, err := control.Listen(socket, steer.Methods(run))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	p := NewRemote(socket)
	over := make(chan error, 1)
	go func() { over <- p.Wait() }()
	if stats := p.Stats(); len(stats.Processes) != 2 {
		t.Errorf("%+v, want 2", stats)
	}
	if err := p.Pause(); err != nil {
		t.Error(err)
	}
	if err := run.Pause(); !errors.Is(err, flow.ErrPaused) {
		t.Errorf("it is not paused: %v", err)
	}
	if err := p.Resume(); err != nil {
		t.Error(err)
	}
	p.Stop()
	if err := <-over; !errors.Is(err, flow.ErrStopped) || !p.Stats().Processes[1].Done {
		t.Errorf("%v, %+v", err, p.Stats())
	}
	if p.ctx.Err() == nil {
		t.Error("what was asked of it last still waits for an answer")
	}
	if err := NewRemote(socket + "2").Wait(); !errors.Is(err, errGone) {
		t.Errorf("a pipeline that is gone: %v", err)
	}
}

// TestCurve: each point covers the last second of the run, and only the newest points are kept.
func TestCurve(t *testing.T) {
	r := &Run{}
	r.draw(figures.Figures{Rate: 100, Busiest: 0.5, Fullest: 0.25})
	r.draw(figures.Figures{Rate: 50, Busiest: 1, Fullest: 0.75})
	if r.points != 2 || r.curve[0] != (Point{100, 0.5, 0.25}) || r.curve[1] != (Point{50, 1, 0.75}) {
		t.Errorf("%+v, want r.points = 2, r.curve[0] = %v and r.curve[1] = %v", r.curve, (Point{100, 0.5, 0.25}), (Point{50, 1, 0.75}))
	}
	for range maxPoints {
		r.draw(figures.Figures{})
	}
	if len(r.curve) != maxPoints || r.points != maxPoints+2 {
		t.Errorf("%d of %d points are kept, want len(r.curve) = %v and r.points = %v", len(r.curve), r.points, maxPoints, maxPoints+2)
	}
}

// TestLines keeps the newest lines, and 4 KiB of a longer one.
func TestLines(t *testing.T) {
	var l lines
	for range 3 * maxLines {
		io.WriteString(&l, "line\n")
	}
	io.WriteString(&l, strings.Repeat("x", 3*maxLine))
	io.WriteString(&l, "\nlast\n")
	text, next := l.after(0)
	if next != 3*maxLines+2 || len(text) > 2*maxLines || len(text[len(text)-2]) != 4<<10 || text[len(text)-1] != "last" {
		t.Errorf("%d lines, next %d; want next = %v, len(text) at most %v, len(text[len(text)-2]) = %v and text[len(text)-1] = %q", len(text), next, 3*maxLines+2, 2*maxLines, 4<<10, "last")
	}
	for after, want := range map[int]string{next: "", next - 1: "last", next + 7: "", 3*maxLines - 1: "line|" + strings.Repeat("x", maxLine) + "|last"} {
		if more, again := l.after(after); strings.Join(more, "|") != want || again != next {
			t.Errorf("after %d come %.100q, and then %d", after, more, again)
		}
	}
	l = lines{}
	for range 2*maxLines + 1 {
		io.WriteString(&l, "line\n")
	}
	if text, next := l.after(0); len(text) != maxLines || next != 2*maxLines+1 {
		t.Errorf("%d lines are kept, next %d; want len(text) = %v and next = %v", len(text), next, maxLines, 2*maxLines+1)
	}
	for _, part := range []string{"one", " li", "ne\r\nand", "\n\nhalf", strings.Repeat("y", maxLine), "z"} {
		if n, err := io.WriteString(&l, part); n != len(part) || err != nil {
			t.Errorf("%d of %d bytes, %v", n, len(part), err)
		}
	}
	if text, _ := l.after(2*maxLines + 1); strings.Join(text, "|") != "one line|and|" {
		t.Errorf("the parts are %q, want %q", text, "one line|and|")
	}
	io.WriteString(&l, "\n")
	if text, _ := l.after(2*maxLines + 4); len(text) != 1 || text[0] != "half"+strings.Repeat("y", maxLine-4) {
		t.Errorf("a long line of parts is %.50q, want len(text) = 1 and text[0] = %v", text, "half"+strings.Repeat("y", maxLine-4))
	}
}

// steps is a fake pipeline that only has figures.
type steps struct {
	Pipeline
	stats flow.Stats
	asked int
}

func (s *steps) Stats() flow.Stats {
	s.asked++
	return s.stats
}

// TestImagesAreSeenAtOnce: figures are read ten times a second, and at once when a viewer gets an image after a pause.
func TestImagesAreSeenAtOnce(t *testing.T) {
	p := &steps{stats: flow.Stats{Processes: []flow.ProcessStats{{Name: "n", Type: "numbers"}, {Name: "v", Type: "image_viewer"}}}}
	r := &Run{pipeline: p}
	at := time.Unix(1000, 0)
	look := func(what string, after time.Duration, want int) {
		t.Helper()
		at = at.Add(after)
		before := 0
		if s := r.sample.Load(); s != nil {
			before = s.number
		}
		if r.look(at); r.sample.Load().number-before != want {
			t.Errorf("%s: %d samples, want %d", what, r.sample.Load().number-before, want)
		}
	}
	look("the first time", 0, 1)
	p.stats.Processes[0].Steps++
	look("no image", LookEvery, 0)
	p.stats.Processes[1].Steps++
	look("an image", LookEvery, 1)
	p.stats.Processes[1].Steps++
	look("another one at once", LookEvery, 0)
	look("its time", sampleEvery, 1)
	p.stats.Processes[1].Steps++
	look("an image after a pause", LookEvery, 1)
	p.stats.Processes = p.stats.Processes[:1]
	look("its time without a viewer", sampleEvery, 1)
	asked := p.asked
	if look("no viewer", LookEvery, 0); p.asked != asked {
		t.Error("a pipeline without a viewer is asked more often")
	}
}

// BenchmarkSample measures one update of the figures of a live pipeline with 40 processes. At 1 ms, ten updates a
// second use 1 % of a processor; the engine never waits for them.
func BenchmarkSample(b *testing.B) {
	p := flow.New(catalog.Standard())
	for i := range 20 {
		src, snk := fmt.Sprint("src", i), fmt.Sprint("snk", i)
		p.AddProcess(src, "numbers", pipe.Config{"start": {Value: "0"}, "end": {Value: "1000000000000"}})
		p.AddProcess(snk, "sink", nil)
		p.Connect(src+".number", snk+".sink")
	}
	pipeline, err := p.Start(b.Context(), flow.Options{Stdin: strings.NewReader(""), Stdout: io.Discard})
	if err != nil {
		b.Fatal(err)
	}
	if err := pipeline.Pause(); err != nil { // otherwise the pipeline itself would use the processors
		b.Fatal(err)
	}
	r := &Run{pipeline: pipeline}
	for n := time.Duration(0); b.Loop(); n++ {
		stats := pipeline.Stats()
		stats.Wall = n * sampleEvery // otherwise all updates would be in the same second
		r.take(time.Now(), stats, false)
	}
	pipeline.Abort()
	pipeline.Wait()
}

// TestFollowedAgain: a live program that dropped its watcher is followed again.
func TestFollowedAgain(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	var times atomic.Int32
	server, err := control.Listen(socket, control.Methods{
		steer.MethodWatch: control.Stream(func(_ context.Context, _ steer.Watch, send func(flow.Stats) error) error {
			if times.Add(1) < 3 {
				return errors.New("too slow")
			}
			return send(flow.Stats{State: flow.Finished})
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	p := NewRemote(socket)
	p.lives = func() bool { return true }
	if err := p.Wait(); err != nil || times.Load() != 3 {
		t.Errorf("%v after %d times", err, times.Load())
	}
	times.Store(0)
	p = NewRemote(socket)
	p.lives = func() bool { return times.Load() < 2 }
	if err := p.Wait(); !errors.Is(err, errGone) || times.Load() != 2 {
		t.Errorf("%v after %d times", err, times.Load())
	}
}

// TestCall: a refused call returns the reason; a call to a program that is gone returns that it has ended.
func TestCall(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "socket")
	busy, err := control.Listen(socket, control.Methods{steer.MethodGraph: control.Answer(func(context.Context, struct{}) (any, error) { return nil, errors.New("it is busy") })})
	if err != nil {
		t.Fatal(err)
	}
	other := &Run{pipeline: NewRemote(socket), done: make(chan struct{})}
	if err := other.Call(t.Context(), steer.MethodGraph, nil, nil); err == nil || err.Error() != "it is busy" {
		t.Errorf("of a program that refuses: %v", err)
	}
	busy.Close()
	gone := &Run{pipeline: NewRemote(socket), done: make(chan struct{})}
	var no *guard.Refusal
	if err := gone.Call(t.Context(), steer.MethodGraph, nil, nil); !errors.As(err, &no) || no.Status != 409 || no.Text != "the run has ended" {
		t.Errorf("of a program that is gone: %v", err)
	}
}

// TestHowRemotesEnd: a remote pipeline that finished is not a failure; for one that failed, the error says where to
// look.
func TestHowRemotesEnd(t *testing.T) {
	for last, want := range map[flow.State]error{flow.Finished: nil, flow.Stopped: flow.ErrStopped, flow.Failed: errFailed, flow.Running: errGone} {
		socket := filepath.Join(t.TempDir(), "socket")
		server, err := control.Listen(socket, control.Methods{
			steer.MethodWatch: control.Stream(func(_ context.Context, _ steer.Watch, send func(flow.Stats) error) error {
				return send(flow.Stats{State: last})
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := NewRemote(socket).Wait(); !errors.Is(err, want) {
			t.Errorf("one that is %s at the end: %v", last, err)
		}
		server.Close()
	}
}

// TestForgetting: only the newest ended runs are remembered; a live run is never forgotten.
func TestForgetting(t *testing.T) {
	for _, ended := range []bool{true, false} {
		l := &List{}
		for i := range maxRuns + 3 {
			r := &Run{id: fmt.Sprint(i), done: make(chan struct{})}
			if ended || i > 0 {
				close(r.done)
			}
			l.add(r)
		}
		first, want := l.own[0].id, "3"
		if !ended {
			want = "0"
		}
		if first != want || l.own[len(l.own)-1].id != fmt.Sprint(maxRuns+2) || !l.knows(first) || l.knows("nothing") {
			t.Errorf("the first of %d is %s, want %s", len(l.own), first, want)
		}
	}
}

// TestLogOfAPlan: a client gets every complete line of the programs' logs once. If a log was already long, it gets
// only the last complete lines.
func TestLogOfAPlan(t *testing.T) {
	d, err := state.Create(filepath.Join(t.TempDir(), "state"), state.Run{ID: "a", Started: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	follow := func() func() []string { return (&Follower{run: &Run{dir: d}}).Log }
	next := follow()
	if have := next(); have != nil {
		t.Errorf("there is no log yet, but %q", have)
	}
	f, err := os.Create(d.LogFile("", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, step := range []struct{ text, want string }{
		{"west | one\nwest | tw", "west | one"}, {"", ""}, {"o\r\nwest | \xff\n", "west | two|west | \ufffd"}, {"", ""},
	} {
		io.WriteString(f, step.text)
		if have := strings.Join(next(), "|"); have != step.want {
			t.Errorf("after %q came %q, want %q", step.text, have, step.want)
		}
	}
	// The same applies to a pipeline, whose log is in memory.
	own := &Follower{run: &Run{log: &lines{}, pipeline: NewRemote("")}}
	for _, step := range []struct{ text, want string }{{"", ""}, {"one\nt", "one"}, {"", ""}, {"wo\n", "two"}} {
		io.WriteString(own.run.log, step.text)
		if have := strings.Join(own.Log(), "|"); have != step.want {
			t.Errorf("after %q came %q, want %q", step.text, have, step.want)
		}
	}
	const line, many = len("west | 0000000\n"), 5 * maxChunk / 15
	for i := range many {
		fmt.Fprintf(f, "west | %07d\n", i)
	}
	next = follow()
	lines := next()
	n := len(lines)
	if n < maxChunk/line-1 || n > maxChunk/line {
		t.Fatalf("%d lines of a long log, want n at least %v and n at most %v", n, maxChunk/line-1, maxChunk/line)
	}
	for i, have := range lines {
		if want := fmt.Sprintf("west | %07d", many-n+i); have != want {
			t.Fatalf("line %d is %q, want %q", i, have, want)
		}
	}
	// A line that is longer than one message is sent in parts.
	io.WriteString(f, strings.Repeat("x", maxChunk+10))
	for _, want := range []int{maxChunk, 0} {
		if have := strings.Join(next(), "|"); have != strings.Repeat("x", want) {
			t.Errorf("%d bytes of a long line are sent, want %d", len(have), want)
		}
	}
	io.WriteString(f, "\nlast\n")
	if have := strings.Join(next(), "|"); have != strings.Repeat("x", 10)+"|last" {
		t.Errorf("the rest is %.100q, want %q", have, strings.Repeat("x", 10)+"|last")
	}
}

// TestEdgeOfAPlan: a plan has no edges to watch, and an ended pipeline has no data on its edges.
func TestEdgeOfAPlan(t *testing.T) {
	for want, r := range map[string]*Run{
		"a launch plan has no edges": {},
		"the run has ended":          {pipeline: NewRemote(filepath.Join(t.TempDir(), "gone"))},
	} {
		if err := r.lookAt(t.Context(), "a.b", func(json.RawMessage) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
