package remote

import (
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Report is what a site tells the coordinator, again and again: the newest
// one replaces all before it, so that one that is lost does not matter.
type Report struct {
	Site     string `json:"site"`
	Instance string `json:"instance"` // of this program: a second one of a site is refused
	Host     string `json:"host"`
	Version  string `json:"version"`
	Hash     string `json:"hash"`

	Phase   Phase  `json:"phase"`
	Error   string `json:"error,omitempty"`   // how it ended, or why it does not begin
	Stopped bool   `json:"stopped,omitempty"` // it ended because it was asked to
	Last    string `json:"last,omitempty"`    // line that it logged
	Stop    bool   `json:"stop,omitempty"`    // its user wants the run to stop
	Abort   bool   `json:"abort,omitempty"`   // and that at once

	Age  time.Duration `json:"age,omitempty"` // since its run was started, which it alone can measure; 0: it was not
	Sent time.Time     `json:"sent,omitzero"`
	Boot string        `json:"boot,omitempty"` // of its machine: programs with the same one share a clock

	Wave  uint64 `json:"wave"` // of the newest order it has seen
	Still bool   `json:"still"`
	flow.Standstill
	Edges []EdgeReport `json:"edges,omitempty"`
	Grown uint64       `json:"grown,omitempty"` // number of the last order to grow that it carried out

	Revised  *Revised `json:"revised,omitempty"`  // the last step of a change of settings that it took
	Loosened uint64   `json:"loosened,omitempty"` // step of the last change in which it let nobody wait for markers

	Stats *flow.Stats `json:"stats,omitempty"`
}

// A Greeting is what the coordinator answers a program that reports for the first times.
type Greeting struct {
	Refused string `json:"refused,omitempty"` // why it cannot take part; empty: it does
}

// Phase is how far a site or the whole run is.
type Phase string

// The phases.
const (
	Gathering Phase = "gathering" // the run waits for its sites
	Ready     Phase = "ready"     // a site is set up
	Running   Phase = "running"
	Ended     Phase = "ended"
)

// An EdgeReport is how far one end of an edge between sites is. When both ends
// agree, nothing is under way.
type EdgeReport struct {
	Edge     int    `json:"edge"`
	Sends    bool   `json:"sends"`
	Messages uint64 `json:"messages"` // sent, or arrived
	Taken    uint64 `json:"taken"`    // acknowledged
	Done     bool   `json:"done"`
}

// An Order is what the coordinator tells all sites, again and again.
type Order struct {
	Wave  uint64 `json:"wave"`
	Phase Phase  `json:"phase"`
	Stop  bool   `json:"stop,omitempty"`  // sources shall end
	Pause bool   `json:"pause,omitempty"` // no step shall begin

	Cause string `json:"cause,omitempty"` // why the run ended early
	Site  string `json:"at,omitempty"`    // where

	Grow   string `json:"grow,omitempty"` // site whose smallest full edge shall grow
	Growth uint64 `json:"growth,omitempty"`

	Revision *Revision `json:"revision,omitempty"` // the step of the change of settings under way
	Loose    uint64    `json:"loose,omitempty"`    // step of a change in which markers hold nobody any more
}

// A Revision is one step of a change of settings, which all sites take.
type Revision struct {
	Step    uint64           `json:"step"` // of all steps of all changes, from 1
	Stage   Stage            `json:"stage"`
	Changes []pipe.Change    `json:"changes,omitempty"` // that are judged
	Options *flow.SetOptions `json:"options,omitempty"`
	Clocks  map[int]uint64   `json:"clocks,omitempty"` // where sources put the marker
}

// Stage is what sites do in a step of a change; see flow.Revision.
type Stage string

// The stages.
const (
	Judge  Stage = "judge"
	Hold   Stage = "hold"
	Pass   Stage = "pass"
	Watch  Stage = "watch"
	Return Stage = "return" // and hold
	Close  Stage = "close"
)

// Revised is what a site says of a step that it took.
type Revised struct {
	Step    uint64         `json:"step"`
	Changes []pipe.Change  `json:"changes,omitempty"` // with who refuses
	Clocks  map[int]uint64 `json:"clocks,omitempty"`  // how far its sources are
	Crossed []string       `json:"crossed,omitempty"`
	Undo    string         `json:"undo,omitempty"`  // why the old settings must come back
	Error   string         `json:"error,omitempty"` // why the step could not be taken
	Ended   bool           `json:"ended,omitempty"` // its run is over
}
