package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/graph/svg"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// pictures are the formats of `graph`; endings maps file name endings to them.
var (
	pictures = []string{"dot", "mermaid", "svg", "text"}
	endings  = map[string]string{".dot": "dot", ".gv": "dot", ".mermaid": "mermaid", ".mmd": "mermaid", ".svg": "svg", ".txt": "text"}
)

func (a *app) graphVerb() *cobra.Command {
	var format, output string
	var open []string
	var watch bool
	cmd := &cobra.Command{
		Use:     "graph [PATH]",
		Short:   "Draw a picture of a file or of a run",
		Long:    "Draws a picture of a file or of a run. For several targets (files, presets, `host`) it shows what runs where. Without PATH it draws\nthe run, or the only file, of this folder.",
		Example: examples("pentode graph -o run.svg examples/heat", "pentode graph x86-64-v2 haswell znver3 x86-64-v4"),
	}
	once := func(paths []string) error {
		w, err := a.workspace()
		if err != nil {
			return err
		}
		if paths, err = a.orAlone(w, paths); err != nil {
			return err
		}
		if len(paths) == 1 && isFolder(paths[0]) {
			return a.graphFolder(w, paths[0], open, format, output)
		}
		if len(paths) > 1 && !slices.ContainsFunc(paths, func(p string) bool { return !isTarget(p) }) {
			return a.graphTargets(w, paths, format, output)
		}
		c, _, err := a.config(w, paths)
		if err != nil {
			return err
		}
		g, err := c.Graph()
		if err != nil {
			return err
		}
		if err := a.draw(g, format, output); err != nil {
			return err
		}
		return a.refuse(c.Diagnostics())
	}
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		if ending := filepath.Ext(output); ending != "" && !cmd.Flags().Changed("format") {
			known, ok := endings[strings.ToLower(ending)]
			if !ok {
				return fmt.Errorf("`%s` is not the ending of a picture; expected %s, or give --format", ending, strings.Join(slices.Sorted(maps.Keys(endings)), ", "))
			}
			format = known
		}
		if watch {
			return a.again(paths, func() error { return once(paths) })
		}
		return once(paths)
	}
	cmd.Flags().StringVar(&format, "format", "text", "`"+strings.Join(pictures, "|")+"`")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`, whose ending decides the format; - is standard output")
	cmd.Flags().StringSliceVar(&open, "expand", nil, "draw what is inside these `FILES` of a run, and every other file as one box: names, all or none; default the launch plan and pipelines, as text all")
	cmd.Flags().BoolVar(&a.anySize, "force", false, "draw the picture however large it is")
	watchFlag(cmd, &watch)
	return a.reads(cmd)
}

// maxNodes is the number of nodes above which a picture needs --force.
const maxNodes = 20_000

// draw writes a graph in one of the formats, to standard output or to a file.
func (a *app) draw(g *graph.Graph, format, output string) error {
	if n := len(g.Nodes); n > maxNodes && !a.anySize {
		return fmt.Errorf("the picture has %d nodes, and more than %d are too many to look at; --force draws it anyway", n, maxNodes)
	}
	a.work.Begin("drawing "+quantity.Count(len(g.Nodes), "node", "nodes"), "")
	var picture bytes.Buffer
	write := func() error { return g.Write(&picture, graph.Format(format)) }
	if format == "svg" {
		write = func() error { return svg.Write(&picture, g) }
	}
	if err := write(); err != nil {
		return err
	}
	return a.deliver(output, picture.Bytes())
}

// graphFolder draws one picture of a run.
func (a *app) graphFolder(w *workspace.Workspace, dir string, open []string, format, output string) error {
	run, err := a.openWhole(w, dir)
	if err != nil {
		return err
	}
	if format == "text" && len(open) == 0 {
		open = []string{suite.AllParts} // text output has space for all parts
	}
	g, _, err := suite.Picture(run, open)
	if err != nil {
		return err
	}
	if err := a.draw(g, format, output); err != nil {
		return err
	}
	return a.judge(run)
}

// isTarget reports whether a name refers to a target: a file, a preset, or this machine.
func isTarget(name string) bool {
	if _, err := os.Stat(name); err == nil {
		return filepath.Ext(name) == ".coilcfg"
	}
	_, known := preset.File(name)
	return known || name == thisHost
}

// graphTargets draws which target runs code of which: lines lead from each target to the targets that
// can run its code. The best common target is drawn at the bottom, unless it is one of the given
// targets.
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
		if l := machines.Order(all); l.Nodes[len(l.Nodes)-1][0] == len(targets) { // the best common target is an additional node
			targets, labels = all, append(names[:len(names):len(names)], "all can run this")
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
