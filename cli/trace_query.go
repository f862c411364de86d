package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/trace/query"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

func (a *app) traceQueryVerb() *cobra.Command {
	var columns strings.Builder
	for _, c := range query.Columns() {
		fmt.Fprintf(&columns, "\n  %-8s  %s", c[0], c[1])
	}
	return &cobra.Command{
		Use:   "query DIR CONDITION",
		Short: "Print the executions and events of a recorded trace that meet a condition",
		Long: "Prints a line of JSON for each execution, and for each event that is none, in the traces at or below a folder: thread by\n" +
			"thread, in the order in which they ended. A condition is tests such as `dur > 1ms`, joined by `and`, `or`, `not` and\n" +
			"brackets. Texts are compared by = and !=, with regular expressions by ~ and !~; numbers and times by = != < <= > >=;\n" +
			"`in` takes a list, of numbers and times also ranges. What has no such column does not meet the test. The columns are" + columns.String(),
		Example: examples(`pentode trace query traced 'region ~ "relax" and dur > 1ms and rank in 0-3'`, `pentode trace query traced 'call in "MPI_Wait", "MPI_Waitall" and at > 2s'`),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("give the folder of one trace, then the condition in quotes: 'dur > 1ms'")
			}
			q, err := query.Parse(args[1])
			var wrong *query.Error
			if errors.As(err, &wrong) {
				fmt.Fprintf(a.err, "error: %s\n", wrong.Message)
				a.underline(args[1], wrong.Start, wrong.End)
				if wrong.Help != "" {
					fmt.Fprintf(a.err, "help: %s\n", wrong.Help)
				}
				return exitCode(exitMisuse)
			}
			t, err := recorded.Open(args[0])
			if err != nil {
				return err
			}
			n, err := q.Run(a.exact(), t)
			if err == nil && n == 0 {
				fmt.Fprintln(a.err, "nothing in the trace meets the condition")
			}
			return err
		},
	}
}
