// Package live shows what a run does: a picture on a terminal while it goes on, a
// table of figures when it has ended.
//
// A view looks at a Source, a few times a second, and never touches the data, so it
// costs the run nothing but those looks. There are two kinds of pictures, of a
// pipeline and of a launch plan, and two kinds of views: one below the lines that the
// run writes, and one that has the whole terminal. Keys are read where the terminal is
// not needed by the run itself; else the terminal stays as it is, and Ctrl-C stays a
// signal.
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

// A View is the picture on a terminal. A run that is over in a moment needs
// none: until then, text goes straight to the terminal.
type View struct {
	terminal *os.File
	input    *os.File // nil: no keys are read
	model    *model
	delay    *time.Timer
	drawn    atomic.Bool // the first picture is on the terminal

	mu      sync.Mutex
	program *tea.Program // nil before the picture
	ended   chan struct{}
	closed  bool
	text    []byte // a line that has not ended, or lines that wait for the first picture
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

// show begins to draw.
func (v *View) show() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return
	}
	v.program = tea.NewProgram(v.model, tea.WithOutput(&watched{v.terminal, v}), keysFrom(v.input), tea.WithoutSignalHandler(), tea.WithEnvironment(environment()))
	go func() {
		defer close(v.ended)
		v.program.Run() // without a picture the run goes on all the same
	}()
}

// keysFrom is where the library reads keys.
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

// A watched terminal notes when the first picture is on it. The library puts
// lines in the wrong place before that.
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

// environment keeps the library from asking the terminal questions: the
// answers would arrive on standard input, which the view does not read.
func environment() []string {
	env := []string{"TERM=xterm-256color", "SSH_TTY=none"}
	for _, name := range []string{"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Write puts whole lines above the picture.
func (v *View) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text = append(v.text, p...)
	return len(p), v.print(bytes.LastIndexByte(v.text, '\n') + 1)
}

// flush prints the lines that waited for the first picture.
func (v *View) flush() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.print(bytes.LastIndexByte(v.text, '\n') + 1)
}

// print writes the first n bytes of the text; they are whole lines. While the
// first picture is drawn they have to wait.
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

// Close leaves a last picture, with the figures of the whole run, and gives the
// terminal back.
func (v *View) Close() {
	v.delay.Stop()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	v.print(len(v.text))
	if v.program != nil {
		v.program.Send(finished{})
		<-v.ended
		v.print(len(v.text)) // if there never was a picture
	}
}
