package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// registered makes the state of a run of a folder, as a launcher does.
func registered(t *testing.T, base, id, dir string, started time.Time) *state.Dir {
	t.Helper()
	d, err := state.Create(base, state.Run{ID: id, Started: started, Directory: dir})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ends writes what a run leaves at its end.
func ends(t *testing.T, d *state.Dir, code int) {
	t.Helper()
	text, err := json.Marshal(launch.Result{Run: d.Run.ID, Code: code, Nodes: []launch.Status{{ID: "west", State: launch.Ended, Exit: launch.Exit{User: time.Second, PeakKB: 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("result.json", text); err != nil {
		t.Fatal(err)
	}
}

// fakePlan is a launcher in this program. It runs until it is stopped.
type fakePlan struct {
	over chan struct{}
	stop func()
}

func (p *fakePlan) Pid() int { return os.Getpid() }

func (p *fakePlan) Stop() {
	select {
	case <-p.over:
	default:
		p.stop()
		close(p.over)
	}
}

func (p *fakePlan) Wait() error {
	<-p.over
	return errors.New("exit status 130")
}

// TestPlanOfThePage: a plan that the page has started is one run in the list, with
// the programs that it has registered, and a stop is no failure.
func TestPlanOfThePage(t *testing.T) {
	base := filepath.Join(t.TempDir(), "state")
	var d *state.Dir
	var s *Server
	s, dir := newPage(t, map[string]string{"a.psdl": ""}, func(o *Options) {
		o.StateDir = base
		o.plan = func(path string, _ io.Writer) (Plan, error) {
			d = registered(t, base, "20260101-000000-aaaaaa", path, time.Now())
			return &fakePlan{over: make(chan struct{}), stop: func() { ends(t, d, 130) }}, nil
		}
	})
	if w := ask(s, "POST", "/api/start", fmt.Sprintf(`{"path":%q}`, dir), nil); w.Code != 200 {
		t.Fatal(w.Body)
	}
	list := s.runs.list()
	if len(list) != 1 || list[0].ID != "plan-1" || list[0].Kind != aPlan || list[0].State != flow.Running {
		t.Errorf("the runs are %+v", list)
	}
	if w := ask(s, "POST", "/api/start", fmt.Sprintf(`{"path":%q}`, dir), nil); w.Code != 409 {
		t.Errorf("a second start: %d %s", w.Code, w.Body)
	}
	if w := ask(s, "POST", "/api/stop", `{"run":"plan-1"}`, nil); w.Code != 200 {
		t.Error(w.Body)
	}
	select {
	case <-s.runs.own[0].done:
	case <-time.After(golden.Patience):
		t.Fatal("the run does not end")
	}
	if list := s.runs.list(); len(list) != 1 || list[0].State != flow.Stopped {
		t.Errorf("the runs are %+v", list)
	}
	var status statusAnswer
	if w := ask(s, "GET", "/api/processes?run=plan-1", "", nil); json.Unmarshal(w.Body.Bytes(), &status) != nil || status.Version != 1 || status.State != "over" || len(status.Nodes) != 1 {
		t.Fatalf("the programs are %s", w.Body)
	}
	if n := status.Nodes[0]; n.ID != "west" || n.CPU != 1 || n.Memory != 2048 {
		t.Errorf("the program is %+v", n)
	}
	// What has ended may be started again.
	d.Remove()
	if w := ask(s, "POST", "/api/start", fmt.Sprintf(`{"path":%q}`, dir), nil); w.Code != 200 {
		t.Error(w.Body)
	}
}

// TestPlansOfOthers: the launches of the folder that other programs have started are
// listed with what became of them, the newest first; those of other folders are not.
func TestPlansOfOthers(t *testing.T) {
	base := filepath.Join(t.TempDir(), "state")
	s, dir := newPage(t, map[string]string{"a.psdl": ""}, func(o *Options) { o.StateDir = base })
	begin := time.Now().Add(-time.Hour)
	ends(t, registered(t, base, "finished", dir, begin), 0)
	ends(t, registered(t, base, "failed", dir, begin.Add(time.Minute)), 3)
	gone := registered(t, base, "gone", dir, begin.Add(2*time.Minute))
	gone.Run.Supervisor.Start++ // a process that had the number before this one
	text, err := json.Marshal(gone.Run)
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.WriteFile("run.json", text); err != nil {
		t.Fatal(err)
	}
	registered(t, base, "going", dir, begin.Add(3*time.Minute))
	registered(t, base, "elsewhere", t.TempDir(), begin.Add(4*time.Minute))
	var have []string
	for _, e := range s.runs.list() {
		have = append(have, fmt.Sprintf("%s %s %s", e.ID, e.State, e.Message))
	}
	want := []string{"going running ", "gone abandoned ", "failed failed it ended with code 3", "finished finished "}
	if fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
	// Of many, the newest are listed.
	for i := range maxRuns {
		ends(t, registered(t, base, fmt.Sprint("later", i), dir, time.Now().Add(time.Duration(i)*time.Second)), 0)
	}
	if list := s.runs.list(); len(list) != maxRuns || list[0].ID != fmt.Sprint("later", maxRuns-1) || list[maxRuns-1].ID != "later0" {
		t.Errorf("%d of %d runs are listed, from %s to %s", len(list), maxRuns+4, list[0].ID, list[len(list)-1].ID)
	}
}

// TestLogOfAPlan: a client is sent every whole line of the programs once; of a log that
// was long before it came, the last whole lines.
func TestLogOfAPlan(t *testing.T) {
	d := registered(t, filepath.Join(t.TempDir(), "state"), "a", t.TempDir(), time.Now())
	follow := func() (*client, func() []string) {
		w := httptest.NewRecorder()
		c := &client{w: w, control: http.NewResponseController(w), run: &run{dir: d}}
		return c, func() []string {
			w.Body.Reset()
			c.logs()
			var lines []string
			if text, ok := strings.CutPrefix(w.Body.String(), "event: log\ndata: "); ok {
				if err := json.Unmarshal([]byte(text), &lines); err != nil {
					t.Fatalf("%v: %.200s", err, text)
				}
			}
			return lines
		}
	}
	_, next := follow()
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
	// The same holds for a pipeline, which writes into memory.
	w := httptest.NewRecorder()
	own := &client{w: w, control: http.NewResponseController(w), run: &run{log: &lines{}, pipeline: newRemote("")}}
	for _, step := range []struct{ text, want string }{{"", ""}, {"one\nt", `["one"]`}, {"", ""}, {"wo\n", `["two"]`}} {
		io.WriteString(own.run.log, step.text)
		w.Body.Reset()
		own.logs()
		if have := strings.TrimSpace(strings.TrimPrefix(w.Body.String(), "event: log\ndata: ")); have != step.want {
			t.Errorf("after %q came %q, want %q", step.text, have, step.want)
		}
	}
	const line, many = len("west | 0000000\n"), 5 * maxChunk / 15
	for i := range many {
		fmt.Fprintf(f, "west | %07d\n", i)
	}
	c, next := follow()
	lines := next()
	n := len(lines)
	if n < maxChunk/line-1 || n > maxChunk/line {
		t.Fatalf("%d lines of a long log, to offset %d", n, c.offset)
	}
	for i, have := range lines {
		if want := fmt.Sprintf("west | %07d", many-n+i); have != want {
			t.Fatalf("line %d is %q, want %q", i, have, want)
		}
	}
	// A line that is longer than what is sent at once comes in parts.
	io.WriteString(f, strings.Repeat("x", maxChunk+10))
	for _, want := range []int{maxChunk, 0} {
		if have := strings.Join(next(), "|"); have != strings.Repeat("x", want) {
			t.Errorf("%d bytes of a long line are sent, want %d", len(have), want)
		}
	}
	io.WriteString(f, "\nlast\n")
	if have := strings.Join(next(), "|"); have != strings.Repeat("x", 10)+"|last" {
		t.Errorf("the rest is %.100q", have)
	}
}
