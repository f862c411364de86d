package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// resultGrace is how long the result of a run that is over may take to be written.
const resultGrace = 30 * time.Second

func (a *app) launchAttachVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "attach [RUN]",
		Short: "Show what a run in the background writes, until it is over",
		Long: "Shows what the programs of a run have written and write, until the run is over. Ctrl-C leaves the run alone.\n" +
			"Exit: as the run ended.",
		Example: examples("pentode run --detach examples/heat && pentode launch attach", "pentode launch attach"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			d, node, err := findRun(args)
			if err != nil {
				return err
			}
			if node != "" {
				return fmt.Errorf("there is no run `%s`; `pentode launch list` shows them", node)
			}
			ctx, stop := interruptible()
			defer stop()
			if err := d.Logs(ctx, a.exact(), state.Query{Follow: true}); err != nil || ctx.Err() != nil {
				if ctx.Err() != nil {
					fmt.Fprintf(a.err, "run %s goes on\n", d.Run.ID)
				}
				return err
			}
			result, err := launch.ReadResult(d)
			for end := time.Now().Add(resultGrace); err != nil && d.Supervised() && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				result, err = launch.ReadResult(d) // it is written last
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.err, "run %s is over\n", d.Run.ID)
			if result.Code != exitOK {
				return exitCode(result.Code)
			}
			return nil
		},
	}
}
