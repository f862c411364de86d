package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/compare"
	"github.com/pentode-dev/pentode/runs/origin"
	"github.com/pentode-dev/pentode/runs/record"
)

func (a *app) runsDiffVerb() *cobra.Command {
	var as format
	cmd := &cobra.Command{
		Use:   "diff [A] [B]",
		Short: "Compare two runs: settings, results, and which setting can be the cause",
		Long: "Compare two runs: settings with their lines, results by content, figures beyond noise, and for each result the settings\n" +
			"that can have changed it, the most likely first. B defaults to the newest run, A to the one before it.\n" +
			"Exit: 0 nothing differs except measured values, 1 something else differs.",
		Example:           examples("pentode runs diff", "pentode runs diff --format json"),
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: recordWords,
		RunE: func(_ *cobra.Command, names []string) error {
			if err := textOrJSON(as); err != nil {
				return err
			}
			store, err := record.Here()
			if err != nil {
				return err
			}
			var sides [2]*record.Record
			for i := range sides {
				if sides[i], err = a.recordOf(store, names[min(i, len(names)):], 1-i); err != nil {
					return err
				}
			}
			others, err := store.List()
			if err != nil {
				return err
			}
			a.work.Begin("comparing "+quantity.Count(len(sides[1].Results), "result", "results"), "")
			d := compare.Runs(sides[0], sides[1], others)
			if as == asJSON {
				err = a.jsonDiff(d)
			} else {
				err = a.buffered(func() error { a.printDiff(d); return nil })
			}
			if err == nil && !d.Same() {
				return exitCode(exitNo)
			}
			return err
		},
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|json`")
	return a.wideFlag(cmd)
}

// jsonDiff is the output of `runs diff --format json`.
type jsonDiff struct {
	Version  int              `json:"version"`
	A        string           `json:"a"`
	B        string           `json:"b"`
	Settings []compare.Change `json:"settings"`
	Derived  int              `json:"derived"`
	Others   []string         `json:"others"`
	Results  []compare.Result `json:"results"`
	Figures  []compare.Figure `json:"figures"`
}

func (a *app) jsonDiff(d *compare.Diff) error {
	return a.json(jsonDiff{1, d.A.ID, d.B.ID, append([]compare.Change{}, d.Settings...), d.Derived, append([]string{}, d.Others...), append([]compare.Result{}, d.Results...), append([]compare.Figure{}, d.Figures...)})
}

func (a *app) printDiff(d *compare.Diff) {
	a.line("from %s to %s", d.A.ID, d.B.ID)
	a.printChanges(d)
	a.printResults(d)
	for _, f := range d.Figures {
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
		runs := ""
		if f.Unit != "" {
			runs = fmt.Sprintf("  medians of %d and %s", f.Of[0], quantity.Count(f.Of[1], "run", "runs"))
		}
		a.line("figure  %s: %s%s, and %s%s%s", f.Name, number(f.Was), f.Unit, number(f.Is), f.Unit, runs)
	}
}

// printChanges prints what changed between two runs.
func (a *app) printChanges(d *compare.Diff) {
	var rows [][]string
	for _, c := range d.Settings {
		was, is := c.Was, c.Is
		if c.WasAt == "" && was == "" {
			was = "(not set)"
		}
		if c.IsAt == "" && is == "" {
			is = "(not set)"
		}
		at := c.IsAt
		if c.WasAt != "" && c.WasAt != c.IsAt {
			at += " (was " + c.WasAt + ")"
		}
		rows = append(rows, []string{"setting", c.Key, was, "→ " + is, at})
	}
	a.columns(rows, columns.Text, columns.Name, columns.Name, columns.Name, columns.Name)
	if d.Derived > 0 {
		a.line("        and %s that read them", quantity.Count(d.Derived, "setting", "settings"))
	}
	for _, other := range d.Others {
		a.line("besides %s", other)
	}
	if len(d.Settings)+len(d.Others) == 0 {
		a.line("no setting differs, and nothing else in the records does")
	}
}

// maxAlike limits how many differing results of one process are shown one by one, and maxCauses how many causes are shown.
const (
	maxAlike  = 3
	maxCauses = 5
)

// printResults prints how the results of two runs differ.
func (a *app) printResults(d *compare.Diff) {
	equal, measured, shown, left := 0, 0, map[string]int{}, map[string]int{}
	for i := range d.Results {
		r := &d.Results[i]
		switch r.State {
		case compare.Equal:
			equal++
			continue
		case compare.Measured:
			measured++
			continue
		}
		if shown[r.Process]++; shown[r.Process] > maxAlike {
			left[r.Process]++
			continue
		}
		line := "result  " + r.Path + ": " + string(r.State)
		if r.Note != "" {
			line += "; " + r.Note
		}
		a.line("%s", line)
		for _, how := range r.How {
			if how.Part != "" {
				how.Part += ": "
			}
			a.line("          %s%s", how.Part, how.What)
		}
		for n, c := range r.Causes[:min(len(r.Causes), maxCauses)] {
			a.line("        %s %s  %s", []string{"perhaps by", "        or"}[min(n, 1)], c.Key, c.At)
		}
	}
	for i := range d.Results {
		if n := left[d.Results[i].Process]; n > 0 {
			delete(left, d.Results[i].Process)
			by := ""
			if p := d.Results[i].Process; p != "" {
				by = " of " + p
			}
			a.line("result  %s more%s", quantity.Count(n, "file", "files"), by)
		}
	}
	a.line("%s", quantity.Count(equal, "result is equal", "results are equal"))
	if measured > 0 {
		a.line("%s not compared", quantity.Count(measured, "result contains times, and is", "results contain times, and are"))
	}
}

func (a *app) runsRerunVerb() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "rerun RUN|FILE",
		Short: "Repeat a recorded run, and compare the results",
		Long: "Repeats a recorded run with its configuration files as they were then, even if they have changed, and compares the results.\n" +
			"FILE means the run that made this file. Changed programs, inputs or machines are reported first. Without -o, equal\n" +
			"results are deleted afterwards.\n" +
			"Exit: 0 equal except for measured values, 1 not equal.",
		Example:           examples("pentode runs rerun newest", "pentode runs rerun -o again newest"),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: recordWords,
		RunE: func(_ *cobra.Command, names []string) error {
			if err := notStdio("-o", out, "the folder of the results"); err != nil {
				return err
			}
			store, err := record.Here()
			if err != nil {
				return err
			}
			var r *record.Record
			if info, missing := os.Stat(names[0]); missing == nil && info.Mode().IsRegular() {
				if r, err = origin.RunOf(store, names[0]); err != nil {
					return a.no(err)
				}
			} else if r, err = a.recordOf(store, names, 0); err != nil {
				return err
			}
			return a.rerunRecord(store, r, out)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the results to `DIR`, which must not exist")
	return a.wideFlag(cmd)
}

func (a *app) rerunRecord(store record.Store, r *record.Record, out string) error {
	scratch := ""
	if out == "" {
		var err error
		if scratch, err = os.MkdirTemp("", "pentode-rerun-"); err != nil {
			return err
		}
		out = filepath.Join(scratch, "results")
	} else if _, err := os.Lstat(out); err == nil {
		return fmt.Errorf("`%s` exists already; name another folder with -o", out)
	}
	keep := false
	defer func() {
		if !keep && scratch != "" {
			_ = os.RemoveAll(scratch) // it is in the folder of temporary files
		}
	}()
	w, err := a.options.own().Workspace()
	if err != nil {
		return err
	}
	again, err := runs.NewRerun(store, r, w, out)
	if err != nil {
		return a.no(err)
	}
	defer again.Close()
	for _, now := range again.Now {
		fmt.Fprintln(a.err, "now: "+now)
	}
	made, err := again.Run(context.Background(), a.program(), runs.Options{In: a.in, Out: visible.Below(a.out), Log: a.programLog()})
	if err != nil {
		return a.no(err)
	}
	a.work.Begin("comparing "+quantity.Count(len(r.Results), "result", "results"), "")
	d := compare.Runs(r, made, nil)
	if d.SameResults() && made.Exit == r.Exit {
		a.line("equal: %s as in run %s", quantity.Count(len(r.Results), "result", "results"), r.ID)
		return nil
	}
	keep = true
	if made.Exit != r.Exit {
		a.line("exit code %d, and it was %d", made.Exit, r.Exit)
	}
	a.printDiff(d)
	fmt.Fprintf(a.err, "the results of this run are in %s\n", out)
	return exitCode(exitNo)
}
