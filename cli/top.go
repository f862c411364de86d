package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/registry"
	"github.com/pentode-dev/pentode/runs/traced"
)

func (a *app) topVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "top [RUN]",
		Short: "Watch and control a run in the terminal",
		Long: "Shows a live run: its programs with their processor time, memory and command lines, or the processes of a pipeline,\n" +
			"bottlenecks first; their output, and the fill of their edges; for a traced program its monitored regions.\n" +
			"Keys choose, scroll and control; ? lists them. A narrow terminal shows fewer columns.\n" +
			"RUN defaults to the newest run; a number is the process id of `pentode trace record`. Without a terminal it\n" +
			"prints one picture and ends.",
		Example: examples("pentode top heat-1", "pentode top 4711"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			known, err := registry.Here()
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			source, err := topRun(ctx, known, args)
			if err != nil {
				return err
			}
			if out, in, ok := a.wholeTerminal(); ok {
				return interrupted(ctx, live.Show(ctx, out, in, source))
			}
			return a.topOnce(source)
		},
	}
}

// topOnce prints one picture.
func (a *app) topOnce(source *live.Source) error {
	picture := source.Look()
	fmt.Fprintf(a.out, "%s  %s\n", source.Title, picture.Summary)
	for _, s := range picture.Sections {
		_ = s.Write(a.out, a.room()) // a.out remembers a failed write
	}
	return nil
}

// topRun returns the named run, else the newest: a run of the state folder, or a program that
// is traced outside a run.
func topRun(ctx context.Context, known registry.Registry, args []string) (*live.Source, error) {
	pid, named, err := tracingProcess(args)
	if err != nil {
		return nil, err
	}
	var d *state.Dir
	switch {
	case pid != 0:
		return topTraced(ctx, pid)
	case len(named) == 1:
		d, err = known.Open(named[0])
	default:
		d, err = known.Newest(func(r state.Run) bool { return r.Launch == "" }) // a plan shows the pipelines inside it
		for _, t := range slices.Backward(traced.All(ctx)) {
			if t.Launch == "" && (err != nil || d.Finished() || t.Started.After(d.Run.Started)) {
				return topTraced(ctx, t.PID)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return topSource(ctx, known, d), nil
}

// topSource returns the live view of a run of the state folder: a pipeline, or a plan with the
// pipelines that its programs run.
func topSource(ctx context.Context, known registry.Registry, d *state.Dir) *live.Source {
	steered := registry.Client{Dir: d}
	s := &live.Source{Title: d.Run.ID, Stop: func() error { return steered.Stop(ctx, false) }, Pause: func(on bool) error { return steered.Pause(ctx, on) }}
	if registry.IsPipeline(d.Run) {
		return topPipeline(ctx, d, s)
	}
	s.Title += "  " + filepath.Base(d.Run.Directory)
	s.Log = func() []string {
		lines := lastLines(d.LogFile("", ""))
		for i, line := range lines {
			lines[i] = string(state.Unstamped([]byte(line)))
		}
		return lines
	}
	s.LogOf = func(name string) []string { return logOf(d, name) }
	var programs live.Plan
	inside := &planPipelines{ctx: ctx, known: known, launch: d.Run.ID, looks: map[string]func() live.Picture{}}
	s.Look = func() live.Picture {
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		phase, nodes, err := launch.Observe(short, d)
		if err != nil {
			return live.Picture{Summary: err.Error()}
		}
		p := programs.Picture(phase, nodes, time.Now())
		p.Sections = append(p.Sections, inside.sections()...)
		return p
	}
	s.Restart = func(name string) error {
		return steered.Ask(ctx, launch.MethodRestart, launch.Request{Node: name})
	}
	return s
}

// topPipeline returns the live view of a pipeline, which it controls through a socket.
func topPipeline(ctx context.Context, d *state.Dir, s *live.Source) *live.Source {
	s.Title = filepath.Base(d.Run.Pipeline)
	look, pid := figuresOf(ctx, d), d.Run.Supervisor.Pid
	command := commandLine(pid)
	var usage live.Usage
	s.Look = func() live.Picture {
		p := look()
		if used, ok := state.ReadUsage(pid); ok && !p.Over {
			p.Sections = append(p.Sections, usage.Program(pid, used.CPU, used.MemoryKB, command, d.Run.Started, time.Now()))
		}
		return p
	}
	s.Log = func() []string {
		short, cancel := context.WithTimeout(ctx, answerLimit)
		defer cancel()
		var lines []string
		_ = registry.Client{Dir: d}.Call(short, steer.MethodLog, nil, &lines) // an ended run has no socket any more
		return lines
	}
	return s
}

// figuresOf follows a pipeline through its socket, to its end. If its program is
// gone, the last figures stay.
func figuresOf(ctx context.Context, d *state.Dir) func() live.Picture {
	var mu sync.Mutex
	last := flow.Stats{State: flow.Running} // until the first answer
	gone := false
	first := make(chan struct{})
	heard := sync.OnceFunc(func() { close(first) })
	go func() {
		defer heard()
		_ = registry.Follow(ctx, registry.Client{Dir: d}, steer.MethodWatch, nil, func(now flow.Stats) error {
			mu.Lock()
			last = now
			mu.Unlock()
			heard()
			return nil
		})
		mu.Lock()
		gone = !last.State.Ended()
		mu.Unlock()
	}()
	look := live.Pipeline(func() flow.Stats { return last })
	return func() live.Picture {
		select {
		case <-first:
		case <-time.After(time.Second): // no answer: a signal has stopped the program
		}
		mu.Lock()
		defer mu.Unlock()
		p := look()
		if gone {
			p.Over, p.Summary = true, "its program is gone; the last state was: "+p.Summary
		}
		return p
	}
}

// planPipelines holds the pipelines that programs of a plan carry out, and the regions of the plan's traced
// programs.
type planPipelines struct {
	ctx    context.Context
	known  registry.Registry
	launch string
	looks  map[string]func() live.Picture // keyed by run
}

// sections returns the tables of the pipelines and regions, each under the name of its program.
func (p *planPipelines) sections() []live.Section {
	all, _ := p.known.Registered() // unreadable runs are not shown
	var list []live.Section
	for _, d := range all {
		if d.Run.Launch != p.launch || d.Finished() {
			continue
		}
		if p.looks[d.Run.ID] == nil {
			p.looks[d.Run.ID] = figuresOf(p.ctx, d)
		}
		picture := p.looks[d.Run.ID]()
		name := d.Run.Node
		if picture.Paused {
			name += ", paused"
		}
		picture.Sections[0].Head[0] = name + ": process"
		list = append(list, picture.Sections...)
	}
	for _, t := range traced.All(p.ctx) {
		if t.Launch == p.launch && len(t.Regions) > 0 {
			section := monitoredSection(t.Regions)
			section.Head[0] = t.Node + ": region"
			list = append(list, section)
		}
	}
	return list
}

// topTraced returns the live view of a traced program with its regions in the mode MONITORING.
func topTraced(ctx context.Context, pid int) (*live.Source, error) {
	ask := func() (traced.Live, error) {
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		return traced.Status(short, pid)
	}
	last, err := ask()
	if err != nil {
		return nil, err
	}
	return &live.Source{
		Title: fmt.Sprintf("%d  %s", pid, last.Program),
		Look: func() live.Picture {
			now, err := ask()
			if err == nil {
				last = now
			}
			p := live.Picture{Summary: "traced", Over: errors.As(err, new(traced.NotTracing))}
			if p.Over {
				p.Summary = "has ended"
			}
			if len(last.Regions) == 0 {
				p.Summary += ", " + nothingMonitored
				return p
			}
			p.Sections = []live.Section{monitoredSection(last.Regions)}
			return p
		},
	}, nil
}

// commandLine returns the command line of a process on this machine; empty if the system does not provide it.
func commandLine(pid int) string {
	words, _ := state.ReadCommand(pid)
	return launch.QuoteAll(words)
}

// logOf returns the newest lines of a program by time. If the program has been silent while others wrote
// much, it returns the last lines of its standard output, then of its standard error.
func logOf(d *state.Dir, name string) []string {
	ids := d.Run.IDs()
	var lines []string
	if at := slices.Index(ids, name); at >= 0 {
		label := state.Labels(ids)[at]
		for _, line := range lastLines(d.LogFile("", "")) {
			if text, ok := strings.CutPrefix(string(state.Unstamped([]byte(line))), label); ok {
				lines = append(lines, text)
			}
		}
	}
	if len(lines) == 0 {
		lines = append(lastLines(d.LogFile(name, "out")), lastLines(d.LogFile(name, "err"))...)
	}
	return lines
}

// lastBytes is how much of a log the view reads.
const lastBytes = 256 << 10

// lastLines returns the newest lines of a log.
func lastLines(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil // nothing has been written yet
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > lastBytes {
		_, _ = f.Seek(-lastBytes, 2) // on an error the whole file is read
	}
	var log live.Log
	_, _ = f.WriteTo(&log) // shows as much as could be read
	return log.Lines()
}

// tracingProcess reads `[RUN] [FILE]`: it returns the process that traces a program, 0 for the newest, and
// the remaining arguments.
func tracingProcess(args []string) (int, []string, error) {
	if len(args) > 0 && strings.Trim(args[0], "0123456789") == "" {
		pid, err := strconv.Atoi(args[0])
		if err != nil {
			return 0, nil, fmt.Errorf("there is no process `%s`", args[0])
		}
		return pid, args[1:], nil
	}
	if len(args) == 2 {
		return 0, nil, fmt.Errorf("a run is the process id of `pentode trace record`, not `%s`", args[0])
	}
	return 0, args, nil
}
