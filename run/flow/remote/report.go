package remote

import (
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Report is a message that a site sends the coordinator again and again. The newest report
// replaces all earlier ones, so a lost report does not matter.
type Report struct {
	Site     string `json:"site"`
	Instance string `json:"instance"` // identifies this program: a second program for a site is refused
	Host     string `json:"host"`
	Version  string `json:"version"`
	Hash     string `json:"hash"`

	Phase   Phase  `json:"phase"`
	Error   string `json:"error,omitempty"`   // how it ended, or why it does not begin
	Stopped bool   `json:"stopped,omitempty"` // it ended because it was told to
	Last    string `json:"last,omitempty"`    // last line that it logged
	Stop    bool   `json:"stop,omitempty"`    // its user wants the run to stop
	Abort   bool   `json:"abort,omitempty"`   // and to end at once

	Age  time.Duration `json:"age,omitempty"` // time since its run was started, which only the site can measure; 0: not started
	Sent time.Time     `json:"sent,omitzero"`
	Boot string        `json:"boot,omitempty"` // identifies its machine: programs with the same value share a clock

	Wave  uint64 `json:"wave"` // wave of the newest order it has seen
	Still bool   `json:"still"`
	flow.Standstill
	Edges []EdgeReport `json:"edges,omitempty"`
	Grown uint64       `json:"grown,omitempty"` // number of the last order to grow that it carried out

	Revised  *Revised `json:"revised,omitempty"`  // its answer to the last step of a change of settings
	Loosened uint64   `json:"loosened,omitempty"` // the step in which it last made markers passable

	Stats *flow.Stats `json:"stats,omitempty"`
}

// A Greeting is the coordinator's answer to the first reports of a program.
type Greeting struct {
	Refused string `json:"refused,omitempty"` // why it cannot take part; empty: it can
}

// Phase is the phase of a site or of the whole run.
type Phase string

// The phases.
const (
	Gathering Phase = "gathering" // the run waits for its sites
	Ready     Phase = "ready"     // a site is set up
	Running   Phase = "running"
	Ended     Phase = "ended"
)

// An EdgeReport says how far one end of an edge between sites is. When both ends agree, no message
// is in flight.
type EdgeReport struct {
	Edge     int    `json:"edge"`
	Sends    bool   `json:"sends"`
	Messages uint64 `json:"messages"` // sent, or arrived
	Taken    uint64 `json:"taken"`    // acknowledged
	Done     bool   `json:"done"`
}

// An Order is what the coordinator sends to all sites, again and again.
type Order struct {
	Wave  uint64 `json:"wave"`
	Phase Phase  `json:"phase"`
	Stop  bool   `json:"stop,omitempty"`  // sources must end
	Pause bool   `json:"pause,omitempty"` // no step may begin

	Cause string `json:"cause,omitempty"` // why the run ended early
	Site  string `json:"at,omitempty"`    // the site on which it happened

	Grow   string `json:"grow,omitempty"` // site whose smallest full edge must grow
	Growth uint64 `json:"growth,omitempty"`

	Revision *Revision `json:"revision,omitempty"` // current step of the pending change of settings
	Loose    uint64    `json:"loose,omitempty"`    // step of a change in which markers become passable
}

// A Revision is one step of a change of settings; all sites take it.
type Revision struct {
	Step    uint64           `json:"step"` // number among all steps of all changes, from 1
	Stage   Stage            `json:"stage"`
	Changes []pipe.Change    `json:"changes,omitempty"` // the changes to judge
	Options *flow.SetOptions `json:"options,omitempty"`
	Clocks  map[int]uint64   `json:"clocks,omitempty"` // where sources insert the marker
}

// Stage is what sites do in a step of a change; see flow.Revision.
type Stage string

// The stages.
const (
	Judge  Stage = "judge"
	Hold   Stage = "hold"
	Pass   Stage = "pass"
	Watch  Stage = "watch"
	Return Stage = "return" // restore the old settings, and hold
	Close  Stage = "close"
)

// Revised is the answer of a site to a step.
type Revised struct {
	Step    uint64         `json:"step"`
	Changes []pipe.Change  `json:"changes,omitempty"` // with the processes that refuse
	Clocks  map[int]uint64 `json:"clocks,omitempty"`  // how far its sources are
	Crossed []string       `json:"crossed,omitempty"`
	Undo    string         `json:"undo,omitempty"`  // why the old settings must be restored
	Error   string         `json:"error,omitempty"` // why the step could not be taken
	Ended   bool           `json:"ended,omitempty"` // its run is over
}
