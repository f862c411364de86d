// Package live shows what a pipeline does: a picture on a terminal while it
// runs, a table of figures when it has ended.
//
// The view reads snapshots of the engine and never touches the data, so it costs
// the run nothing but those snapshots. It takes no input: the terminal stays as
// it is, Ctrl-C stays a signal, and the pipeline may read standard input. Text that is
// written through the view appears above the picture.
//
//	flow.Run ──Stats──▶ frame ──▶ terminal
//	log, stdout ──Write──▶ lines above it
package live

import (
	"bytes"
	"os"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pentode-dev/pentode/run/flow"
)

// A View is the picture on a terminal. A run that is over in a moment needs
// none: until then, text goes straight to the terminal.
type View struct {
	terminal *os.File
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

// Start shows a run on a terminal until Close.
func Start(terminal *os.File, title string, snapshot func() flow.Stats) *View {
	v := &View{terminal: terminal, model: &model{title: title, snapshot: snapshot}, ended: make(chan struct{})}
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
	v.program = tea.NewProgram(v.model, tea.WithOutput(&watched{v.terminal, v}), tea.WithInput(nil), tea.WithoutSignalHandler(), tea.WithEnvironment(environment()))
	go func() {
		defer close(v.ended)
		v.program.Run() // without a picture the run goes on all the same
	}()
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

// environment keeps the terminal from being asked questions, whose answers
// would not be read.
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

type (
	tick     struct{}
	finished struct{}
)

// model is the view's state as the terminal library wants it.
type model struct {
	title         string
	snapshot      func() flow.Stats
	now, before   flow.Stats
	width, height int
	over          bool
	ready         atomic.Bool // a picture was handed to the library
	flush         func()      // of the view
}

func (m *model) Init() tea.Cmd { return func() tea.Msg { return tick{} } }

func (m *model) next() tea.Cmd {
	return tea.Tick(every, func(time.Time) tea.Msg { return tick{} })
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tick:
		m.before, m.now = m.now, m.snapshot()
		go m.flush() // it waits for this loop
		return m, m.next()
	case finished:
		m.before, m.now, m.over = flow.Stats{}, m.snapshot(), true
		return m, tea.Quit
	}
	return m, nil
}

func (m *model) View() tea.View {
	v := tea.NewView("")
	v.DisableBracketedPasteMode = true // there is no input
	if m.now.Wall > 0 {
		v.Content = frame(m.title, &m.now, &m.before, m.width, m.height)
		m.ready.Store(true)
	}
	if m.over {
		v.Content += "\n" // the library wipes the last line
	}
	return v
}
