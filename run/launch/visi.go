package launch

import (
	"cmp"
	"errors"
	"fmt"
	"path"
)

// View is a visualisation that Paradyn itself had, by the name of its program.
type View string

const (
	Histogram  View = "rthist"     // curves over time
	BarChart   View = "barChart"   // a bar for each focus
	Table      View = "tableVisi"  // metrics by foci
	PhaseTable View = "phaseTable" // the phases of the run
	Terrain    View = "terrain"    // a surface over foci and time
)

// ViewOf is the view of Paradyn that a visualisation is by its program, else by its name; empty: it is none of them.
func ViewOf(command, name string) View {
	return cmp.Or(viewNamed(path.Base(command)), viewNamed(name))
}

func viewNamed(name string) View {
	switch v := View(name); v {
	case Histogram, BarChart, Table, PhaseTable, Terrain:
		return v
	}
	return ""
}

// standIns finds the visualisations that the page shows itself. What another machine has installed is not known.
func (b *planner) standIns() {
	for _, n := range b.plan.Nodes {
		if _, here := n.Starter.(Local); !here || n.Kind != KindVisi {
			continue
		}
		if view := ViewOf(n.Argv[0], n.Name); view != "" && notInstalled(b.Host.Find(n.Argv[0], n.Dir)) {
			n.StandIn = view
		}
	}
}

const shownBy = ": `pentode serve` shows its view in its place"

// shown says where a visualisation is to be seen whose program is not installed.
func (n *Node) shown() string {
	return fmt.Sprintf("program `%s` is not installed", n.Argv[0]) + shownBy
}

// notInstalled reports whether a program could not be started because there is none. One that may not be executed is a
// mistake of its owner.
func notInstalled(err error) bool {
	var start *StartError
	return errors.As(err, &start) && start.Code == 127
}
