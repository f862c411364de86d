package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/launch/guard"
)

// launchGuardVerb is what a run starts to end what it leaves behind, also where it is
// killed. It is not for people.
func (a *app) launchGuardVerb() *cobra.Command {
	var w guard.Watched
	cmd := &cobra.Command{
		Use:     "guard",
		Short:   "End what a run leaves behind",
		Example: examples("pentode launch guard < /dev/null", "pentode launch guard --mark none < /dev/null"),
		Hidden:  true,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // it ends with its run
			guard.Watch(a.in, w)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&w.Mark, "mark", "", "the `MARK` of the run")
	f.IntVar(&w.Pid, "pid", 0, "the `PID` of its program")
	f.StringVar(&w.Group, "group", "", "the `DIR` of its control group")
	f.StringVar(&w.State, "state", "", "the `DIR` of its state")
	f.StringVar(&w.Scratch, "scratch", "", "a `DIR` to remove when the run is killed")
	f.DurationVar(&w.Grace, "grace", time.Second, "how long programs have to end before they are killed")
	return cmd
}
