package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) traceDecideVerb() *cobra.Command {
	var q traceQuestion
	var format string
	var all bool
	cmd := &cobra.Command{
		Use:   "decide --lexgion ADDRESS --event EVENT FILE",
		Short: "Print which executions of a region are traced",
		Long: "Prints the executions of a region in which an event is traced. With --all it prints the whole configuration: for each region that\n" +
			"it names, and for all others, which events are traced on which units; --unit says which units there are.",
		Example: examples("pentode trace decide --lexgion 0x4010bd --event MPI_Send --unit MPI.rank=3 --count 1000 --format json examples/trace/trace_config.txt", "pentode trace decide --all --unit MPI.rank=0-1023 examples/trace/trace_config.txt"),
		RunE: func(_ *cobra.Command, paths []string) error {
			if all {
				return a.decideAll(&q, paths, format)
			}
			if q.several() {
				return a.decideTable(&q, paths, format)
			}
			c, err := a.traceCase(&q, paths)
			if err != nil {
				return err
			}
			traced := c.executions(q.count, int(q.count))
			a.sayOther(c, &q)
			if format == "json" {
				return a.json(c.decision(traced, q.count))
			}
			if len(traced) == 0 {
				fmt.Fprintf(a.err, "none of the first %d executions is traced; `pentode trace explain` says why\n", q.count)
				return nil
			}
			_, err = fmt.Fprintln(a.out, numbers(traced))
			return err
		},
	}
	q.flags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "print all regions, events and units")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	return a.reads(cmd, "pinsight")
}
