package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/traced"
	"github.com/pentode-dev/pentode/workspace"
)

// runView shows a run on a screen, and lets the signals of this program end it.
type runView struct {
	app     *app
	screen  *screen
	stats   string          // --stats
	ctx     context.Context // ends with the first signal
	stop    context.CancelFunc
	signals chan os.Signal
	abort   chan struct{} // closed by the second
}

func newRunView(a *app, title, stats string) *runView {
	v := &runView{app: a, screen: newScreen(a, title), stats: stats, signals: make(chan os.Signal, 2), abort: make(chan struct{})}
	v.ctx, v.stop = context.WithCancel(context.Background())
	return v
}

// options are those of a run that is shown here.
func (v *runView) options(w *workspace.Workspace) runs.Options {
	return runs.Options{
		Workspace: w, Host: v.app.host(), In: v.app.in, Out: v.screen.stdout(), Log: v.screen, Recent: v.screen.log.Lines, Events: v.event, Abort: v.abort,
		Plan: runs.PlanOptions{Colour: colour(v.app.out), Sites: v.stats != ""}, Program: v.app.program(), Version: Version,
	}
}

// close ends what the view has begun.
func (v *runView) close() {
	v.screen.close()
	signal.Stop(v.signals)
	v.stop()
}

// event shows what happens.
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
			v.screen.say("warning: the pipeline cannot be steered from outside: " + e.Err.Error())
		} else {
			v.screen.say("warning: the run cannot be steered from outside: " + e.Err.Error() + "; --no-control leaves that out")
		}
	case runs.Stopping:
		v.screen.say("stopping: what is under way is finished; interrupt again to end at once")
	case runs.PlanEnded:
		v.planEnded(e)
	}
}

func (v *runView) found(list diag.List) {
	_ = render.Terminal(v.screen, list, colour(v.app.err)) // nowhere is left to complain
}

// listen lets the first signal stop the run in good order, and the second at once.
func (v *runView) listen() {
	signal.Notify(v.signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup lets a run outlive its terminal
		signal.Notify(v.signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case <-v.ctx.Done():
			return
		case <-v.signals:
			v.stop()
		}
		<-v.signals
		close(v.abort)
	}()
}

// notRun says why a run was not started, and returns how the verb ends.
func (a *app) notRun(err error) error {
	var refused *runs.Refusal
	var misfit *runs.Misfit
	var compiler traced.NoCompiler
	switch {
	case errors.As(err, &refused):
		a.say(refused.Findings)
		return exitCode(exitNo)
	case errors.As(err, &compiler):
		return fmt.Errorf("%s", strings.Replace(mends["Trace.Compiler"], "{}", compiler.Error(), 1))
	case errors.As(err, &misfit):
		return fmt.Errorf("%s", strings.Replace(mends[misfit.Option], "{}", misfit.What, 1))
	}
	return err
}

// mends are the errors of options that do not fit, with the flag that mends each.
var mends = map[string]string{
	"Results":        "{}; wait until it is over, or give another folder with --out",
	"Pipeline.NATS":  "{}: give --nats URL, or run all sites here with --sites local",
	"Pipeline.Trace": "--policy says what of a trace is written, but nothing is traced; give the trace's file with --trace",
	"Plan.Reach":     "{}: give the one that other machines reach it by, with --reach",
	"Plan.Sites":     "--stats and --sites are for plans that start sites of a pipeline, and this one starts none: write them into the arguments of its processes",
	"Trace.Out":      "{}; name another folder with --out",
	"Trace.Compiler": "{}; install it, or name another with --cc",
}

// planEnded prints what became of the programs of a plan.
func (v *runView) planEnded(e runs.PlanEnded) {
	v.screen.close()
	if e.Sites != nil {
		fmt.Fprintf(v.app.err, "error: %v\n", e.Sites)
	}
	if e.Stats != nil {
		if err := v.app.figures(e.Stats, v.stats); err != nil {
			fmt.Fprintf(v.app.err, "error: %v\n", err)
		}
	}
	fmt.Fprintln(v.app.err)
	_ = e.Result.WriteTable(v.app.err) // a terminal that is gone needs no table
	fmt.Fprintf(v.app.err, "run %s, logs in %s\n", e.Result.Run, e.Logs)
}
