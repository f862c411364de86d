package remote

import (
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Report is the message that a site sends to the coordinator at regular intervals. Each report
// replaces all earlier ones, so a lost report does not matter.
type Report struct {
	Site     string `json:"site"`
	Instance string `json:"instance"` // identifies this program; a second program for the same site has another value and is refused
	Host     string `json:"host"`
	Version  string `json:"version"`
	Hash     string `json:"hash"`

	Phase   Phase  `json:"phase"`
	Error   string `json:"error,omitempty"`   // why the site failed or cannot begin; empty: no error
	Stopped bool   `json:"stopped,omitempty"` // the site ended because it was told to end
	Last    string `json:"last,omitempty"`    // last line that the site logged
	Stop    bool   `json:"stop,omitempty"`    // the site asks for a graceful end of the whole run
	Abort   bool   `json:"abort,omitempty"`   // the site asks for an immediate end of the whole run

	Age  time.Duration `json:"age,omitempty"` // time since the site started its run; 0: not started; sent because clocks of other machines may differ
	Sent time.Time     `json:"sent,omitzero"`
	Boot string        `json:"boot,omitempty"` // identifies the machine; programs on the same machine share a clock

	Wave  uint64 `json:"wave"` // number of the newest order of the coordinator to check for a standstill that the site has seen
	Still bool   `json:"still"`
	flow.Standstill
	Edges []EdgeReport `json:"edges,omitempty"`
	Grown uint64       `json:"grown,omitempty"` // Order.Growth of the last order to grow that the site has carried out

	Revised  *Revised `json:"revised,omitempty"`  // answer to the newest step of a change of settings
	Loosened uint64   `json:"loosened,omitempty"` // newest Order.Loose that the site has carried out

	Stats *flow.Stats `json:"stats,omitempty"`
}

// A Greeting tells a program whether it may be a site of the run.
type Greeting struct {
	Refused string `json:"refused,omitempty"` // why it may not; empty: it may
}

// Phase is the phase of a site or of the whole run.
type Phase string

// The phases, in order.
const (
	Gathering Phase = "gathering" // the site is not set up; the run waits for its sites
	Ready     Phase = "ready"     // the site is set up and waits for the others
	Running   Phase = "running"
	Ended     Phase = "ended"
)

// An EdgeReport has the counts of one end of an edge between sites. If the counts of both ends are
// equal, no message is in flight.
type EdgeReport struct {
	Edge     int    `json:"edge"`
	Sends    bool   `json:"sends"`
	Messages uint64 `json:"messages"` // number of messages sent, or arrived without a gap
	Taken    uint64 `json:"taken"`    // number of messages acknowledged
	Done     bool   `json:"done"`
}

// An Order is the message that the coordinator sends to all sites at regular intervals. Each order
// replaces all earlier ones.
type Order struct {
	Wave  uint64 `json:"wave"`
	Phase Phase  `json:"phase"`
	Stop  bool   `json:"stop,omitempty"`  // the sources must end
	Pause bool   `json:"pause,omitempty"` // no process may begin a step

	Cause string `json:"cause,omitempty"` // why the run ended early
	Site  string `json:"at,omitempty"`    // the site that caused the end

	Grow   string `json:"grow,omitempty"` // the site that must enlarge its smallest full edge
	Growth uint64 `json:"growth,omitempty"`

	Revision *Revision `json:"revision,omitempty"` // the current step of a change of settings; nil: none
	Loose    uint64    `json:"loose,omitempty"`    // number of the step in which markers no longer stop processes
}

// A Revision is one step of a change of settings. All sites carry it out.
type Revision struct {
	Step    uint64           `json:"step"` // number of the step, from 1, counted over all changes
	Stage   Stage            `json:"stage"`
	Changes []pipe.Change    `json:"changes,omitempty"` // for Judge: the requested changes
	Options *flow.SetOptions `json:"options,omitempty"`
	Clocks  map[int]uint64   `json:"clocks,omitempty"` // for Pass: the period after which the sources of each clock insert the marker
}

// Stage is the action of a step. See flow.Revision; Judge calls Run.Revise, Return also holds.
type Stage string

// The stages.
const (
	Judge  Stage = "judge"
	Hold   Stage = "hold"
	Pass   Stage = "pass"
	Watch  Stage = "watch"
	Return Stage = "return" // prepare to restore the old settings, then as Hold
	Close  Stage = "close"
)

// Revised is a site's answer to one step of a change.
type Revised struct {
	Step    uint64         `json:"step"`
	Changes []pipe.Change  `json:"changes,omitempty"` // for Judge: the changes, with the refusals
	Clocks  map[int]uint64 `json:"clocks,omitempty"`  // for Hold and Return: the number of periods its sources have reached
	Crossed []string       `json:"crossed,omitempty"`
	Undo    string         `json:"undo,omitempty"`  // why the old settings must be restored; empty: no reason
	Error   string         `json:"error,omitempty"` // why the site could not carry out the step
	Ended   bool           `json:"ended,omitempty"` // the run of the site has ended
}
