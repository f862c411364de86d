package runs

import (
	"log/slog"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// An Event is something that happens while a run goes on: Found, Starting,
// Began, Said, Stopping, Unsteered, Warning; and of a plan PlanBegan, Happened,
// PlanEnded.
type Event interface{ event() }

// Found has findings that do not refuse the run, or those of a tree that a process
// of a pipeline could not open.
type Found struct{ Findings diag.List }

// Starting says that a pipeline is started next. From here on the end of the
// context is heeded.
type Starting struct{}

// Began says that a pipeline is under way.
type Began struct {
	Run   Pausable
	Reads bool // it reads standard input
	Led   bool // it is one site, and its leader shows the run
}

// Pausable is a pipeline that can be watched and steered.
type Pausable interface {
	Stats() flow.Stats
	Stop()
	Pause() error
	Resume() error
}

// Said is what a process of a pipeline says, or the engine, which has no name.
type Said struct {
	Process string
	Level   slog.Level
	Text    string
}

// String is the line for people.
func (s Said) String() string {
	var b strings.Builder
	switch {
	case s.Level >= slog.LevelError:
		b.WriteString("error: ")
	case s.Level >= slog.LevelWarn:
		b.WriteString("warning: ")
	}
	if s.Process != "" {
		b.WriteString(s.Process + ": ")
	}
	return b.String() + s.Text
}

// Stopping says that the context has ended, and that the run finishes what is under way.
type Stopping struct{}

// Unsteered says that other programs cannot steer a pipeline, and why.
type Unsteered struct {
	Err   error
	Sites bool // the pipeline is that of the sites which a plan starts
}

// Warning is about something that the run does without.
type Warning struct{ Text string }

// PlanBegan says that the programs of a plan are started.
type PlanBegan struct {
	Run        string // its name
	Supervisor *launch.Supervisor
	Sites      func() flow.Stats // of the pipeline whose sites it starts; nil: it starts none
}

// Happened is an entry in the journal of a plan.
type Happened struct{ state.Event }

// PlanEnded says that all programs of a plan have ended.
type PlanEnded struct {
	Result launch.Result
	Logs   string      // their folder
	Stats  *flow.Stats // of the pipeline whose sites it started; nil: there was none
	Sites  error       // why that ended early
}

func (Found) event()     {}
func (Starting) event()  {}
func (Began) event()     {}
func (Said) event()      {}
func (Stopping) event()  {}
func (Unsteered) event() {}
func (Warning) event()   {}
func (PlanBegan) event() {}
func (Happened) event()  {}
func (PlanEnded) event() {}
