package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/run/flow/remote"
)

// progressEvery is the time between two lines about a run where there is no
// terminal to show it on.
const progressEvery = 5 * time.Second

// A screen shows a run on standard error: a live view on a terminal, a line
// now and then elsewhere. It is written to by many goroutines.
type screen struct {
	title string
	in    io.Reader
	out   io.Writer // what programs write is sent there as it is
	err   io.Writer

	mu   sync.Mutex
	view *live.View
	log  live.Log // what was written, for the view
	stop chan struct{}
	over sync.WaitGroup
}

func newScreen(a *app, title string) *screen {
	return &screen{title: title, in: a.in, out: visible.Below(a.out), err: visible.Below(a.err), stop: make(chan struct{})}
}

// watch begins to show a pipeline. Where it reads standard input itself, the keys
// are left to it.
func (s *screen) watch(run *flow.Run) { s.follow(run, run.Stats, !run.ReadsStdin()) }

// watchSites begins to show a pipeline on several sites.
func (s *screen) watchSites(c *remote.Coordinator) { s.follow(c, c.Stats, false) }

// pausable is a run that can be steered by keys.
type pausable interface {
	Stop()
	Pause() error
	Resume() error
}

func (s *screen) follow(run pausable, stats func() flow.Stats, keys bool) {
	source := &live.Source{
		Title: s.title, Look: live.Pipeline(stats), Log: s.log.Lines,
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
				latest := follower.Add(stats())
				s.say(live.Line(&latest))
			}
		}
	})
}

// show begins the live view where there is a terminal for it.
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

// canDraw reports whether a terminal can show a picture: some have no size, some
// only print.
func canDraw(f *os.File) bool {
	if os.Getenv("TERM") == "dumb" {
		return false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return err == nil && width >= 20 && height >= 4
}

// say writes a line for people.
func (s *screen) say(line string) { fmt.Fprintln(s, visible.Text(line)) }

// Write writes to standard error, above the live view where there is one.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Write(p)
	if s.view != nil {
		return s.view.Write(p)
	}
	return s.err.Write(p)
}

// stdout is where the pipeline writes: standard output, but above the live
// view when both share a terminal.
func (s *screen) stdout() io.Writer {
	_, outIs := terminal(s.out)
	_, errIs := terminal(s.err)
	if outIs && errIs {
		return s
	}
	return s.out
}

// close takes everything off the screen.
func (s *screen) close() {
	close(s.stop)
	s.over.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.view != nil {
		s.view.Close()
		s.view = nil
	}
}

// runLog writes what processes say, a line each with the name in front.
type runLog struct {
	to      io.Writer
	running *atomic.Bool
	process string
	note    func(line string) // is told each line too; nil: nothing is
}

func newRunLog(to io.Writer) *runLog { return &runLog{to: to, running: &atomic.Bool{}} }

func (l *runLog) logger() *slog.Logger { return slog.New(l) }

// begin lets the engine's own words through as soon as the run is ready to begin.
// Those before are about the pipeline's text, and have been shown with their places.
func (l *runLog) begin(opt flow.Options) flow.Options {
	ready := opt.Ready
	opt.Ready = func(ctx context.Context) error {
		l.running.Store(true)
		if ready == nil {
			return nil
		}
		return ready(ctx)
	}
	return opt
}

func (l *runLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (l *runLog) Handle(_ context.Context, r slog.Record) error {
	if l.process == "" && !l.running.Load() {
		return nil
	}
	var b strings.Builder
	switch {
	case r.Level >= slog.LevelError:
		b.WriteString("error: ")
	case r.Level >= slog.LevelWarn:
		b.WriteString("warning: ")
	}
	if l.process != "" {
		b.WriteString(l.process + ": ")
	}
	b.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "stream" { // of a child: all it says is for people
			fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		}
		return true
	})
	if l.note != nil {
		l.note(b.String())
	}
	b.WriteByte('\n')
	_, err := io.WriteString(l.to, visible.Text(b.String()))
	return err
}

func (l *runLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *l
	for _, a := range attrs {
		if a.Key == "process" {
			out.process = a.Value.String()
		}
	}
	return &out
}

func (l *runLog) WithGroup(string) slog.Handler { return l }
