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
	"github.com/pentode-dev/pentode/internal/web/watch"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/steer"
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

// TestFiftyClients: fifty clients follow one pipeline, each with ten updates a second. A client that does not read
// does not delay the others.
func TestFiftyClients(t *testing.T) {
	need.Slow(t)
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) {
		o.pipeline = func(string, io.Writer) (watch.Pipeline, error) { return counting(t, "0"), nil }
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
	run, err := s.runs.Start(filepath.Join(dir, "a.pipe"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.runs.Start(filepath.Join(dir, "a.pipe")); err == nil {
		t.Error("it was started twice")
	}
	slow, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	cookie, _ := visit(s)
	io.WriteString(slow, "GET /api/events?run="+run.Entry().ID+" HTTP/1.1\r\nHost: "+l.Addr().String()+"\r\nCookie: "+cookie.Name+"="+cookie.Value+"\r\n\r\n")
	var got, drawn [50]atomic.Int32
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for i := range got {
		over.Go(func() {
			r, _ := http.NewRequestWithContext(ctx, "GET", "http://"+l.Addr().String()+"/api/events?run="+run.Entry().ID, nil)
			r.AddCookie(cookie)
			answer, err := (&http.Client{Transport: transport}).Do(r)
			if err != nil {
				return
			}
			defer answer.Body.Close()
			for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
				switch lines.Text() {
				case "event: figures":
					got[i].Add(1)
				case "event: curve":
					drawn[i].Add(1)
				}
			}
		})
	}
	const wanted = 8
	often := func(i int) bool { return got[i].Load() > drawn[i].Load() } // figures are read more often than points are drawn
	least := func() int32 {
		n := got[0].Load()
		for i := range got {
			n = min(n, got[i].Load())
		}
		return n
	}
	golden.Until(t, fmt.Sprintf("every client has %d updates, and they come often", wanted), func() bool { return least() >= wanted && often(0) },
		golden.Known(func() string {
			return fmt.Sprintf("one has %d updates, and they come often: %v", least(), often(0))
		}))
	if n := s.streams.open.Load(); n < 50 {
		t.Errorf("%d clients, want at least 50", n)
	}
}

// TestStates: the state of a pipeline is correct while it runs, is paused, and after it has ended.
func TestStates(t *testing.T) {
	pipeline := counting(t, "0")
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) {
		o.pipeline = func(_ string, log io.Writer) (watch.Pipeline, error) {
			io.WriteString(log, "first\nsecond \xff\nunfinished")
			return pipeline, nil
		}
	})
	post := func(what, text string, want int) {
		t.Helper()
		w := ask(s, "POST", "/api/"+what, text, nil)
		if w.Code != want || want == 200 && what != "start" && w.Body.String() != "{\"done\":true}\n" {
			t.Fatalf("%s: %d %s, want %d, and where that is 200, but for start, a body that says done", what, w.Code, w.Body, want)
		}
	}
	state := func(want flow.State) {
		t.Helper()
		is := func() flow.State { return s.runs.Entries()[0].State }
		golden.Until(t, fmt.Sprintf("the state is %s", want), func() bool { return is() == want }, golden.Known(func() string { return fmt.Sprintf("it is %s", is()) }))
	}
	post("start", `{"path":"`+filepath.Join(dir, "a.pipe")+`"}`, 200)
	state(flow.Running)
	post("pause", `{"run":"pipeline-1"}`, 200)
	state(flow.Paused)
	post("pause", `{"run":"pipeline-1"}`, 422)
	post("resume", `{"run":"pipeline-1"}`, 200)
	state(flow.Running)
	if err := pipeline.Pause(); err != nil { // as from another terminal
		t.Fatal(err)
	}
	state(flow.Paused)
	post("resume", `{"run":"pipeline-1"}`, 200)
	post("stop", `{"run":"pipeline-1"}`, 200)
	state(flow.Stopped)
	run := whenOver(t, s, "pipeline-1")
	state(flow.Stopped)
	seen := run.Follow(t.Context(), "")
	defer seen.Close()
	if !strings.Contains(string(seen.Figures()), `"state":"stopped"`) {
		t.Error("the last figures are not those of the end")
	}
	for _, what := range []string{"stop", "pause", "resume", "restart", "signal", "tune"} {
		post(what, `{"run":"pipeline-7"}`, 404)
	}
	for _, what := range []string{"restart", "signal"} {
		if w := ask(s, "POST", "/api/"+what, `{"run":"pipeline-1","node":"a","signal":"INT"}`, nil); w.Code != 409 || !strings.Contains(w.Body.String(), "a pipeline has no programs") {
			t.Errorf("%s: %d %s; want 409 and %q", what, w.Code, w.Body, "a pipeline has no programs")
		}
	}
	for _, view := range []string{"processes", "tunable", "picture", "words"} {
		if w := ask(s, "GET", "/api/"+view+"?run=pipeline-7", "", nil); w.Code != 404 {
			t.Errorf("%s: %d %s; want 404", view, w.Code, w.Body)
		}
	}
	if text := seen.Log(); strings.Join(text, "|") != "first|second \ufffd" {
		t.Errorf("the log has %q, want %q", text, "first|second \ufffd")
	}
	if len(seen.Curve()) == 0 {
		t.Error("no curve is left")
	}
}

// whenOver waits for the end of a run.
func whenOver(t *testing.T, s *Server, id string) *watch.Run {
	t.Helper()
	run, err := s.runs.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-run.Over():
	case <-time.After(golden.Patience):
		t.Fatal("the run does not end")
	}
	return run
}

// TestPicture: the page shows the images of an `image_viewer`, whether the page or another program runs the pipeline.
func TestPicture(t *testing.T) {
	p := flow.New(catalog.Standard())
	p.AddProcess("plate", "heat", pipe.Set("rows", "4", "cols", "4", "steps", "1000000000000"))
	p.AddProcess("paint", "colormap", nil)
	p.AddProcess("view", "image_viewer", pipe.Set("title", "a plate"))
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
	for name, shown := range map[string]watch.Pipeline{"its own": pipeline, "another program's": watch.NewRemote(socket)} {
		s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) {
			o.pipeline = func(string, io.Writer) (watch.Pipeline, error) { return shown, nil }
		})
		run, err := s.runs.Start(filepath.Join(dir, "a.pipe"))
		if err != nil {
			t.Fatal(err)
		}
		query := "?run=" + run.Entry().ID + "&process="
		if w := ask(s, "GET", "/api/picture"+query+"view", "", nil); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" || !strings.HasPrefix(w.Body.String(), "\x89PNG") {
			t.Errorf("%s: %d %v %.100q, want w.Code = %v, w.Header().Get(\"Content-Type\") = %q and w.Body.String() = %q at the start", name, w.Code, w.Header(), w.Body.String(), http.StatusOK, "image/png", "\x89PNG")
		}
		if w := ask(s, "GET", "/api/words"+query+"view", "", nil); !strings.Contains(w.Body.String(), `"title":"a plate"`) {
			t.Errorf("%s: %s; want %q in it", name, w.Body.String(), `"title":"a plate"`)
		}
		if w := ask(s, "GET", "/api/picture"+query+"paint", "", nil); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "has no picture") {
			t.Errorf("%s: %d %s; want w.Code = %v and %q in w.Body.String()", name, w.Code, w.Body.String(), http.StatusNotFound, "has no picture")
		}
	}
	pipeline.Stop()
	pipeline.Wait()
}

// TestFailures: a failed run says why; a plan that cannot start is not listed as a run.
func TestFailures(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) {
		o.pipeline = func(string, io.Writer) (watch.Pipeline, error) { return nil, errors.New("it has errors") }
	})
	for path, want := range map[string]string{filepath.Join(dir, "a.pipe"): "it has errors", dir: "this page cannot start runs"} {
		if w := ask(s, "POST", "/api/start", `{"path":"`+path+`"}`, nil); w.Code != 422 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d %s; want w.Code = 422 and %q in w.Body.String()", w.Code, w.Body, want)
		}
	}
	if len(s.runs.Entries()) != 0 {
		t.Error("what never began is a run")
	}
}

// TestFindingsOnce: each finding is counted once, at its file, whether or not the file is part of the run.
func TestFindingsOnce(t *testing.T) {
	wrong := "process a\n"
	s, dir := newPage(t, map[string]string{"a.pipe": wrong, "good.yml": "metadata:\n  n: int\n", "below/b.pipe": wrong, "below/c.pipe": numbersPipe}, nil)
	var answer runAnswer
	if w := ask(s, "GET", "/api/run", "", nil); json.Unmarshal(w.Body.Bytes(), &answer) != nil {
		t.Fatalf("%v; want none", w.Body)
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

// TestManyFindings: if there are many findings, the page gets their groups, and the findings that an import would fix.
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
			t.Fatalf("%v; want none", w.Body)
		}
		want := []groupEntry{{"sprokit/unknown-type", "warning", "a process type that is not known here", c.unknown}, {"sprokit/separate-parts", "warning", "parts of a pipeline that are not connected", 1}}
		if !slices.Equal(answer.Groups, want) || answer.Many != (c.settled != "") || !strings.HasPrefix(answer.Settled, c.settled) || (answer.Settled == "") == answer.Many {
			t.Errorf("%d findings: %v, many: %v, %q; want answer.Groups = %v, answer.Many = %v, answer.Settled = %q at the start and (answer.Settled == \"\") other than %v", c.unknown, answer.Groups, answer.Many, answer.Settled, want, (c.settled != ""), c.settled, answer.Many)
		}
	}
}
