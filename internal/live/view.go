// Package live shows what a run does: a picture on a terminal during the run, and a table of figures when it has ended.
//
// A view reads a Source a few times a second and never touches the data, so it hardly slows
// down the run. There are two kinds of pictures, of a pipeline and of a launch plan, and two
// kinds of views: below the output of the run, and on the whole terminal. Keys are read if
// the run itself does not read from the terminal; otherwise the terminal is not changed, and
// Ctrl-C remains a signal.
//
//	figures.Figures, launch.Status ──▶ Picture ──frame──▶ terminal
//	log, stdout ──Write──▶ lines above it      keys ──press──▶ Source
package live

import (
	"bytes"
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A View is the picture on a terminal. The first picture comes only after a moment, so a short run has none: until then, text goes directly to the
// terminal.
type View struct {
	terminal *os.File
	input    *os.File // nil: keys are not read
	model    *model
	delay    *time.Timer
	drawn    atomic.Bool // the first picture is on the terminal

	mu      sync.Mutex
	program *tea.Program // nil before the picture
	ended   chan struct{}
	closed  bool
	text    []byte // an incomplete line, or lines that wait for the first picture
}

const (
	after = 300 * time.Millisecond // time before the first picture
	every = 200 * time.Millisecond // time between two pictures
)

// Start shows a run on a terminal until Close. Keys are read from input, unless it
// is nil.
func Start(terminal, input *os.File, source *Source) *View {
	v := &View{terminal: terminal, input: input, model: &model{source: source, keys: input != nil, stop: interrupt}, ended: make(chan struct{})}
	v.model.flush = v.flush
	v.delay = time.AfterFunc(after, v.show)
	return v
}

// show starts to draw.
func (v *View) show() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return
	}
	v.program = tea.NewProgram(v.model, tea.WithOutput(&watched{v.terminal, v}), keysFrom(v.input), tea.WithoutSignalHandler(), tea.WithEnvironment(environment()))
	go func() {
		defer close(v.ended)
		v.program.Run() // if it fails, the run continues without a picture
	}()
}

// keysFrom sets the input from which the library reads keys.
func keysFrom(input *os.File) tea.ProgramOption {
	if input == nil {
		return tea.WithInput(nil)
	}
	return tea.WithInput(input)
}

// Show shows a run on the whole terminal until the user leaves or ctx ends.
func Show(ctx context.Context, terminal, input *os.File, source *Source) error {
	m := &model{source: source, keys: true, whole: true, flush: func() {}}
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithOutput(terminal), keysFrom(input), tea.WithoutSignalHandler(), tea.WithEnvironment(environment()))
	m.stop = p.Quit
	_, err := p.Run()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// A watched terminal notes when the first picture has been drawn. Before that, the library writes lines to the wrong place.
type watched struct {
	*os.File
	view *View
}

func (w *watched) Write(p []byte) (int, error) {
	ready := w.view.model.ready.Load()
	n, err := w.File.Write(p)
	if ready {
		w.view.drawn.Store(true)
	}
	return n, err
}

// environment keeps the library from sending queries to the terminal, because the answers would arrive on standard input, which the view does not
// read.
func environment() []string {
	env := []string{"TERM=xterm-256color", "SSH_TTY=none"}
	for _, name := range []string{"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Write writes whole lines above the picture.
func (v *View) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text = append(v.text, p...)
	return len(p), v.print(bytes.LastIndexByte(v.text, '\n') + 1)
}

// flush prints the lines that have waited for the first picture.
func (v *View) flush() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.print(bytes.LastIndexByte(v.text, '\n') + 1)
}

// print writes the first n bytes of the text, which are whole lines. While the first picture is drawn, they must wait.
func (v *View) print(n int) (err error) {
	switch {
	case n == 0:
		return nil
	case !v.drawing():
		_, err = v.terminal.Write(v.text[:n])
	case v.drawn.Load():
		v.program.Send(tea.Println(string(bytes.TrimSuffix(v.text[:n], []byte("\n"))))())
	default:
		return nil
	}
	v.text = append(v.text[:0], v.text[n:]...)
	return err
}

func (v *View) drawing() bool {
	if v.program == nil {
		return false
	}
	select {
	case <-v.ended:
		return false
	default:
		return true
	}
}

// Close leaves a last picture with the figures of the whole run, and releases the terminal.
func (v *View) Close() {
	v.delay.Stop()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	v.print(len(v.text))
	if v.program != nil {
		v.program.Send(finished{})
		<-v.ended
		v.print(len(v.text)) // the lines are still waiting if there was no picture
	}
}
