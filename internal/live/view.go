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
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pentode-dev/pentode/run/flow"
)

// A View is the picture on a terminal.
type View struct {
	program *tea.Program
	ended   chan struct{}

	mu      sync.Mutex
	partial []byte // a line that has not ended
}

// every is the time between two pictures.
const every = 200 * time.Millisecond

// Start shows a run on a terminal until Close.
func Start(terminal *os.File, title string, snapshot func() flow.Stats) *View {
	m := &model{title: title, snapshot: snapshot}
	v := &View{ended: make(chan struct{})}
	v.program = tea.NewProgram(m, tea.WithOutput(terminal), tea.WithInput(nil), tea.WithoutSignalHandler(), tea.WithEnvironment(environment()))
	go func() {
		defer close(v.ended)
		v.program.Run() // without a picture the run goes on all the same
	}()
	return v
}

// environment keeps the terminal from being asked questions: nobody would
// read its answers.
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
	v.partial = append(v.partial, p...)
	if i := bytes.LastIndexByte(v.partial, '\n'); i >= 0 {
		v.program.Send(tea.Println(string(v.partial[:i]))())
		v.partial = append(v.partial[:0], v.partial[i+1:]...)
	}
	return len(p), nil
}

// Close leaves a last picture, with the figures of the whole run, and gives the
// terminal back.
func (v *View) Close() {
	v.mu.Lock()
	if len(v.partial) > 0 {
		v.program.Send(tea.Println(string(v.partial))())
		v.partial = nil
	}
	v.mu.Unlock()
	v.program.Send(finished{})
	<-v.ended
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
}

func (m *model) Init() tea.Cmd { return m.next() }

func (m *model) next() tea.Cmd {
	return tea.Tick(every, func(time.Time) tea.Msg { return tick{} })
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tick:
		m.before, m.now = m.now, m.snapshot()
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
	}
	if m.over {
		v.Content += "\n" // the library wipes the last line
	}
	return v
}
