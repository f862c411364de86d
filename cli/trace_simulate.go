package cli

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/columns"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/trace/forecast"
)

func (a *app) traceSimulateVerb() *cobra.Command {
	var r recordFlags
	var format string
	var units bool
	cmd := &cobra.Command{
		Use:   "simulate --record DIR FILE",
		Short: "Say what another configuration would have recorded of a run",
		Long: "Decides again about everything that happened in a recorded run, by another configuration: how many events of each region\n" +
			"are traced, on which units, the first and the last execution, the bytes of the streams, and the time that it takes.\n" +
			"The record must hold what the configuration asks about: all of it with `trace run --audit`, else the events that were on\n" +
			"everywhere. Counts that depend on time or on the order of threads have a range.",
		Example: examples("pentode trace simulate --record traced trace_config.txt", "pentode trace simulate --record traced -s Lexgion.default.tracing_rate=10 --format json trace_config.txt"),
		RunE: func(_ *cobra.Command, paths []string) error {
			rec, err := a.record(&r, paths)
			if err != nil {
				return err
			}
			f, err := rec.simulate(rec.policy)
			if err != nil {
				return a.no(err)
			}
			if format == "json" {
				return a.json(f)
			}
			a.forecast(f, units)
			return nil
		},
	}
	r.flags(cmd)
	cmd.Flags().BoolVar(&units, "units", false, "a row for each rank, team and thread")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	return a.reads(cmd, "pinsight")
}

// forecast prints a forecast for a person.
func (a *app) forecast(f *forecast.Forecast, units bool) {
	out := visible.Below(a.out)
	name := f.Program
	if name == "" {
		name = "the run"
	}
	fmt.Fprintf(out, "%s: %s\n", name, costText(f))
	for _, n := range f.Notes {
		fmt.Fprintln(out, n)
	}
	if len(f.Rows) == 0 {
		return
	}
	fmt.Fprintln(out)
	columns.Write(out, forecastRows(f, units), "  ")
	if len(f.Ranks) > 1 {
		fmt.Fprintln(out)
		columns.Write(out, rankRows(f), "  ")
	}
}

// costText is what a forecast comes to, in one line.
func costText(f *forecast.Forecast) string {
	return fmt.Sprintf("%s of %s, %s, %s%s of all threads, %s of the one with most", rangeText(f.Traced, f.Low, f.High), count(int(f.Happened), "event", "events"),
		count(int(f.Bytes), "byte", "bytes"), about(f), short(time.Duration(f.Time)), forecast.Percent(f.Overhead))
}

// about stands before times that were not measured on this machine.
func about(f *forecast.Forecast) string {
	if f.Cost.Measured {
		return ""
	}
	return "about "
}

// rangeText is a count, with what it can be where that is not settled.
func rangeText(n, low, high uint64) string {
	if low == high {
		return live.Grouped(n)
	}
	return fmt.Sprintf("%s (%s to %s)", live.Grouped(n), live.Grouped(low), live.Grouped(high))
}

// forecastRows are the rows with their heads: for each unit, or for all units together.
func forecastRows(f *forecast.Forecast, units bool) [][]string {
	head := []string{"region", "event", "traced", "of", "first", "last", "bytes", "time"}
	if units {
		head = slices.Insert(head, 2, "rank", "team", "thread")
	}
	rows := [][]string{head}
	list := f.Rows
	if !units {
		list = together(list)
	}
	region := ""
	for i := range list {
		r := &list[i]
		first, last := "", ""
		if r.Traced > 0 {
			first, last = live.Grouped(uint64(r.First)), live.Grouped(uint64(r.Last))
		}
		cells := []string{r.Event, rangeText(r.Traced, r.Low, r.High), live.Grouped(r.Happened), first, last, live.Grouped(uint64(r.Bytes)), short(time.Duration(r.Time))}
		if units {
			cells = slices.Insert(cells, 1, strconv.Itoa(int(r.Rank)), strconv.Itoa(int(r.Team)), strconv.Itoa(int(r.Thread)))
		}
		name := r.Title()
		if name == region {
			name = ""
		} else {
			region = name
		}
		rows = append(rows, append([]string{name}, cells...))
	}
	return rows
}

// together adds up the units of each region and event. Rows come sorted.
func together(rows []forecast.Row) []forecast.Row {
	var list []forecast.Row
	for _, r := range rows {
		n := len(list)
		if n == 0 || list[n-1].Region != r.Region || list[n-1].Domain != r.Domain || list[n-1].Event != r.Event {
			list = append(list, r)
			continue
		}
		sum := &list[n-1]
		if r.Traced > 0 {
			if sum.Traced == 0 || r.First < sum.First {
				sum.First = r.First
			}
			sum.Last = max(sum.Last, r.Last)
		}
		sum.Traced, sum.Happened, sum.Low, sum.High = sum.Traced+r.Traced, sum.Happened+r.Happened, sum.Low+r.Low, sum.High+r.High
		sum.Bytes, sum.Time = sum.Bytes+r.Bytes, sum.Time+r.Time
	}
	return list
}

// rankRows is how many events of each kind each rank would have.
func rankRows(f *forecast.Forecast) [][]string {
	var events []string
	for _, r := range f.Ranks {
		for e := range r.Events {
			if !slices.Contains(events, e) {
				events = append(events, e)
			}
		}
	}
	slices.Sort(events)
	rows := [][]string{append([]string{"rank"}, events...)}
	for _, r := range f.Ranks {
		row := []string{strconv.Itoa(int(r.Rank))}
		for _, e := range events {
			row = append(row, live.Grouped(r.Events[e]))
		}
		rows = append(rows, row)
	}
	return rows
}
