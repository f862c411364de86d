package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) traceVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "trace run|status|reload|merge|export|report|why|query|header|decide|explain|simulate|budget|calibrate|retarget",
		Short:   "Trace a program, or ask a configuration what it will trace",
		Example: examples("pentode trace decide --lexgion 0x4010bd --event omp_work examples/trace/trace_config.txt", "pentode trace retarget --from old/app --to new/app -w trace_config.txt"),
	}
	cmd.AddCommand(a.traceDecideVerb(), a.traceExplainVerb(), a.traceSimulateVerb(), a.traceBudgetVerb(), a.traceCalibrateVerb(), a.traceRetargetVerb(), a.traceRunVerb(), a.traceStatusVerb(), a.traceReloadVerb(), a.traceMergeVerb(), a.traceExportVerb(), a.traceReportVerb(), a.traceWhyVerb(), a.traceQueryVerb(), a.traceHeaderVerb())
	return cmd
}
