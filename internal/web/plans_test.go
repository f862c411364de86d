package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/web/watch"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// registered registers a run of a folder, as a launcher does.
func registered(t *testing.T, base, id, dir string, started time.Time) *state.Dir {
	t.Helper()
	d, err := state.Create(base, state.Run{ID: id, Started: started, Directory: dir})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ends writes the end of a run into its state.
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

// fakePlan simulates a launcher inside this program. It runs until it is stopped.
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

// TestPlanOfThePage: a plan started from the page is listed as one run, with its registered
// programs. Stopping it is not a failure.
func TestPlanOfThePage(t *testing.T) {
	base := filepath.Join(t.TempDir(), "state")
	var d *state.Dir
	var s *Server
	s, dir := newPage(t, map[string]string{"a.psdl": ""}, func(o *Options) {
		o.StateDir = base
		o.plan = func(path string, _ io.Writer) (watch.Plan, error) {
			d = registered(t, base, "20260101-000000-aaaaaa", path, time.Now())
			return &fakePlan{over: make(chan struct{}), stop: func() { ends(t, d, 130) }}, nil
		}
	})
	if w := ask(s, "POST", "/api/start", fmt.Sprintf(`{"path":%q}`, dir), nil); w.Code != 200 {
		t.Fatalf("%v; want 200", w.Body)
	}
	list := s.runs.Entries()
	if len(list) != 1 || list[0].ID != "plan-1" || list[0].Kind != "plan" || list[0].State != flow.Running {
		t.Errorf("the runs are %+v, want len(list) = 1, list[0].ID = %q, list[0].Kind = %q and list[0].State = %v", list, "plan-1", "plan", flow.Running)
	}
	if w := ask(s, "POST", "/api/start", fmt.Sprintf(`{"path":%q}`, dir), nil); w.Code != 409 {
		t.Errorf("a second start: %d %s; want 409", w.Code, w.Body)
	}
	if w := ask(s, "POST", "/api/stop", `{"run":"plan-1"}`, nil); w.Code != 200 {
		t.Errorf("%v; want 200", w.Body)
	}
	whenOver(t, s, "plan-1")
	if list := s.runs.Entries(); len(list) != 1 || list[0].State != flow.Stopped {
		t.Errorf("the runs are %+v, want len(list) = 1 and list[0].State = %v", list, flow.Stopped)
	}
	var status watch.Programs
	if w := ask(s, "GET", "/api/processes?run=plan-1", "", nil); json.Unmarshal(w.Body.Bytes(), &status) != nil || status.Version != 1 || status.State != "over" || len(status.Nodes) != 1 {
		t.Fatalf("the programs are %s; want json.Unmarshal(w.Body.Bytes(), &status) nil, status.Version = 1, status.State = %q and len(status.Nodes) = 1", w.Body, "over")
	}
	if n := status.Nodes[0]; n.ID != "west" || n.CPU != 1 || n.Memory != 2048 {
		t.Errorf("the program is %+v, want n.ID = %q, n.CPU = 1 and n.Memory = 2048", n, "west")
	}
	// An ended run may be started again.
	d.Remove()
	if w := ask(s, "POST", "/api/start", fmt.Sprintf(`{"path":%q}`, dir), nil); w.Code != 200 {
		t.Errorf("%v; want 200", w.Body)
	}
}

// TestPlansOfOthers: the page lists launches of its folder that other programs have started, with
// their results, the newest first. It does not list launches of other folders.
func TestPlansOfOthers(t *testing.T) {
	base := filepath.Join(t.TempDir(), "state")
	s, dir := newPage(t, map[string]string{"a.psdl": ""}, func(o *Options) { o.StateDir = base })
	begin := time.Now().Add(-time.Hour)
	ends(t, registered(t, base, "finished", dir, begin), 0)
	ends(t, registered(t, base, "failed", dir, begin.Add(time.Minute)), 3)
	gone := registered(t, base, "gone", dir, begin.Add(2*time.Minute))
	gone.Run.Supervisor.Start++ // the process ID now belongs to another process
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
	for _, e := range s.runs.Entries() {
		have = append(have, fmt.Sprintf("%s %s %s", e.ID, e.State, e.Message))
	}
	want := []string{"going running ", "gone abandoned ", "failed failed it ended with code 3", "finished finished "}
	if fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
	// If there are many runs, only the newest are listed.
	const listedRuns = 20
	for i := range listedRuns {
		ends(t, registered(t, base, fmt.Sprint("later", i), dir, time.Now().Add(time.Duration(i)*time.Second)), 0)
	}
	if list := s.runs.Entries(); len(list) != listedRuns || list[0].ID != fmt.Sprint("later", listedRuns-1) || list[listedRuns-1].ID != "later0" {
		t.Errorf("%d of %d runs are listed, from %s to %s; want len(list) = %v, list[0].ID = %v and list[listedRuns-1].ID = %q", len(list), listedRuns+4, list[0].ID, list[len(list)-1].ID, listedRuns, fmt.Sprint("later", listedRuns-1), "later0")
	}
}
