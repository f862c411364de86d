package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/graph/svg"
)

// pictures are the formats of `graph`.
var pictures = []string{"dot", "mermaid", "svg", "text"}

func (a *app) graphVerb() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "graph PATH",
		Short:   "Draw the picture of a file or of a run",
		Example: examples("pentode graph examples/heat/heat.pipe", "pentode graph --format svg examples/heat > run.svg"),
		RunE: func(_ *cobra.Command, paths []string) error {
			if !slices.Contains(pictures, format) {
				return fmt.Errorf("--format takes %s, not `%s`", strings.Join(pictures, ", "), format)
			}
			w, err := a.workspace()
			if err != nil {
				return err
			}
			if len(paths) == 1 && isFolder(paths[0]) {
				return a.graphFolder(w, paths[0], format)
			}
			c, _, err := a.config(w, paths)
			if err != nil {
				return err
			}
			g, err := c.Graph()
			if err != nil {
				return err
			}
			if err := a.draw(g, format); err != nil {
				return err
			}
			if found := c.Diagnostics(); found.HasErrors() {
				a.say(found)
				return exitCode(exitNo)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`"+strings.Join(pictures, "|")+"`")
	return a.reads(cmd)
}

// draw writes a graph in one of the formats.
func (a *app) draw(g *graph.Graph, format string) error {
	if format == "svg" {
		return svg.Write(a.exact(), g)
	}
	return g.Write(a.exact(), graph.Format(format))
}
