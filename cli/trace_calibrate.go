package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/runs/traced"
)

func (a *app) traceCalibrateVerb() *cobra.Command {
	var compiler string
	cmd := &cobra.Command{
		Use:   "calibrate [-- PROGRAM]",
		Short: "Measure what an event costs on this machine",
		Long: "Measures what an event costs where it is recorded, where it is decided against, and where its domain is off: of locks of the OpenMP\n" +
			"runtime that a program is linked with, or without one of regions that a program marks itself. It takes seconds, and is kept for\n" +
			"`pentode trace simulate` and `pentode trace budget`, which else say \"about\". The last one counts.",
		Example: examples("pentode trace calibrate", "pentode trace calibrate -- ./solver"),
		RunE: func(_ *cobra.Command, args []string) error {
			c, path, err := traced.Calibrate(context.Background(), args, compiler)
			if err != nil {
				return a.no(err)
			}
			of := "regions that a program marks"
			if c.Runtime != "" {
				of = "locks of " + c.Runtime
			}
			fmt.Fprintf(a.out, "an event costs %.3g ns where it is recorded, %.3g ns where it is decided against, %.3g ns where its domain is off (%s)\n", c.Cost.Recorded, c.Cost.Against, c.Cost.Off, of)
			fmt.Fprintf(a.err, "kept in `%s`, for this machine and this version of the tracer\n", path)
			return nil
		},
	}
	cmd.Flags().StringVar(&compiler, "cc", "", "the C `COMPILER` that builds the tracer (default: cc, or the one of the program's MPI)")
	return cmd
}
