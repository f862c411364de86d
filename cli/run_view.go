package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/traced"
	"github.com/pentode-dev/pentode/workspace"
)

// runView shows a run on a screen, and ends the run when this program gets a signal.
type runView struct {
	app     *app
	screen  *screen
	stats   string          // --stats
	ctx     context.Context // cancelled by the first signal
	stop    context.CancelCauseFunc
	signals chan os.Signal
	abort   chan struct{} // closed by the second
}

func newRunView(a *app, title, stats string) *runView {
	v := &runView{app: a, screen: newScreen(a, title), stats: stats, signals: make(chan os.Signal, 2), abort: make(chan struct{})}
	v.ctx, v.stop = context.WithCancelCause(context.Background())
	return v
}

// options returns the options of a run that this view shows.
func (v *runView) options(w *workspace.Workspace) runs.Options {
	out := v.screen.stdout()
	if v.stats == "json" { // standard output is reserved for the figures
		out = v.screen
	}
	return runs.Options{
		Workspace: w, Host: v.app.host(), In: v.app.in, Out: out, Log: v.screen, Recent: v.screen.log.Lines, Events: v.event, Abort: v.abort,
		Plan: runs.PlanOptions{Colour: v.app.colours(v.app.out), Sites: v.stats != ""}, Program: v.app.program(), Version: Version,
	}
}

// close stops everything that the view has started.
func (v *runView) close() {
	v.screen.close()
	signal.Stop(v.signals)
	v.stop(nil)
}

// event shows an event of the run.
func (v *runView) event(e runs.Event) {
	switch e := e.(type) {
	case runs.Found:
		v.found(e.Findings)
	case runs.Starting:
		v.listen()
	case runs.Began:
		if !e.Led {
			v.screen.follow(e.Run, !e.Reads)
		}
	case runs.PlanBegan:
		v.screen.watchPlan(e.Supervisor, e.Sites)
	case runs.Said:
		v.screen.say(e.String())
	case runs.Happened:
		v.screen.say(e.Text)
	case runs.Warning:
		v.screen.say("warning: " + e.Text)
	case runs.Unsteered:
		if e.Sites {
			v.screen.say("warning: the pipeline cannot be controlled from outside: " + sentence(e.Err))
		} else {
			v.screen.say("warning: the run cannot be controlled from outside: " + sentence(e.Err) + "; `control = false` in `[run]` of pentode.toml turns that off")
		}
	case runs.Stopping:
		v.screen.say("stopping: data under way are still processed; interrupt again to end at once")
	case runs.PlanEnded:
		v.planEnded(e)
	}
}

func (v *runView) found(list diag.List) {
	_ = render.Terminal(v.screen, list, v.app.colours(v.app.err)) // a failed write to standard error cannot be reported
}

// listen makes the first signal stop the run in order, and the second one stop it at once.
func (v *runView) listen() {
	signal.Notify(v.signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup lets a run outlive its terminal
		signal.Notify(v.signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case <-v.ctx.Done():
			return
		case s := <-v.signals:
			v.stop(exitBy(s))
		}
		<-v.signals
		close(v.abort)
	}()
}

// notRun explains why a run was not started, and returns the error of the verb.
func (a *app) notRun(err error) error {
	var refused *runs.Refusal
	var misfit *runs.Misfit
	var compiler traced.NoCompiler
	var unbuilt *agent.Unbuilt
	switch {
	case errors.As(err, &refused):
		a.say(refused.Findings)
		return exitCode(exitNo)
	case errors.As(err, &compiler):
		return a.no(errors.New(strings.Replace(mends["Trace.Compiler"], "{}", compiler.Error(), 1)))
	case errors.As(err, &unbuilt):
		return a.no(err)
	case errors.As(err, &misfit):
		return errors.New(strings.Replace(mends[misfit.Option], "{}", misfit.What, 1))
	}
	return err
}

// mends maps options with wrong values to messages that name the flag or setting to change.
var mends = map[string]string{
	"Results":           "{}; wait until it is over, or give another folder with --output",
	"Pipeline.NATS":     "{}: give --nats URL, or run all sites here with --sites local",
	"Pipeline.Trace":    "--policy chooses the events of a trace, but nothing is traced; give the file of the trace with --trace",
	"Plan.Reach":        "{}: set `reach` in `[run]` of pentode.toml to the host name by which other machines reach it",
	"Pipeline.ErrorsTo": "{}: leave --sites out, or `errors-to` of `[run]` in pentode.toml",
	"Plan.Sites":        "--stats and --sites are for plans that start sites of a pipeline, and this plan starts none: add them to the arguments of its processes",
	"Trace.Out":         "{}; name another folder with --output",
	"Trace.Compiler":    "{}; install it, or set `compiler` in `[trace]` of pentode.toml to another one",
}

// planEnded prints how the programs of a plan ended.
func (v *runView) planEnded(e runs.PlanEnded) {
	v.screen.close()
	if e.Sites != nil {
		fmt.Fprintf(v.app.err, "error: %s\n", sentence(e.Sites))
	}
	if e.Stats != nil {
		if err := v.app.figures(e.Stats, v.stats); err != nil {
			fmt.Fprintf(v.app.err, "error: %v\n", err)
		}
	}
	fmt.Fprintln(v.app.err)
	_ = e.Result.WriteTable(v.app.err, widthOf(v.app.err)) // if the terminal is gone, the table is not needed
	fmt.Fprintf(v.app.err, "run %s, logs in %s\n", e.Result.Run, e.Logs)
}

// progressEvery is the time between two progress lines of a run that is not shown on a
// terminal.
const progressEvery = 5 * time.Second

// screen shows a run on standard error: a live view on a terminal, else a line
// now and then. Many goroutines write to it.
type screen struct {
	title string
	in    io.Reader
	out   io.Writer // gets the output of programs unchanged
	err   io.Writer

	mu   sync.Mutex
	view *live.View
	log  live.Log // the output lines, for the view
	stop chan struct{}
	end  func() // closes stop
	over sync.WaitGroup
}

func newScreen(a *app, title string) *screen {
	stop := make(chan struct{})
	end := sync.OnceFunc(func() { close(stop) })
	return &screen{title: title, in: a.in, out: visible.Below(a.out), err: visible.Below(a.err), stop: stop, end: end}
}

// follow starts to show a pipeline. If keys is false, the pipeline reads standard input itself,
// and the view reads no keys.
func (s *screen) follow(run runs.Pausable, keys bool) {
	source := &live.Source{
		Title: s.title, Look: live.Pipeline(run.Stats), Log: s.log.Lines,
		Stop: func() error { run.Stop(); return nil },
		Pause: func(on bool) error {
			if on {
				return run.Pause()
			}
			return run.Resume()
		},
	}
	if s.show(source, keys) {
		return
	}
	s.over.Go(func() {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		var follower figures.Follower
		for {
			select {
			case <-s.stop:
				return
			case <-ticker.C:
				latest := follower.Add(run.Stats())
				s.say(live.Line(&latest))
			}
		}
	})
}

// show starts the live view if there is a terminal for it.
func (s *screen) show(source *live.Source, keys bool) bool {
	f, ok := terminal(s.err)
	if !ok || !canDraw(f) {
		return false
	}
	var input *os.File
	if in, ok := s.in.(*os.File); ok && keys && term.IsTerminal(int(in.Fd())) {
		input = in
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = live.Start(f, input, source)
	return true
}

// wholeTerminal returns the terminal for a full-screen view, which draws on it and reads keys from it.
func (a *app) wholeTerminal() (out, in *os.File, ok bool) {
	out, ok = terminal(a.out)
	if !ok || !canDraw(out) {
		return nil, nil, false
	}
	in, ok = a.in.(*os.File)
	return out, in, ok && term.IsTerminal(int(in.Fd()))
}

// canDraw reports whether a terminal can show a live view: some have no size, some
// only print.
func canDraw(f *os.File) bool {
	if os.Getenv("TERM") == "dumb" {
		return false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return err == nil && width >= 20 && height >= 4
}

// say writes a message line.
func (s *screen) say(line string) { fmt.Fprintln(s, visible.Text(line)) }

// Write writes to standard error, above the live view if there is one.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Write(p)
	if s.view != nil {
		return s.view.Write(p)
	}
	return s.err.Write(p)
}

// stdout returns the writer for the output of the pipeline: standard output, but above the live
// view when both share a terminal.
func (s *screen) stdout() io.Writer {
	_, outIs := terminal(s.out)
	_, errIs := terminal(s.err)
	if outIs && errIs {
		return s
	}
	return s.out
}

// close removes the live view from the screen, once.
func (s *screen) close() {
	s.end()
	s.over.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.view != nil {
		s.view.Close()
		s.view = nil
	}
}

// lookEvery is the time between two looks at the programs of a plan.
const lookEvery = 200 * time.Millisecond

// watchPlan starts to show the programs of a plan if there is a terminal. The
// view never waits for the supervisor, because the supervisor may wait for the view to take a line. If
// the plan starts sites of a pipeline, the view also shows the pipeline.
func (s *screen) watchPlan(plan *launch.Supervisor, sites func() flow.Stats) {
	pipeline := func() live.Picture { return live.Picture{} }
	if sites != nil {
		pipeline = live.Pipeline(sites)
	}
	var nodes atomic.Pointer[[]launch.Status]
	look := func() {
		now := plan.Status()
		nodes.Store(&now)
	}
	look()
	var programs live.Plan
	shown := s.show(&live.Source{
		Title: s.title, Log: s.log.Lines, Brief: true,
		Look: func() live.Picture {
			p := programs.Picture("running", *nodes.Load(), time.Now())
			p.Sections = append(p.Sections, pipeline().Sections...)
			return p
		},
		Stop: func() error { plan.Stop(0); return nil },
		Pause: func(on bool) error {
			if on {
				return plan.Pause("")
			}
			return plan.Continue("")
		},
		Restart: plan.Restart,
	}, true)
	if !shown {
		return
	}
	s.over.Go(func() {
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		for {
			select {
			case <-s.stop:
				return
			case <-ticker.C:
				look()
			}
		}
	})
}

// rerun runs a pipeline in a separate process, and again after every
// change of a file that belongs to it. A run that has not ended is stopped
// in order first.
func (a *app) rerun(paths []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program cannot be started again: %w", err)
	}
	args := slices.DeleteFunc(slices.Clone(a.args), func(arg string) bool { return arg == "--watch" || arg == "--watch=true" })
	interrupted := ends()
	defer signal.Stop(interrupted)
	for {
		if err := a.begin(paths); err != nil {
			return err
		}
		w, err := a.workspace()
		if err != nil {
			return err
		}
		_, _ = a.check(w, paths) // only to find the files to watch; the run itself reports problems
		cmd := exec.Command(self)
		cmd.Args = append([]string{os.Args[0]}, args...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("this program cannot be started again: %w", err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait() // it has reported its own problems
			a.sayWatching()
		}()
		path, code := a.watch.await(interrupted)
		if path == "" {
			// Ctrl-C reaches both processes, and a second interrupt would end the run at once. A signal
			// from elsewhere has reached only this process.
			select {
			case <-ended:
			case <-time.After(time.Second):
				_ = cmd.Process.Signal(os.Interrupt) // it may just have ended
				<-ended
			}
			return code
		}
		fmt.Fprintf(a.err, "`%s` has changed\n", path)
		_ = cmd.Process.Signal(os.Interrupt) // likewise
		<-ended
	}
}
