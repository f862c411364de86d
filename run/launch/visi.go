package launch

import (
	"cmp"
	"errors"
	"fmt"
	"path"
)

// View is one of Paradyn's own visualisations, named after its program.
type View string

const (
	Histogram  View = "rthist"     // curves over time
	BarChart   View = "barChart"   // a bar for each focus
	Table      View = "tableVisi"  // metrics by foci
	PhaseTable View = "phaseTable" // the phases of the run
	Terrain    View = "terrain"    // a surface over foci and time
)

// ViewOf returns Paradyn's view for the program of a visualisation, or else for its name; empty: there is none.
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

// standIns finds the visualisations that the page shows itself. It cannot know what is installed on other machines.
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

// shown says where to see a visualisation whose program is not installed.
func (n *Node) shown() string {
	return fmt.Sprintf("program `%s` is not installed", n.Argv[0]) + shownBy
}

// notInstalled reports whether a program could not be started because it does not exist. A program that exists but is not executable does not count:
// that is a mistake to report.
func notInstalled(err error) bool {
	var start *StartError
	return errors.As(err, &start) && start.Code == 127
}
