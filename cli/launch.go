package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) launchVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "launch plan|submit|list|status|logs|attach|wait|exec|stop|restart|signal|prune|collect",
		Short:   "Show what a run would start, and steer one that goes on",
		Example: examples("pentode launch plan examples/heat/heat.psdl", "pentode launch stop"),
	}
	cmd.AddCommand(a.launchPlanVerb(), a.launchSubmitVerb(), a.launchListVerb(), a.launchStatusVerb(), a.launchLogsVerb(), a.launchAttachVerb(), a.launchWaitVerb(), a.launchExecVerb(), a.launchStopVerb(),
		a.launchRestartVerb(), a.launchSignalVerb(), a.launchPruneVerb(), a.launchCollectVerb(), a.launchGuardVerb())
	return cmd
}
