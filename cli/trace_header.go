package cli

import (
	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/trace/agent"
)

func (a *app) traceHeaderVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "header",
		Short: "Print the C header for a program's own regions and knobs",
		Long: "Prints the header with pentode_region_begin, pentode_region_end and the knobs of the trace configuration. The program\n" +
			"links nothing: the functions are there while it is traced, and otherwise return at once.",
		Example: examples("pentode trace header", "pentode trace header > pentode_trace.h"),
		Args:    cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			_, err := a.out.Write(agent.Header())
			return err
		},
	}
}
