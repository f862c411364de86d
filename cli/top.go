package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

func (a *app) topVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "top [RUN]",
		Short: "Watch and steer a run in the terminal",
		Long: "Shows a run that goes on: its programs or processes, what holds the others up first, what they write, and\n" +
			"what their edges hold. Keys steer it; ? lists them. RUN is the newest, unless it is named. Without a\n" +
			"terminal it prints one picture and ends.",
		Example: examples("pentode top", "pentode top heat-1"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			base, err := control.StateDir(os.Getenv)
			if err != nil {
				return err
			}
			d, err := state.Open(base, append(args, "")[0])
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			source := topSource(ctx, d)
			out, isTerminal := terminal(a.out)
			in, ok := a.in.(*os.File)
			if !isTerminal || !canDraw(out) || !ok || !term.IsTerminal(int(in.Fd())) {
				return a.topOnce(source)
			}
			return live.Show(ctx, out, in, source)
		},
	}
}

// topOnce prints one picture.
func (a *app) topOnce(source *live.Source) error {
	picture := source.Look()
	fmt.Fprintf(a.out, "%s  %s\n", source.Title, picture.Summary)
	for _, s := range picture.Sections {
		live.Columns(a.out, s.Cells(), "   ")
	}
	return nil
}

// topSource is a run of the state folder. A pipeline is known by its figures.
func topSource(ctx context.Context, d *state.Dir) *live.Source {
	s := &live.Source{Title: d.Run.ID, Log: func() []string { return lastLines(d) }}
	var stats flow.Stats
	if control.Call(ctx, d.Socket(), "stats", nil, &stats) == nil {
		return topPipeline(ctx, d, s, stats)
	}
	s.Title += "  " + filepath.Base(d.Run.Directory)
	s.Look = func() live.Picture {
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		phase, nodes, err := launch.Observe(short, d)
		if err != nil {
			return live.Picture{Summary: err.Error()}
		}
		return live.PlanPicture(phase, nodes, time.Now())
	}
	s.Stop = func() error { return launch.Ask(ctx, d, launch.MethodStop, launch.Request{}, nil) }
	s.Restart = func(name string) error {
		return launch.Ask(ctx, d, launch.MethodRestart, launch.Request{Node: name}, nil)
	}
	paused := false
	s.Pause = func() error {
		signal := map[bool]string{false: "STOP", true: "CONT"}[paused]
		err := launch.Ask(ctx, d, launch.MethodSignal, launch.Request{Signal: signal}, nil)
		paused = paused != (err == nil)
		return err
	}
	return s
}

// topPipeline steers a pipeline through its socket.
func topPipeline(ctx context.Context, d *state.Dir, s *live.Source, last flow.Stats) *live.Source {
	var mu sync.Mutex
	s.Look = live.Pipeline(func() flow.Stats {
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		var now flow.Stats
		err := control.Call(short, d.Socket(), "stats", nil, &now)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			last = now
		}
		return last
	})
	s.Stop = func() error { return control.Call(ctx, d.Socket(), "stop", nil, nil) }
	s.Pause = func() error {
		if err := control.Call(ctx, d.Socket(), "pause", nil, nil); err == nil {
			return nil
		}
		return control.Call(ctx, d.Socket(), "resume", nil, nil)
	}
	return s
}

// lastBytes is how much of a log the view reads.
const lastBytes = 64 << 10

// lastLines are the newest lines of all programs.
func lastLines(d *state.Dir) []string {
	f, err := os.Open(d.LogFile("", ""))
	if err != nil {
		return nil // nothing was written yet
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > lastBytes {
		_, _ = f.Seek(-lastBytes, 2) // the whole file is as good
	}
	var log live.Log
	_, _ = f.WriteTo(&log) // what could be read is shown
	return log.Lines()
}
