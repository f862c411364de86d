package watch

import (
	"time"

	"github.com/pentode-dev/pentode/core/downsample"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// phaseEntry is an interval of a run. Users of Paradyn start phases by hand; here phases are the states of the programs.
type phaseEntry struct {
	Handle int                `json:"handle"`
	Focus  string             `json:"focus"` // the program; empty: the run
	Name   string             `json:"name"`
	Start  downsample.Number  `json:"start"` // in seconds
	End    *downsample.Number `json:"end"`   // null: it has not ended
}

const maxPhases = 1000

// phases returns the phases of a run from its journal: the whole run, and for each program waiting, starting (a daemon, until it is
// ready) and running. Beyond maxPhases they are only counted.
func phases(run state.Run, journal []state.Event) (list []phaseEntry, leftOut int) {
	list = []phaseEntry{}
	at := func(t time.Time) downsample.Number { return downsample.Number(max(0, t.Sub(run.Started).Seconds())) }
	open := map[string]int{} // the phase that a program is in
	begin := func(node, name string, t time.Time) {
		if len(list) == maxPhases {
			leftOut++
			return
		}
		open[node] = len(list)
		list = append(list, phaseEntry{Handle: len(list), Focus: node, Name: name, Start: at(t)})
	}
	end := func(node string, t time.Time) {
		if i, ok := open[node]; ok {
			list[i].End = known(float64(at(t)))
			delete(open, node)
		}
	}
	daemon := map[string]bool{}
	begin("", "the whole run", run.Started)
	for _, n := range run.Nodes {
		daemon[n.ID] = n.Kind == string(launch.KindDaemon)
		if n.Kind != string(launch.KindVisi) {
			begin(n.ID, "waiting", run.Started)
		}
	}
	for _, e := range journal {
		switch e.What {
		case state.Started:
			end(e.Node, e.Time)
			if daemon[e.Node] {
				begin(e.Node, "starting", e.Time)
			} else {
				begin(e.Node, "running", e.Time)
			}
		case state.Ready:
			if i, ok := open[e.Node]; ok && list[i].Name == "starting" {
				end(e.Node, e.Time)
				begin(e.Node, "running", e.Time)
			}
		case state.Ended, state.Failed, state.Skipped:
			end(e.Node, e.Time)
		case state.Restarting:
			end(e.Node, e.Time)
			begin(e.Node, "waiting", e.Time)
		case state.Over:
			for node := range open {
				end(node, e.Time)
			}
		}
	}
	return list, leftOut
}

func known(v float64) *downsample.Number {
	n := downsample.Number(v)
	return &n
}
