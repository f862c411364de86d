package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/columns"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/runs/traced"
)

func (a *app) traceStatusVerb() *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Show how often regions of a running program were executed, and for how long",
		Long: "Shows what is known of the regions of a traced program whose domain is in the mode MONITORING: on each unit how\n" +
			"often they were executed, for how long altogether, on average, and at most. RUN is the process id of\n" +
			"`pentode trace run`; without it the one whose script calls this is meant, else the newest.",
		Example: examples("pentode trace status", "pentode trace status --format json 4711"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			pid, rest, err := tracingProcess(args)
			if err == nil && len(rest) > 0 {
				err = fmt.Errorf("a run is the process id of `pentode trace run`, not `%s`", rest[0])
			}
			if err != nil {
				return err
			}
			ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
			defer stop()
			now, err := traced.Status(ctx, pid)
			if err != nil {
				return err
			}
			list := now.Regions
			if format == "json" {
				text, err := traced.MonitoredJSON(list)
				if err != nil {
					return err
				}
				_, err = a.out.Write(text)
				return err
			}
			if len(list) == 0 {
				fmt.Fprintln(a.err, nothingMonitored)
				return nil
			}
			monitoredTable(a.out, list)
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	return cmd
}

const nothingMonitored = "nothing is monitored; `trace_mode = MONITORING` in `[OpenMP.default]` counts and measures its regions"

// monitoredTable prints regions with what is known of them.
func monitoredTable(out io.Writer, list []traced.Monitored) {
	columns.Write(out, monitoredSection(list).Cells(), "  ")
}

// monitoredSection is the same for a picture.
func monitoredSection(list []traced.Monitored) live.Section {
	t := live.Section{
		Head:    []string{"region", "unit", "count", "total", "mean", "longest"},
		Columns: []live.Column{{Text: true}, {Keep: 4}, {Keep: 3}, {Keep: 5}, {Keep: 2}, {Keep: 1}},
	}
	for _, m := range list {
		cells := []string{visible.Line(m.Region), m.Unit, live.Grouped(m.Count), short(m.Total), short(m.Mean), short(m.Longest)}
		t.Rows = append(t.Rows, live.Row{Name: m.Region + " " + m.Unit, Cells: cells, Detail: []string{m.Domain + " region " + m.Region, "on " + m.Unit + " of process " + strconv.Itoa(int(m.Process))}})
	}
	return t
}
