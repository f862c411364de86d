package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/graph"
)

func (a *app) graphVerb() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "graph PATH",
		Short:   "Draw the picture of a file or of a run",
		Example: examples("pentode graph examples/heat/heat.pipe", "pentode graph --format svg examples/heat > run.svg"),
		RunE: func(_ *cobra.Command, paths []string) error {
			if !slices.Contains(graph.Formats(), graph.Format(format)) {
				var names []string
				for _, f := range graph.Formats() {
					names = append(names, string(f))
				}
				return fmt.Errorf("--format takes %s, not `%s`", strings.Join(names, ", "), format)
			}
			w, err := a.workspace()
			if err != nil {
				return err
			}
			if len(paths) == 1 && isFolder(paths[0]) {
				return a.graphFolder(w, paths[0], graph.Format(format))
			}
			c, _, err := a.config(w, paths)
			if err != nil {
				return err
			}
			g, err := c.Graph()
			if err != nil {
				return err
			}
			if err := g.Write(a.out, graph.Format(format)); err != nil {
				return err
			}
			if found := c.Diagnostics(); found.HasErrors() {
				a.say(found)
				return exitCode(exitNo)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`dot|mermaid|svg|text`")
	return a.reads(cmd)
}
