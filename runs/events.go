package runs

import (
	"log/slog"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// An Event is something that happens during a run: Found, Starting, Began, Said, Stopping, Unsteered, Warning; and for a plan PlanBegan, Happened,
// PlanEnded.
type Event interface{ event() }

// Found has findings that do not prevent the run, or the findings of a tree that a process of a pipeline could not open.
type Found struct{ Findings diag.List }

// Starting reports that the pipeline will be started next. From now on the run reacts to the end of the context.
type Starting struct{}

// Began reports that a pipeline has started.
type Began struct {
	Run   Pausable
	Reads bool // it reads standard input
	Led   bool // it is one site, and the site that leads the run displays it
}

// Pausable is a pipeline that can be watched and controlled.
type Pausable interface {
	Stats() flow.Stats
	Stop()
	Pause() error
	Resume() error
}

// Said is a message of a process of a pipeline, or of the engine, which has no name.
type Said struct {
	Process string
	Level   slog.Level
	Text    string
}

// String returns the message as a line for people.
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

// Stopping reports that the context has ended, and that the run is finishing its current work.
type Stopping struct{}

// Unsteered reports that other programs cannot control a pipeline, and why.
type Unsteered struct {
	Err   error
	Sites bool // the pipeline is the one whose sites the plan starts
}

// Warning is about something that does not work, but does not stop the run.
type Warning struct{ Text string }

// PlanBegan reports that the programs of a plan have been started.
type PlanBegan struct {
	Run        string // its name
	Supervisor *launch.Supervisor
	Sites      func() flow.Stats // of the pipeline whose sites the plan starts; nil: the plan starts none
}

// Happened is an entry in the journal of a plan.
type Happened struct{ state.Event }

// PlanEnded reports that all programs of a plan have ended.
type PlanEnded struct {
	Result launch.Result
	Logs   string      // their folder
	Stats  *flow.Stats // of the pipeline whose sites the plan started; nil: there was none
	Sites  error       // why the sites ended early
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
