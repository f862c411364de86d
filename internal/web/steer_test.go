package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/internal/web/watch"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// heated starts a pipeline with a tunable setting, and returns it with its socket.
func heated(t *testing.T) (*flow.Run, string) {
	t.Helper()
	p := flow.New(catalog.Standard())
	p.AddProcess("plate", "heat", pipe.Set("rows", "4", "cols", "4", "steps", "1000000000000", "conductivity", "0.2"))
	p.AddProcess("snk", "sink", nil)
	p.Connect("plate.field", "snk.sink")
	pipeline, err := p.Start(t.Context(), flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "socket")
	server, err := control.Listen(socket, steer.Methods(pipeline))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pipeline.Stop()
		pipeline.Wait()
		server.Close()
	})
	return pipeline, socket
}

// TestTune: a setting of a live run can be read and changed through the run's socket; a read-only
// page only shows what would change.
func TestTune(t *testing.T) {
	pipeline, socket := heated(t)
	watched := watch.NewRemote(socket)
	own := func(o *Options) {
		o.pipeline = func(path string, _ io.Writer) (watch.Pipeline, error) {
			if filepath.Base(path) == "b.pipe" {
				return pipeline, nil // the page does not know its socket
			}
			return watched, nil
		}
	}
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe, "b.pipe": numbersPipe}, own)
	for _, name := range []string{"a.pipe", "b.pipe"} {
		if _, err := s.runs.Start(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	tune := func(run, value string, preview bool, want int) string {
		t.Helper()
		w := ask(s, "POST", "/api/tune", fmt.Sprintf(`{"run":%q,"key":"plate:conductivity","value":%q,"preview":%v}`, run, value, preview), nil)
		if w.Code != want {
			t.Errorf("%s, preview %v: %d %s; want %v", value, preview, w.Code, w.Body, want)
		}
		return w.Body.String()
	}
	conductivity := func(want string) {
		t.Helper()
		var keys []pipe.Tunable
		w := ask(s, "GET", "/api/tunable?run=pipeline-1", "", nil)
		if err := json.Unmarshal(w.Body.Bytes(), &keys); err != nil || !slices.Contains(keys, pipe.Tunable{Setting: "plate:conductivity", Value: want, Kind: "double"}) {
			t.Errorf("%v, want the value %s: %s", err, want, w.Body)
		}
	}
	conductivity("0.2")
	if text := tune("pipeline-1", "0.1", true, 200); !strings.Contains(text, `"0.1"`) {
		t.Errorf("%v; want %q in it", text, `"0.1"`)
	}
	conductivity("0.2")
	if text := tune("pipeline-1", "0.7", false, 200); !strings.Contains(text, "refused") {
		t.Errorf("%v; want %q in it", text, "refused")
	}
	conductivity("0.2")
	tune("pipeline-1", "0.1", false, 200)
	conductivity("0.1")
	s.opt.ReadOnly = true
	tune("pipeline-1", "0.15", true, 200)
	tune("pipeline-1", "0.15", false, 403)
	s.opt.ReadOnly = false
	conductivity("0.1")
	if text := tune("pipeline-2", "0.1", false, 409); !strings.Contains(text, "no settings") {
		t.Errorf("%v; want %q in it", text, "no settings")
	}
	if w := ask(s, "GET", "/api/tunable?run=pipeline-2", "", nil); w.Code != 409 {
		t.Errorf("%d %s; want 409", w.Code, w.Body)
	}
	if w := ask(s, "POST", "/api/tune", `{"run":7}`, nil); w.Code != 400 {
		t.Errorf("%d %s; want 400", w.Code, w.Body)
	}
	pipeline.Stop()
	whenOver(t, s, "pipeline-1")
	whenOver(t, s, "pipeline-2")
	if text := tune("pipeline-1", "0.1", false, 409); !strings.Contains(text, "no settings") {
		t.Errorf("%v; want %q in it", text, "no settings")
	}
}

// TestSlowChange: a preview of a change has a time limit, but the change itself waits until it has
// reached all processes, however long that takes.
func TestSlowChange(t *testing.T) {
	pipeline, socket := heated(t)
	methods := steer.Methods(pipeline)
	methods[steer.MethodSet] = control.Answer(func(context.Context, steer.Set) (any, error) {
		time.Sleep(200 * time.Millisecond) // longer than the page waits for a preview
		return flow.SetResult{Applied: true}, nil
	})
	socket += "2"
	server, err := control.Listen(socket, methods)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) {
		o.pipeline = func(string, io.Writer) (watch.Pipeline, error) { return watch.NewRemote(socket), nil }
	})
	if _, err := s.runs.Start(filepath.Join(dir, "a.pipe")); err != nil {
		t.Fatal(err)
	}
	s.judgeLimit = time.Millisecond
	for _, c := range []struct {
		preview bool
		code    int
		says    string
	}{{true, 422, "the server has not answered"}, {false, 200, `"applied":true`}} {
		w := ask(s, "POST", "/api/tune", fmt.Sprintf(`{"run":"pipeline-1","key":"a:b","value":"1","preview":%v}`, c.preview), nil)
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("preview %v: %d %s, want %d with %s", c.preview, w.Code, w.Body, c.code, c.says)
		}
	}
}

// otherProgram starts a program that lives as long as the test.
func otherProgram(t *testing.T) state.Identity {
	t.Helper()
	cmd := exec.Command(need.Program(t, "sleep"), "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return state.Identify(cmd.Process.Pid)
}

// TestPipelinesOfOthers: a pipeline that another program runs from a file of the folder is listed
// until it ends; pipelines of other folders are not listed.
func TestPipelinesOfOthers(t *testing.T) {
	base, another := filepath.Join(t.TempDir(), "state"), otherProgram(t)
	s, dir := newPage(t, map[string]string{"below/a.pipe": numbersPipe, "..b.pipe": numbersPipe}, func(o *Options) { o.StateDir = base })
	begin := time.Now().Add(-time.Hour).Round(0)
	register := func(id, path string, by state.Identity) *state.Dir {
		t.Helper()
		d, err := state.Create(base, state.Run{ID: id, Started: begin, Directory: dir, Pipeline: path, Launch: "plan", Node: "west"})
		if err != nil {
			t.Fatal(err)
		}
		d.Run.Supervisor = by
		text, err := json.Marshal(d.Run)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.WriteFile("run.json", text); err != nil {
			t.Fatal(err)
		}
		return d
	}
	pipeline, _ := heated(t)
	var servers []*control.Server
	listen := func(d *state.Dir) {
		t.Helper()
		server, err := control.Listen(d.Socket(), steer.Methods(pipeline))
		if err != nil {
			t.Fatal(err)
		}
		servers = append(servers, server)
	}
	defer func() {
		for _, server := range servers {
			server.Close()
		}
	}()
	inside := filepath.Join(dir, "below", "a.pipe")
	listen(register("found", inside, another))
	listen(register("dots", filepath.Join(dir, "..b.pipe"), another))
	listen(register("own", inside, state.Self()))
	listen(register("outside", filepath.Join(filepath.Dir(dir), "a.pipe"), another))
	listen(register("parent", filepath.Dir(dir), another))
	dead := another
	dead.Start++
	listen(register("dead", inside, dead))
	register("begins", inside, another) // it has no socket yet
	for range 2 {                       // the second request finds runs that are already known
		list := s.runs.Entries()
		want := watch.Entry{ID: "found", Path: inside, Kind: "pipeline", State: flow.Running, Started: begin, Elsewhere: true, Launch: "plan", Node: "west"}
		if len(list) != 2 || list[1].ID != "dots" && list[0].ID != "dots" || !slices.ContainsFunc(list, func(e watch.Entry) bool { e.Started = begin; return e == want }) {
			t.Fatalf("the runs are %+v, want dots and %+v alone", list, want)
		}
	}
	// The page controls it, and notices when it ends.
	if w := ask(s, "POST", "/api/pause", `{"run":"found"}`, nil); w.Code != 200 {
		t.Errorf("%v; want 200", w.Body)
	}
	if err := pipeline.Pause(); !errors.Is(err, flow.ErrPaused) {
		t.Errorf("it is not paused: %v", err)
	}
	if w := ask(s, "POST", "/api/stop", `{"run":"found"}`, nil); w.Code != 200 {
		t.Errorf("%v; want 200", w.Body)
	}
	for _, id := range []string{"found", "dots"} {
		if e := whenOver(t, s, id).Entry(); e.State != flow.Stopped || e.Message != "" {
			t.Errorf("it has ended as %+v, want it stopped, without a message", e)
		}
	}
}

// asked is a request that the fake supervisor has received.
type asked struct {
	mu   sync.Mutex
	list []string
}

func (a *asked) take() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	text := strings.Join(a.list, ", ")
	a.list = nil
	return text
}

// supervise answers requests as the supervisor of a plan.
func supervise(t *testing.T, d *state.Dir) *asked {
	t.Helper()
	a := &asked{}
	methods := control.Methods{launch.MethodStatus: control.Answer(func(context.Context, launch.Request) ([]launch.Status, error) {
		return []launch.Status{
			{ID: "west", State: launch.Running, Usage: &state.Usage{CPU: 3 * time.Second, MemoryKB: 5}},
			{ID: "far", State: launch.Running},
			{ID: "east", State: launch.Ended, Exit: launch.Exit{User: time.Second, System: 2 * time.Second, PeakKB: 7}},
		}, nil
	})}
	for _, name := range []string{launch.MethodStop, launch.MethodRestart, launch.MethodSignal} {
		methods[name] = control.Answer(func(_ context.Context, r launch.Request) (any, error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.list = append(a.list, strings.TrimSpace(name+" "+r.Node+" "+r.Signal))
			if r.Node == "nothing" {
				return nil, errors.New("there is no node `nothing`")
			}
			return nil, nil
		})
	}
	server, err := control.Listen(d.Socket(), methods)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return a
}

// TestSteerPlan: actions on the programs of a plan are sent to its supervisor, whose answers also
// have the resources that the programs use.
func TestSteerPlan(t *testing.T) {
	base := filepath.Join(t.TempDir(), "state")
	s, dir := newPage(t, map[string]string{"a.psdl": ""}, func(o *Options) {
		o.StateDir = base
		o.plan = func(string, io.Writer) (watch.Plan, error) {
			return &fakePlan{over: make(chan struct{}), stop: func() {}}, nil
		}
	})
	a := supervise(t, registered(t, base, "going", dir, time.Now().Add(-time.Hour)))
	for _, c := range []struct {
		what, text string
		status     int
		want       string
	}{
		{"pause", `{"run":"going","node":"west"}`, 200, "signal west STOP"},
		{"resume", `{"run":"going","node":"west"}`, 200, "signal west CONT"},
		{"signal", `{"run":"going","node":"west","signal":"HUP"}`, 200, "signal west HUP"},
		{"restart", `{"run":"going","node":"west"}`, 200, "restart west"},
		{"stop", `{"run":"going","node":"west"}`, 200, "stop west"},
		{"stop", `{"run":"going"}`, 200, "stop"},
		{"restart", `{"run":"going","node":"nothing"}`, 422, "restart nothing"},
		{"restart", `{"run":7}`, 400, ""},
		{"start", `{"path":7}`, 400, ""},
	} {
		if w := ask(s, "POST", "/api/"+c.what, c.text, nil); w.Code != c.status {
			t.Errorf("%s: %d %s; want %v", c.what, w.Code, w.Body, c.status)
		}
		if have := a.take(); have != c.want {
			t.Errorf("after %s the supervisor was asked for %q, want %q", c.what, have, c.want)
		}
	}
	var status watch.Programs
	if w := ask(s, "GET", "/api/processes?run=going", "", nil); json.Unmarshal(w.Body.Bytes(), &status) != nil {
		t.Fatalf("%v; want none", w.Body)
	}
	var have []string
	for _, n := range status.Nodes {
		have = append(have, fmt.Sprint(n.ID, " ", n.CPU, " ", n.Memory))
	}
	if want := "[west 3 5120 far 0 0 east 3 7168]"; fmt.Sprint(have) != want || status.State != "running" || status.Run != "going" {
		t.Errorf("have %v, want %s: %+v", have, want, status)
	}
	// A plan that the page has started is listed before it has programs.
	if w := ask(s, "POST", "/api/start", fmt.Sprintf(`{"path":%q}`, dir), nil); w.Code != 200 {
		t.Fatalf("%v; want 200", w.Body)
	}
	if w := ask(s, "POST", "/api/stop", `{"run":"plan-1","node":"west"}`, nil); w.Code != 409 || !strings.Contains(w.Body.String(), "no programs yet") {
		t.Errorf("%d %s; want w.Code = 409 and %q in w.Body.String()", w.Code, w.Body, "no programs yet")
	}
	for _, view := range []string{"picture", "words"} {
		if w := ask(s, "GET", "/api/"+view+"?run=going", "", nil); w.Code != 404 || !strings.Contains(w.Body.String(), "a launch plan has no pictures") {
			t.Errorf("%s: %d %s; want w.Code = 404 and %q in w.Body.String()", view, w.Code, w.Body, "a launch plan has no pictures")
		}
	}
}

// stream connects to the event stream, and returns a function that returns the next event.
func stream(t *testing.T, s *Server, query string) (next func() (name, data string)) {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), golden.Patience)
	web := httptest.NewServer(s)
	r, err := http.NewRequestWithContext(ctx, "GET", web.URL+"/api/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	cookie, _ := visit(s)
	r.AddCookie(cookie)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		leave()
		answer.Body.Close()
		web.Close()
	})
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("browsers do not read a stream that is called %q", kind)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	return func() (name, data string) {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				name = text
			} else if data, ok = strings.CutPrefix(lines.Text(), "data: "); ok {
				return name, data
			}
		}
		t.Log("the stream has ended:", lines.Err())
		return "", ""
	}
}

// TestStreamOfAPlan: a client gets the list of runs, and the programs and the log of the run that
// it follows. Each is sent again only after it has changed.
func TestStreamOfAPlan(t *testing.T) {
	base := filepath.Join(t.TempDir(), "state")
	s, dir := newPage(t, map[string]string{"a.psdl": ""}, func(o *Options) { o.StateDir = base })
	d := registered(t, base, "going", dir, time.Now().Add(-time.Hour))
	supervise(t, d)
	if err := os.WriteFile(d.LogFile("", ""), []byte("2026-03-04T05:06:07.000008Z out west | one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	next := stream(t, s, "?run=going")
	for _, want := range []struct{ name, part string }{{"runs", `"id":"going"`}, {"status", `"state":"running"`}, {"log", `["west | one"]`}} {
		if name, data := next(); name != want.name || !strings.Contains(data, want.part) {
			t.Fatalf("%s: %s, want %s with %s", name, data, want.name, want.part)
		}
	}
	ends(t, d, 0)
	for _, want := range []struct{ name, part string }{{"runs", `"state":"finished"`}, {"status", `"state":"over"`}} {
		if name, data := next(); name != want.name || !strings.Contains(data, want.part) {
			t.Fatalf("%s: %s, want %s with %s", name, data, want.name, want.part)
		}
	}
	if name, data := stream(t, s, "?run=nothing")(); name != "gone" || data != "\"there is no run `nothing`\"" {
		t.Errorf("%s: %s; want name = %q and data = %q", name, data, "gone", "\"there is no run `nothing`\"")
	}
}

// TestStreamOfAPipeline: a client that connects late gets the figures, the curves and the whole
// log. It also gets the log of a plan that failed before it started programs.
func TestStreamOfAPipeline(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe, "a.psdl": ""}, func(o *Options) {
		o.pipeline = func(_ string, log io.Writer) (watch.Pipeline, error) {
			io.WriteString(log, "one\ntwo\n")
			return counting(t, "5"), nil
		}
		o.plan = func(_ string, log io.Writer) (watch.Plan, error) {
			io.WriteString(log, "no such plan\n")
			p := &fakePlan{over: make(chan struct{}), stop: func() {}}
			close(p.over)
			return p, nil
		}
	})
	for _, path := range []string{filepath.Join(dir, "a.pipe"), filepath.Join(dir, "a.psdl")} {
		run, err := s.runs.Start(path)
		if err != nil {
			t.Fatal(err)
		}
		<-run.Over()
	}
	read := func(id string, names ...string) {
		t.Helper()
		next, have := stream(t, s, "?run="+id), map[string]string{}
		for range names {
			name, data := next()
			have[name] = data
		}
		for _, name := range names {
			if have[name] == "" {
				t.Errorf("%s: no %s in %v", id, name, have)
			}
		}
		if text := have["figures"]; text != "" {
			var f figures.Figures
			if err := json.Unmarshal([]byte(text), &f); err != nil || f.State != flow.Finished || len(f.Processes) == 0 || f.Taken == 0 {
				t.Errorf("the figures are %s: %v", text, err)
			}
		}
		if want := map[string]string{"pipeline-1": `["one","two"]`, "plan-2": `["no such plan"]`}[id]; have["log"] != want {
			t.Errorf("%s: the log is %s; want %v", id, have["log"], want)
		}
	}
	read("pipeline-1", "runs", "figures", "curve", "log")
	read("plan-2", "runs", "status", "log")
	if e := s.runs.Entries()[0]; e.ID != "plan-2" || e.State != flow.Failed || e.Message != "exit status 130" {
		t.Errorf("the plan is %+v, want e.ID = %q, e.State = %v and e.Message = %q", e, "plan-2", flow.Failed, "exit status 130")
	}
	if e := s.runs.Entries()[1]; e.State != flow.Finished {
		t.Errorf("the pipeline is %+v, want %v", e, flow.Finished)
	}
}
