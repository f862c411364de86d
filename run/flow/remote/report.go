package remote

import (
	"time"

	"github.com/pentode-dev/pentode/run/flow"
)

// A Report is what a site tells the coordinator, again and again: the newest
// one replaces all before it, so that one that is lost does not matter.
type Report struct {
	Site     string `json:"site"`
	Instance string `json:"instance"` // of this program: no two may run one site
	Host     string `json:"host"`
	Version  string `json:"version"`
	Hash     string `json:"hash"`

	Phase   Phase  `json:"phase"`
	Error   string `json:"error,omitempty"`   // how it ended, or why it does not begin
	Stopped bool   `json:"stopped,omitempty"` // it ended because it was asked to
	Last    string `json:"last,omitempty"`    // line that it logged
	Stop    bool   `json:"stop,omitempty"`    // its user wants the run to stop

	Age time.Duration `json:"age,omitempty"` // since its run was started, which it alone can measure; 0: it was not

	Wave  uint64 `json:"wave"` // of the newest order it has seen
	Still bool   `json:"still"`
	flow.Standstill
	Edges []EdgeReport `json:"edges,omitempty"`
	Grown uint64       `json:"grown,omitempty"` // number of the last order to grow that it carried out

	Stats *flow.Stats `json:"stats,omitempty"`
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
}
