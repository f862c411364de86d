package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/workspace"
)

// isTarget reports whether a name is that of a target: a file, a preset, or this machine.
func isTarget(name string) bool {
	if _, err := os.Stat(name); err == nil {
		return filepath.Ext(name) == ".coilcfg"
	}
	_, known := preset.File(name)
	return known || name == thisHost
}

// graphTargets draws what runs where: code of a target runs on those that its lines lead to. The best
// common target stands below all where it is none of them.
func (a *app) graphTargets(w *workspace.Workspace, names []string, format, output string) error {
	machines, err := a.machines()
	if err != nil {
		return err
	}
	targets, err := a.targets(w, names)
	if err != nil {
		return err
	}
	labels := names
	if meet, err := machines.Meet(targets...); err == nil {
		all := append(targets[:len(targets):len(targets)], meet)
		if l := machines.Order(all); l.Nodes[len(l.Nodes)-1][0] == len(targets) { // it is a node of its own
			targets, labels = all, append(names[:len(names):len(names)], "what all run")
		}
	}
	return a.draw(lattice(machines.Order(targets), targets, labels), format, output)
}

func lattice(l target.Lattice, targets []target.Target, labels []string) *graph.Graph {
	g := &graph.Graph{Title: "what runs where", Direction: graph.Down}
	id := func(node int) string { return labels[l.Nodes[node][0]] }
	for n, node := range l.Nodes {
		same := make([]string, len(node))
		for i, t := range node {
			same[i] = labels[t]
		}
		t := targets[node[0]]
		g.Nodes = append(g.Nodes, &graph.Node{ID: id(n), Label: strings.Join(same, " = "), Kind: t.PU + " " + t.Architecture})
	}
	for _, e := range l.Edges {
		g.Edges = append(g.Edges, &graph.Edge{From: id(e[0]), To: id(e[1]), Label: "runs on"})
	}
	return g
}
