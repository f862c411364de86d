package cli

import (
	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/trace/agent"
)

func (a *app) traceHeaderVerb() *cobra.Command {
	fortran := false
	cmd := &cobra.Command{
		Use:   "header",
		Short: "Print the C header, or the Fortran module, for a program's own regions, marks and knobs",
		Long: "Prints the header with pentode_region_begin, pentode_region_end, pentode_mark and the knobs of the trace\n" +
			"configuration, for C and C++. With --fortran it is the source of a module with the same names, which the\n" +
			"compiler of the program compiles. The program links nothing: the functions are there while it is traced, and\n" +
			"otherwise return at once.",
		Example: examples("pentode trace header > pentode_trace.h", "pentode trace header --fortran > pentode_trace.f90"),
		Args:    cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			text := agent.Header
			if fortran {
				text = agent.Fortran
			}
			_, err := a.out.Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&fortran, "fortran", false, "print the source of the Fortran module")
	return cmd
}
