package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/flow/steer"
)

// counting is a pipeline of numbers; it never ends by itself where end is 0.
func counting(t testing.TB, end string) *flow.Run {
	t.Helper()
	if end == "0" {
		end = "1000000000000"
	}
	p := flow.New(catalog.Standard())
	p.AddProcess("src", "numbers", flow.Config{"start": {Value: "0"}, "end": {Value: end}})
	p.AddProcess("snk", "sink", nil)
	p.Connect("src.number", "snk.sink")
	run, err := p.Start(context.Background(), flow.Options{Stdin: strings.NewReader(""), Stdout: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestFiftyClients: fifty pages follow one pipeline, ten times a second each; one
// that does not read holds up nobody.
func TestFiftyClients(t *testing.T) {
	need.Slow(t)
	s, dir := newPage(t, map[string]string{"a.pipe": pipe}, func(o *Options) {
		o.pipeline = func(string, io.Writer) (Pipeline, error) { return counting(t, "0"), nil }
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var over sync.WaitGroup
	over.Go(func() { s.Serve(ctx, l) })
	defer over.Wait()
	defer cancel()
	run, err := s.runs.start(filepath.Join(dir, "a.pipe"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.runs.start(filepath.Join(dir, "a.pipe")); err == nil {
		t.Error("it was started twice")
	}
	slow, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	cookie, _ := visit(s)
	io.WriteString(slow, "GET /api/events?run="+run.id+" HTTP/1.1\r\nHost: "+l.Addr().String()+"\r\nCookie: "+cookie.Name+"="+cookie.Value+"\r\n\r\n")
	var got [50]atomic.Int32
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for i := range got {
		over.Go(func() {
			r, _ := http.NewRequestWithContext(ctx, "GET", "http://"+l.Addr().String()+"/api/events?run="+run.id, nil)
			r.AddCookie(cookie)
			answer, err := (&http.Client{Transport: transport}).Do(r)
			if err != nil {
				return
			}
			defer answer.Body.Close()
			for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
				if lines.Text() == "event: figures" {
					got[i].Add(1)
				}
			}
		})
	}
	const wanted = 8
	often := func() bool { // while somebody looks, figures are read more often than points are drawn
		run.mu.Lock()
		defer run.mu.Unlock()
		last := run.sample.Load()
		return last != nil && last.number > run.points
	}
	for end := time.Now().Add(golden.Patience); ; time.Sleep(20 * time.Millisecond) {
		least := got[0].Load()
		for i := range got {
			least = min(least, got[i].Load())
		}
		if least >= wanted && often() {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("one client has %d updates, and they come often: %v", least, often())
		}
	}
	if n := run.watchers.Load(); n < 50 {
		t.Errorf("%d clients", n)
	}
}

// TestRemote: a pipeline of another program is watched and steered through its
// socket, and its end is noticed.
func TestRemote(t *testing.T) {
	run := counting(t, "0")
	socket := filepath.Join(t.TempDir(), "socket")
	server, err := control.Listen(socket, steer.Methods(run))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	p := newRemote(socket)
	over := make(chan error, 1)
	go func() { over <- p.Wait() }()
	if stats := p.Stats(); len(stats.Processes) != 2 {
		t.Errorf("%+v", stats)
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
	if err := newRemote(socket + "2").Wait(); !errors.Is(err, errGone) {
		t.Errorf("a pipeline that is gone: %v", err)
	}
}

// TestStates: what a pipeline is called while it runs, pauses and ends.
func TestStates(t *testing.T) {
	pipeline := counting(t, "0")
	s, dir := newPage(t, map[string]string{"a.pipe": pipe}, func(o *Options) {
		o.pipeline = func(_ string, log io.Writer) (Pipeline, error) {
			io.WriteString(log, "first\nsecond \xff\nunfinished")
			return pipeline, nil
		}
	})
	post := func(what, text string, want int) {
		t.Helper()
		w := ask(s, "POST", "/api/"+what, text, nil)
		if w.Code != want || want == 200 && what != "start" && w.Body.String() != "{\"done\":true}\n" {
			t.Fatalf("%s: %d %s", what, w.Code, w.Body)
		}
	}
	state := func(want flow.State) {
		t.Helper()
		for end := time.Now().Add(golden.Patience); s.runs.list()[0].State != want; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("it is %s, not %s", s.runs.list()[0].State, want)
			}
		}
	}
	post("start", `{"path":"`+filepath.Join(dir, "a.pipe")+`"}`, 200)
	state(flow.Running)
	post("pause", `{"run":"pipeline-1"}`, 200)
	state(flow.Paused)
	post("pause", `{"run":"pipeline-1"}`, 422)
	post("resume", `{"run":"pipeline-1"}`, 200)
	state(flow.Running)
	if err := pipeline.Pause(); err != nil { // in another terminal
		t.Fatal(err)
	}
	state(flow.Paused)
	post("resume", `{"run":"pipeline-1"}`, 200)
	post("stop", `{"run":"pipeline-1"}`, 200)
	state(flow.Stopped)
	<-s.runs.own[0].done
	state(flow.Stopped)
	if last := s.runs.own[0].sample.Load(); last == nil || !strings.Contains(string(last.text), `"state":"stopped"`) {
		t.Error("the last figures are not those of the end")
	}
	for _, what := range []string{"stop", "pause", "resume", "restart", "signal", "tune"} {
		post(what, `{"run":"pipeline-7"}`, 404)
	}
	for _, what := range []string{"restart", "signal"} {
		if w := ask(s, "POST", "/api/"+what, `{"run":"pipeline-1","node":"a","signal":"INT"}`, nil); w.Code != 409 || !strings.Contains(w.Body.String(), "a pipeline has no programs") {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
	for _, view := range []string{"processes", "tunable", "picture", "words"} {
		if w := ask(s, "GET", "/api/"+view+"?run=pipeline-7", "", nil); w.Code != 404 {
			t.Errorf("%s: %d %s", view, w.Code, w.Body)
		}
	}
	if text, next := s.runs.own[0].log.after(0); strings.Join(text, "|") != "first|second \ufffd" || next != 2 {
		t.Errorf("the log has %q", text)
	}
	if n := len(s.runs.own[0].curve); n == 0 || s.runs.own[0].sample.Load() == nil {
		t.Error("no figures are left")
	}
}

// TestPicture: the page shows what an `image_viewer` shows, of a pipeline of its
// own and of one in another program.
func TestPicture(t *testing.T) {
	p := flow.New(catalog.Standard())
	p.AddProcess("plate", "heat", flow.Set("rows", "4", "cols", "4", "steps", "1000000000000"))
	p.AddProcess("paint", "colormap", nil)
	p.AddProcess("view", "image_viewer", flow.Set("title", "a plate"))
	p.Connect("plate.field", "paint.field")
	p.Connect("paint.image", "view.image")
	pipeline, err := p.Start(t.Context(), flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "socket")
	server, err := control.Listen(socket, steer.Methods(pipeline))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for deadline := time.Now().Add(golden.Patience); ; {
		if _, err := pipeline.Picture("view"); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	for name, shown := range map[string]Pipeline{"its own": pipeline, "another program's": newRemote(socket)} {
		s, dir := newPage(t, map[string]string{"a.pipe": pipe}, func(o *Options) {
			o.pipeline = func(string, io.Writer) (Pipeline, error) { return shown, nil }
		})
		run, err := s.runs.start(filepath.Join(dir, "a.pipe"))
		if err != nil {
			t.Fatal(err)
		}
		query := "?run=" + run.id + "&process="
		if w := ask(s, "GET", "/api/picture"+query+"view", "", nil); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" || !strings.HasPrefix(w.Body.String(), "\x89PNG") {
			t.Errorf("%s: %d %v %.100q", name, w.Code, w.Header(), w.Body.String())
		}
		if w := ask(s, "GET", "/api/words"+query+"view", "", nil); !strings.Contains(w.Body.String(), `"title":"a plate"`) {
			t.Errorf("%s: %s", name, w.Body.String())
		}
		if w := ask(s, "GET", "/api/picture"+query+"paint", "", nil); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "has no picture") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body.String())
		}
	}
	pipeline.Stop()
	pipeline.Wait()
}

// TestCurve: a point is the last second of the run, and the newest points are kept.
func TestCurve(t *testing.T) {
	r := &run{}
	r.draw(figures.Figures{Rate: 100, Busiest: 0.5, Fullest: 0.25})
	r.draw(figures.Figures{Rate: 50, Busiest: 1, Fullest: 0.75})
	if r.points != 2 || r.curve[0] != (point{100, 0.5, 0.25}) || r.curve[1] != (point{50, 1, 0.75}) {
		t.Errorf("%+v", r.curve)
	}
	for range maxPoints {
		r.draw(figures.Figures{})
	}
	if len(r.curve) != maxPoints || r.points != maxPoints+2 {
		t.Errorf("%d of %d points are kept", len(r.curve), r.points)
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
		t.Errorf("%d lines, next %d", len(text), next)
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
		t.Errorf("%d lines are kept, next %d", len(text), next)
	}
	for _, part := range []string{"one", " li", "ne\r\nand", "\n\nhalf", strings.Repeat("y", maxLine), "z"} {
		if n, err := io.WriteString(&l, part); n != len(part) || err != nil {
			t.Errorf("%d of %d bytes, %v", n, len(part), err)
		}
	}
	if text, _ := l.after(2*maxLines + 1); strings.Join(text, "|") != "one line|and|" {
		t.Errorf("the parts are %q", text)
	}
	io.WriteString(&l, "\n")
	if text, _ := l.after(2*maxLines + 4); len(text) != 1 || text[0] != "half"+strings.Repeat("y", maxLine-4) {
		t.Errorf("a long line of parts is %.50q", text)
	}
}

// TestFailures: a run that fails says why; a plan that cannot begin is no run.
func TestFailures(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": pipe}, func(o *Options) {
		o.pipeline = func(string, io.Writer) (Pipeline, error) { return nil, errors.New("it has errors") }
	})
	for path, want := range map[string]string{filepath.Join(dir, "a.pipe"): "it has errors", dir: "this page starts nothing"} {
		if w := ask(s, "POST", "/api/start", `{"path":"`+path+`"}`, nil); w.Code != 422 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if len(s.runs.list()) != 0 {
		t.Error("what never began is a run")
	}
}

// TestFindingsOnce: each finding is counted at its file, once, whether the file is a
// part of the run or stands for itself.
func TestFindingsOnce(t *testing.T) {
	wrong := "process a\n"
	s, dir := newPage(t, map[string]string{"a.pipe": wrong, "good.yml": "metadata:\n  n: int\n", "below/b.pipe": wrong, "below/c.pipe": pipe}, nil)
	var answer runAnswer
	if w := ask(s, "GET", "/api/run", "", nil); json.Unmarshal(w.Body.Bytes(), &answer) != nil {
		t.Fatal(w.Body)
	}
	have := map[string]int{}
	for _, f := range answer.Files {
		name, _ := filepath.Rel(dir, f.Path)
		have[name] = f.Errors
	}
	if want := map[string]int{"a.pipe": 1, "good.yml": 0, "below/b.pipe": 1, "below/c.pipe": 0}; !answer.IsRun || !maps.Equal(have, want) {
		t.Errorf("errors in %v, want %v; it is a run: %v", have, want, answer.IsRun)
	}
}

// TestManyFindings: where there are many, the page hears that, their groups, and what an import would settle.
func TestManyFindings(t *testing.T) {
	for _, c := range []struct {
		unknown int
		settled string
	}{{19, ""}, {20, "20 of 21 findings are about process types of another program"}} {
		var text strings.Builder
		for i := range c.unknown {
			fmt.Fprintf(&text, "process p%d\n  :: camera_thing\n", i)
		}
		s, _ := newPage(t, map[string]string{"a.pipe": text.String()}, nil)
		var answer runAnswer
		if w := ask(s, "GET", "/api/run", "", nil); json.Unmarshal(w.Body.Bytes(), &answer) != nil {
			t.Fatal(w.Body)
		}
		want := []groupEntry{{"sprokit/unknown-type", "warning", "a process type that is not known here", c.unknown}, {"sprokit/separate-parts", "warning", "parts of a pipeline that are not connected", 1}}
		if !slices.Equal(answer.Groups, want) || answer.Many != (c.settled != "") || !strings.HasPrefix(answer.Settled, c.settled) || (answer.Settled == "") == answer.Many {
			t.Errorf("%d findings: %v, many: %v, %q", c.unknown, answer.Groups, answer.Many, answer.Settled)
		}
	}
}

// steps is a pipeline of which only the figures are read.
type steps struct {
	Pipeline
	stats flow.Stats
	asked int
}

func (s *steps) Stats() flow.Stats {
	s.asked++
	return s.stats
}

// TestImagesAreSeenAtOnce: figures are read ten times a second, and earlier where a viewer has an image after a pause.
func TestImagesAreSeenAtOnce(t *testing.T) {
	p := &steps{stats: flow.Stats{Processes: []flow.ProcessStats{{Name: "n", Type: "numbers"}, {Name: "v", Type: "image_viewer"}}}}
	r := &run{pipeline: p}
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
	look("no image", lookEvery, 0)
	p.stats.Processes[1].Steps++
	look("an image", lookEvery, 1)
	p.stats.Processes[1].Steps++
	look("another one at once", lookEvery, 0)
	look("its time", sampleEvery, 1)
	p.stats.Processes[1].Steps++
	look("an image after a pause", lookEvery, 1)
	p.stats.Processes = p.stats.Processes[:1]
	look("its time without a viewer", sampleEvery, 1)
	asked := p.asked
	if look("no viewer", lookEvery, 0); p.asked != asked {
		t.Error("a pipeline without a viewer is asked more often")
	}
}

// BenchmarkSample is what one update costs a pipeline of 40 processes that runs. Ten
// a second are 1 % of a processor at 1 ms; the engine itself waits for none of them.
func BenchmarkSample(b *testing.B) {
	p := flow.New(catalog.Standard())
	for i := range 20 {
		src, snk := fmt.Sprint("src", i), fmt.Sprint("snk", i)
		p.AddProcess(src, "numbers", flow.Config{"start": {Value: "0"}, "end": {Value: "1000000000000"}})
		p.AddProcess(snk, "sink", nil)
		p.Connect(src+".number", snk+".sink")
	}
	pipeline, err := p.Start(b.Context(), flow.Options{Stdin: strings.NewReader(""), Stdout: io.Discard})
	if err != nil {
		b.Fatal(err)
	}
	if err := pipeline.Pause(); err != nil { // else the processors are its own
		b.Fatal(err)
	}
	r := &run{pipeline: pipeline}
	for n := time.Duration(0); b.Loop(); n++ {
		stats := pipeline.Stats()
		stats.Wall = n * sampleEvery // else all updates were those of one second
		r.take(time.Now(), stats, false)
	}
	pipeline.Abort()
	pipeline.Wait()
}

// TestFollowedAgain: a program that lives is followed again where it dropped its watcher.
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
	p := newRemote(socket)
	p.lives = func() bool { return true }
	if err := p.Wait(); err != nil || times.Load() != 3 {
		t.Errorf("%v after %d times", err, times.Load())
	}
	times.Store(0)
	p = newRemote(socket)
	p.lives = func() bool { return times.Load() < 2 }
	if err := p.Wait(); !errors.Is(err, errGone) || times.Load() != 2 {
		t.Errorf("%v after %d times", err, times.Load())
	}
}
