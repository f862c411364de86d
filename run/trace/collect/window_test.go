//go:build linux

package collect

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// count returns the number of each event in a trace.
func count(streams [][]ctf.Occurrence) map[string]int {
	got := map[string]int{}
	for _, stream := range streams {
		for _, o := range stream {
			got[agent.Records[o.Event].Name]++
		}
	}
	return got
}

func limited(end *trace.WindowEnd) *trace.Config {
	return &trace.Config{Default: trace.RegionLayer{
		Rate: trace.RateLayer{Max: trace.Number{Value: 2, Set: true}},
		End:  end,
	}}
}

// When a window ends, the modes it names are set for the whole process.
func TestWindowEnd(t *testing.T) {
	need.Slow(t)
	b := newTestBed(t, "")
	run := func(c *trace.Config, script Script) map[string]int {
		t.Helper()
		p, err := trace.Compile(b.catalog, c)
		if err != nil {
			t.Fatal(err)
		}
		o := b.options(p)
		o.Audit = false
		dir := filepath.Join(t.TempDir(), "trace")
		code, _, err := Run(context.Background(), o, Program{Args: []string{b.program, "400"}, Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr, Script: script})
		if code != 0 || err != nil {
			t.Fatal(code, err)
		}
		return count(b.read(dir))
	}
	if got := run(limited(nil), nil); got["region_begin"] != 4 {
		t.Errorf("two regions of two executions each began %d times, want 4", got["region_begin"])
	}
	// An OpenMP region reaches its limit first, in the second round.
	if got := run(limited(&trace.WindowEnd{Modes: map[string]trace.Mode{"User": trace.Off}}), nil); got["region_begin"] >= 4 {
		t.Errorf("the program's own regions began %d times after their mode was set to OFF", got["region_begin"])
	}
	started := 0
	again := limited(&trace.WindowEnd{
		Modes:      map[string]trace.Mode{"OpenMP": trace.Tracing},
		Introspect: &trace.Introspection{Script: "look.sh"},
	})
	got := run(again, func(script string, pid int) error {
		if script != "look.sh" || pid == 0 {
			t.Errorf("started `%s` for process %d, want script = %q and pid other than 0", script, pid, "look.sh")
		}
		started++
		return nil
	})
	if started == 0 || got["region_begin"] <= 4 {
		t.Errorf("the script was started %d times, and regions began %d times although windows began anew; want started other than 0 and got[\"region_begin\"] more than 4", started, got["region_begin"])
	}
}

// modeAt returns the mode of a domain from the word with all modes.
func modeAt(modes uint64, domain int) trace.Mode {
	return trace.Mode(modes >> (layout.ModeBits * domain) & layout.ModeMask)
}

// allTracing returns the word in which every domain is traced.
func allTracing(epoch uint64) uint64 {
	modes := epoch << layout.EpochAt
	for d := range layout.Domains {
		modes |= uint64(trace.Tracing) << (layout.ModeBits * d)
	}
	return modes
}

// A mode set by a window end stays until windows begin anew; if the policy has changed meanwhile, no mode is set.
func TestModesOfWindows(t *testing.T) {
	b := newFaults(t)
	s, err := NewSession(b.everything())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := &Collector{session: s}
	const epoch = 5
	at := processAt(0)
	modes := s.word(at + processModes)
	modes.Store(allTracing(epoch))
	windows, generation := s.half(at+processWindow), s.word(at+processGeneration)
	for i, step := range []struct {
		epoch            uint64
		set              trace.Mode
		again            bool
		want             trace.Mode
		windows, changes int
	}{
		{epoch, trace.Off, false, trace.Off, 0, 1},
		{epoch, trace.Standby, false, trace.Off, 0, 2},
		{epoch, trace.Tracing, true, trace.Tracing, 1, 3},
		{epoch, trace.Standby, false, trace.Standby, 1, 4},
		{epoch + 1, trace.Monitoring, true, trace.Standby, 1, 4},
		{epoch, trace.Monitoring, true, trace.Monitoring, 2, 5},
	} {
		c.setModes(at, step.epoch, map[string]trace.Mode{"MPI": step.set}, step.again)
		if got := modeAt(modes.Load(), 1); got != step.want {
			t.Errorf("step %d: the mode is %v, want %v", i, got, step.want)
		}
		if modeAt(modes.Load(), 0) != trace.Tracing || modeAt(modes.Load(), 2) != trace.Tracing || modes.Load()>>layout.EpochAt != epoch {
			t.Errorf("step %d: the modes of other domains, or the epoch, have changed: %#x", i, modes.Load())
		}
		if int(windows.Load()) != step.windows || int(generation.Load()) != step.changes {
			t.Errorf("step %d: windows began anew %d times, want %d; %d changes, want %d", i, windows.Load(), step.windows, generation.Load(), step.changes)
		}
	}
}

// watchedProcess is a process without a program, for tests of serveRequests.
type watchedProcess struct {
	*fakeAgent
	program Program
	at      int
	scripts []string
	reloads int
}

// watch begins a process that traces everything under a configuration.
func watch(t *testing.T, c *trace.Config) *watchedProcess {
	t.Helper()
	const process = 3
	w := &watchedProcess{fakeAgent: newFakeAgent(t, 4096), at: processAt(process)}
	w.program = Program{
		Script: func(script string, pid int) error {
			w.scripts = append(w.scripts, fmt.Sprint(script, " ", pid))
			return nil
		},
		Signalled: func(*Session) { w.reloads++ },
	}
	w.publish(c)
	w.session.half(w.at + processPID).Store(4321)
	w.session.half(w.at + processState).Store(1)
	return w
}

// publish makes a configuration the current one, and sets the modes as the agent then does.
func (w *watchedProcess) publish(c *trace.Config) {
	w.t.Helper()
	w.compile(c)
	_, epoch := w.session.current()
	w.session.word(w.at + processModes).Store(allTracing(epoch))
}

// compile makes a configuration the current one.
func (w *watchedProcess) compile(c *trace.Config) {
	w.t.Helper()
	p, err := trace.Compile(w.catalog, c)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.session.Publish(p, make([]byte, 8)); err != nil {
		w.t.Fatal(err)
	}
}

// serveRequests lets the collector check once, and compares the result with want: the mode of OpenMP, whether the program is
// held up, the number of the window end, and how often windows began anew.
func (w *watchedProcess) serveRequests(step, want string) {
	w.t.Helper()
	w.collector.serveRequests(&w.program)
	half := func(field int) uint32 { return w.session.half(w.at + field).Load() }
	got := fmt.Sprintf("%v, paused %d, ended %d, anew %d, scripts %v, reloads %d",
		modeAt(w.session.word(w.at+processModes).Load(), 0), half(processPaused), half(processEnded), half(processWindow), w.scripts, w.reloads)
	if got != want {
		w.t.Errorf("%s:\n got %s\nwant %s", step, got, want)
	}
}

func (w *watchedProcess) ended()  { w.session.half(w.at + processEnded).Store(1) }
func (w *watchedProcess) signal() { w.session.half(w.at + processSignals).Add(1) }

// pass makes d of time pass: it moves the recorded beginning of the windows and of a pause back.
func (w *watchedProcess) pass(d time.Duration) {
	of := w.collector.windows[3]
	of.begun = of.begun.Add(-d)
	if !of.until.IsZero() {
		of.until = of.until.Add(-d)
	}
}

func introspect(mode trace.Mode, script string, pause int32) *trace.WindowEnd {
	return &trace.WindowEnd{Modes: map[string]trace.Mode{"OpenMP": mode}, Introspect: &trace.Introspection{Script: script, Pause: pause}}
}

// When a window has ended, its script is started, the program is held up, and then the modes are set.
func TestIntrospection(t *testing.T) {
	w := watch(t, limited(introspect(trace.Off, "look.sh", 0)))
	w.serveRequests("before the end", "TRACING, paused 0, ended 0, anew 0, scripts [], reloads 0")
	w.ended()
	w.serveRequests("without a pause", "OFF, paused 0, ended 1, anew 0, scripts [look.sh 4321], reloads 0")
	w.serveRequests("once", "OFF, paused 0, ended 1, anew 0, scripts [look.sh 4321], reloads 0")

	w = watch(t, limited(introspect(trace.Tracing, "look.sh", 0)))
	w.ended()
	w.serveRequests("windows begin anew", "TRACING, paused 0, ended 0, anew 1, scripts [look.sh 4321], reloads 0")
	w.serveRequests("and go on", "TRACING, paused 0, ended 0, anew 1, scripts [look.sh 4321], reloads 0")
	w.ended()
	w.serveRequests("and end again", "TRACING, paused 0, ended 0, anew 2, scripts [look.sh 4321 look.sh 4321], reloads 0")

	w = watch(t, limited(introspect(trace.Off, "-", -1)))
	w.ended()
	w.serveRequests("until a signal", "TRACING, paused 1, ended 1, anew 0, scripts [], reloads 0")
	w.pass(24 * time.Hour)
	w.serveRequests("however long", "TRACING, paused 1, ended 1, anew 0, scripts [], reloads 0")
	w.signal()
	w.serveRequests("which is a reload too", "OFF, paused 0, ended 1, anew 0, scripts [], reloads 1")
	w.signal()
	w.serveRequests("and so is the next", "OFF, paused 0, ended 1, anew 0, scripts [], reloads 2")
	w.serveRequests("one", "OFF, paused 0, ended 1, anew 0, scripts [], reloads 2")

	w = watch(t, limited(introspect(trace.Tracing, "-", -1)))
	standby := limited(introspect(trace.Standby, "-", -1))
	standby.Domains = map[string]trace.DomainLayer{"MPI": {Mode: trace.Monitoring}}
	w.program.Signalled = func(*Session) {
		w.reloads++
		w.compile(standby)
	}
	w.ended()
	w.serveRequests("a pause", "TRACING, paused 1, ended 1, anew 0, scripts [], reloads 0")
	w.signal()
	w.serveRequests("goes on with the new configuration, by the end that has begun", "TRACING, paused 0, ended 0, anew 1, scripts [], reloads 1")
	if got := modeAt(w.session.word(w.at+processModes).Load(), 1); got != trace.Monitoring {
		t.Errorf("the mode of MPI is %v, and the new configuration says MONITORING; want %v", got, trace.Monitoring)
	}
	w.ended()
	w.serveRequests("the next pause", "TRACING, paused 1, ended 1, anew 1, scripts [], reloads 1")
	w.program.Signalled = nil
	w.signal()
	w.serveRequests("ends by the new one", "STANDBY, paused 0, ended 1, anew 1, scripts [], reloads 1")

	w = watch(t, limited(introspect(trace.Off, "look.sh", 60)))
	w.program.Script, w.program.Signalled = nil, nil
	w.signal()
	w.ended()
	w.serveRequests("a minute, with nothing to call", "TRACING, paused 1, ended 1, anew 0, scripts [], reloads 0")
	w.pass(30 * time.Second)
	w.serveRequests("that is not over", "TRACING, paused 1, ended 1, anew 0, scripts [], reloads 0")
	w.pass(31 * time.Second)
	w.serveRequests("and now is", "OFF, paused 0, ended 1, anew 0, scripts [], reloads 0")

	w = watch(t, limited(&trace.WindowEnd{Modes: map[string]trace.Mode{"OpenMP": trace.Off}}))
	w.ended()
	w.serveRequests("the agent sets modes without an introspection itself", "TRACING, paused 0, ended 1, anew 0, scripts [], reloads 0")
}

// A new configuration, or another process in the same slot, starts without the window state from before.
func TestWindowsOfAnother(t *testing.T) {
	w := watch(t, limited(introspect(trace.Off, "first.sh", -1)))
	w.ended()
	w.serveRequests("paused", "TRACING, paused 1, ended 1, anew 0, scripts [first.sh 4321], reloads 0")
	w.publish(limited(introspect(trace.Standby, "second.sh", 0)))
	w.serveRequests("a new configuration, and windows begin anew", "TRACING, paused 0, ended 0, anew 1, scripts [first.sh 4321], reloads 0")
	w.session.half(w.at + processPaused).Store(1) // set by the agent, which had set the end before it saw the configuration
	w.serveRequests("a pause of what is over", "TRACING, paused 0, ended 0, anew 1, scripts [first.sh 4321], reloads 0")
	w.ended()
	w.serveRequests("its end", "STANDBY, paused 0, ended 1, anew 1, scripts [first.sh 4321 second.sh 4321], reloads 0")
	w.session.half(w.at + processState).Store(0)
	w.collector.serveRequests(&w.program)
	if i := slices.IndexFunc(w.collector.windows[:], func(w *window) bool { return w != nil }); i >= 0 {
		t.Errorf("process %d has windows after the only one has gone", i)
	}
	w.session.half(w.at + processState).Store(1)
	w.serveRequests("another process", "STANDBY, paused 0, ended 1, anew 1, scripts [first.sh 4321 second.sh 4321 second.sh 4321], reloads 0")
}

// word simulates a word in shared memory: right after the word is read, the agent ends a window.
type word struct {
	value uint32
	agent func()
}

func (w *word) Load() uint32 {
	defer w.agent()
	return w.value
}

// A pause that the agent begins while the collector checks is kept.
func TestPauseIsKept(t *testing.T) {
	var paused, ended word
	agent := func() { ended.value, paused.value = 1, 1 }
	paused.agent, ended.agent = agent, agent
	if cancelled(&paused, &ended) {
		t.Error("a pause that began just now is taken for one of a window that is over")
	}
}

// The heartbeat continues during a long turn, and stops if the turn hangs.
func TestHeart(t *testing.T) {
	w := watch(t, limited(nil))
	beats := w.session.word(sessionHeartbeat)
	stop := w.collector.beat(time.Millisecond, time.Hour)
	golden.Until(t, "a slow turn beats", func() bool { return beats.Load() > 3 })
	stop()
	synctest.Test(t, func(t *testing.T) {
		defer w.collector.beat(time.Millisecond, 0)()
		before := beats.Load()
		time.Sleep(time.Second) // with the fake clock, a thousand heartbeats are missed
		synctest.Wait()
		if after := beats.Load(); after != before {
			t.Errorf("a turn that hangs beats %d times, want none", after-before)
		}
	})
}

// After the timeout all windows end once, unless they begin anew.
func TestTimeoutOfWindows(t *testing.T) {
	timeout := func(end *trace.WindowEnd) *trace.Config {
		return &trace.Config{Default: trace.RegionLayer{Timeout: trace.Number{Value: 60, Set: true}, End: end}}
	}
	w := watch(t, timeout(&trace.WindowEnd{Modes: map[string]trace.Mode{"OpenMP": trace.Off}}))
	w.serveRequests("at first", "TRACING, paused 0, ended 0, anew 0, scripts [], reloads 0")
	w.pass(30 * time.Second)
	w.serveRequests("not over", "TRACING, paused 0, ended 0, anew 0, scripts [], reloads 0")
	w.pass(31 * time.Second)
	w.serveRequests("over", "OFF, paused 0, ended 0, anew 0, scripts [], reloads 0")
	changes := w.session.word(w.at + processGeneration).Load()
	w.serveRequests("once", "OFF, paused 0, ended 0, anew 0, scripts [], reloads 0")
	if again := w.session.word(w.at + processGeneration).Load(); again != changes {
		t.Errorf("the modes were set %d times after the timeout", 1+again-changes)
	}

	w = watch(t, timeout(introspect(trace.Tracing, "look.sh", 0)))
	w.serveRequests("at first", "TRACING, paused 0, ended 0, anew 0, scripts [], reloads 0")
	w.pass(61 * time.Second)
	w.serveRequests("over, and anew", "TRACING, paused 0, ended 0, anew 1, scripts [look.sh 4321], reloads 0")
	w.serveRequests("not over", "TRACING, paused 0, ended 0, anew 1, scripts [look.sh 4321], reloads 0")
	w.pass(61 * time.Second)
	w.serveRequests("over again", "TRACING, paused 0, ended 0, anew 2, scripts [look.sh 4321 look.sh 4321], reloads 0")
}

// A pause holds the program up for the given time, and ends by itself.
func TestPause(t *testing.T) {
	need.Slow(t)
	b := newTestBed(t, "")
	t.Parallel()
	p, err := trace.Compile(b.catalog, limited(&trace.WindowEnd{
		Modes:      map[string]trace.Mode{"OpenMP": trace.Off},
		Introspect: &trace.Introspection{Script: "-", Pause: 1},
	}))
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	b.run(b.options(p), "4")
	if took := time.Since(begun); took < time.Second {
		t.Errorf("the program took %v with a pause of one second, want at least %v", took, time.Second)
	}
}

// A pause without an end lasts until SIGUSR1.
func TestPauseUntilSignal(t *testing.T) {
	b := newTestBed(t, "")
	t.Parallel()
	p, err := trace.Compile(b.catalog, limited(&trace.WindowEnd{
		Modes:      map[string]trace.Mode{"OpenMP": trace.Off},
		Introspect: &trace.Introspection{Script: "-", Pause: -1},
	}))
	if err != nil {
		t.Fatal(err)
	}
	o := b.options(p)
	o.Audit = false
	paused, reloads := false, 0
	code, _, err := Run(context.Background(), o, Program{
		Args: []string{b.program, "4"}, Library: b.library, Dir: filepath.Join(t.TempDir(), "trace"), Host: "node", Out: io.Discard, Err: os.Stderr,
		Signalled: func(*Session) { reloads++ },
		Started: func(s *Session) func() {
			done := make(chan struct{})
			go func() {
				defer close(done)
				paused = golden.Comes(func() bool { return s.half(processAt(0)+processPaused).Load() != 0 })
				_ = syscall.Kill(int(s.half(processAt(0)+processPID).Load()), syscall.SIGUSR1)
			}()
			return func() { <-done }
		},
	})
	if code != 0 || err != nil || !paused || reloads != 1 {
		t.Errorf("ended with %d, %v; it paused: %v, and its configuration was read again %d times", code, err, paused, reloads)
	}
}

// After the timeout all windows end.
func TestWindowTimeout(t *testing.T) {
	need.Slow(t)
	b := newTestBed(t, "")
	t.Parallel()
	p, err := trace.Compile(b.catalog, &trace.Config{Default: trace.RegionLayer{
		Timeout: trace.Number{Value: 1, Set: true},
		End:     &trace.WindowEnd{Modes: map[string]trace.Mode{"User": trace.Off, "OpenMP": trace.Off}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	o := b.options(p)
	o.Audit = false
	dir, _ := b.run(o, "30", "50")
	if got := count(b.read(dir))["region_begin"]; got == 0 || got >= 2*30 {
		t.Errorf("the program's own regions began %d times; want some, and none after a second", got)
	}
}
