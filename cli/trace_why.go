package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/columns"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/run/trace/why"
)

func (a *app) traceWhyVerb() *cobra.Command {
	var format string
	var rows int
	var kinds strings.Builder
	for _, k := range why.Kinds {
		fmt.Fprintf(&kinds, "\n  %s: %s", k.Kind, k.Doc)
	}
	cmd := &cobra.Command{
		Use:   "why DIR",
		Short: "Say why a traced program is not faster",
		Long: "Finds in the traces at or below a folder, or in the trace.json of a run with pipelines, where threads, ranks and processes of\n" +
			"pipelines wait, for whom, what that costs and where in the source it is. A cost is the time of all threads; a process of a\n" +
			"pipeline counts as one. One cause may be behind another: costs are not to be added up. What is found, as far as the events\n" +
			"for it are in the trace:" + kinds.String() + "\nWindows of remote memory are not looked at.",
		Example: examples("pentode trace why traced", "pentode trace why --format json traced"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) != 1 {
				return errors.New("give the folder of one trace; `pentode trace merge` makes one trace of several")
			}
			t, err := recorded.Open(dirs[0])
			if err != nil {
				return err
			}
			found, err := why.Find(t)
			if err != nil {
				return err
			}
			if format == "json" {
				return a.json(found)
			}
			a.causes(found, rows)
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	cmd.Flags().IntVar(&rows, "rows", 10, "how many causes the text has at most; 0: all")
	return cmd
}

// causes prints why a program is not faster.
func (a *app) causes(f *why.Findings, most int) {
	out := visible.Below(a.out)
	name := f.Program
	if name == "" {
		name = "the trace"
	}
	fmt.Fprintf(out, "%s: %s of %s\n", name, short(time.Duration(f.Elapsed)), count(f.Threads, "thread", "threads"))
	if f.Lost > 0 {
		fmt.Fprintf(out, "%s lost to full buffers: there may be more causes than these\n", count(int(f.Lost), "event was", "events were"))
	}
	if f.Unmatched > 0 {
		fmt.Fprintf(out, "%s no counterpart in the trace: how long they waited cannot be determined\n", count(int(f.Unmatched), "call of MPI has", "calls of MPI have"))
	}
	if f.Programs > 0 {
		fmt.Fprintf(out, "%s of traced programs: why they wait is in their own traces, in the folders below\n", count(f.Programs, "row is", "rows are"))
	}
	if len(f.Causes) == 0 {
		fmt.Fprintln(out, "no waits are in it; those of OpenMP are in the events omp_sync_region_wait, omp_implicit_task and omp_mutex_acquire, those of pipelines in flow_block")
		return
	}
	fmt.Fprintln(out)
	table := [][]string{{"cost", "share", "cause", "where", "times", "longest", "mostly for"}}
	for i, c := range f.Causes {
		if most > 0 && i == most {
			break
		}
		table = append(table, []string{
			short(time.Duration(c.Cost)), percentOf(c.Cost, f.Elapsed*int64(f.Threads)), string(c.Kind), c.Where, live.Grouped(c.Count), short(time.Duration(c.Longest)), c.For,
		})
	}
	columns.Write(out, table, "  ")
	if more := len(f.Causes) - most; most > 0 && more > 0 {
		fmt.Fprintf(out, "and %s; --rows 0 shows all\n", count(more, "more cause", "more causes"))
	}
}
