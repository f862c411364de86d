package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/runs"
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
	end  func() // closes stop
	over sync.WaitGroup
}

func newScreen(a *app, title string) *screen {
	stop := make(chan struct{})
	end := sync.OnceFunc(func() { close(stop) })
	return &screen{title: title, in: a.in, out: visible.Below(a.out), err: visible.Below(a.err), stop: stop, end: end}
}

// follow begins to show a pipeline. Where it reads standard input itself, the keys
// are left to it.
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

// wholeTerminal is the terminal for a view that has all of it: one to draw on and to read keys from.
func (a *app) wholeTerminal() (out, in *os.File, ok bool) {
	out, ok = terminal(a.out)
	if !ok || !canDraw(out) {
		return nil, nil, false
	}
	in, ok = a.in.(*os.File)
	return out, in, ok && term.IsTerminal(int(in.Fd()))
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

// close takes everything off the screen, once.
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
