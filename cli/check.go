package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) checkVerb() *cobra.Command {
	var as format
	var strict, fix, diffOnly, host, watch, group bool
	cmd := &cobra.Command{
		Use:     "check PATH...",
		Short:   "Say what is wrong with files and folders",
		Example: examples("pentode check examples/heat", "pentode check --format sarif examples > findings.sarif"),
	}
	once := func(paths []string) error {
		w, err := a.workspace()
		if err != nil {
			return err
		}
		if host {
			return a.checkHost(w, paths)
		}
		if group && as != asText {
			return errors.New("--group is for people: give it without --format")
		}
		if group {
			as = asGroups
		}
		report, err := a.checkOrFix(w, paths, fix, diffOnly, as)
		if err != nil {
			return err
		}
		if report.Diagnostics.HasErrors() || strict && report.Diagnostics.Count(diag.Warning) > 0 {
			return exitCode(exitNo)
		}
		return nil
	}
	cmd.RunE = func(_ *cobra.Command, paths []string) error {
		switch {
		case !watch:
			return once(paths)
		case fix:
			return errors.New("--watch waits for your changes, and --fix makes some; give one of the two")
		}
		return a.again(paths, func() error { return once(paths) })
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "`text|short|json|sarif`")
	cmd.Flags().BoolVar(&group, "group", false, "one line for each kind of finding: how many, and where the first is")
	cmd.Flags().BoolVar(&strict, "strict", false, "warnings count as errors")
	cmd.Flags().BoolVar(&fix, "fix", false, "apply the fixes that are marked safe")
	cmd.Flags().BoolVar(&diffOnly, "diff", false, "with --fix: show what would change, write nothing")
	cmd.Flags().BoolVar(&host, "host", false, "say whether this machine satisfies a COIL target")
	watchFlag(cmd, &watch)
	return a.reads(cmd)
}

// checkOrFix prints what is wrong, after the fixes where these were asked for.
// Where a fixed text or a diff is on standard output, the rest is not.
func (a *app) checkOrFix(w *workspace.Workspace, paths []string, fix, diffOnly bool, as format) (*render.Report, error) {
	if !fix {
		if diffOnly {
			return nil, errors.New("--diff goes with --fix; `pentode fmt -d` shows what formatting would change")
		}
		report, err := a.check(w, paths)
		if report == nil {
			return nil, err
		}
		return report, cmp.Or(a.print(report, as), err)
	}
	report, err := a.fix(w, paths, diffOnly)
	if err != nil {
		return nil, err
	}
	if diffOnly || slices.Contains(paths, "-") {
		fmt.Fprintln(a.err, report.Summary())
		return report, nil
	}
	return report, a.print(report, as)
}

// asGroups is the text of --group.
const asGroups format = "groups"

// summary ends a report: how much was found, and what would settle many of them.
func (a *app) summary(r *render.Report) {
	fmt.Fprintln(a.err, r.Summary())
	if settled := suite.Settled(r.Diagnostics); settled != "" {
		fmt.Fprintln(a.err, settled)
	}
}

// print writes a report in a format.
func (a *app) print(r *render.Report, as format) error {
	switch as {
	case asText:
		if err := render.Terminal(visible.Below(a.out), r.Diagnostics, colour(a.out)); err != nil {
			return err
		}
		if len(r.Diagnostics) > 0 {
			fmt.Fprintln(a.out)
		}
		if len(r.Diagnostics) > render.Many {
			if err := render.Grouped(a.err, render.Groups(r.Diagnostics)); err != nil {
				return err
			}
		}
		a.summary(r)
		return nil
	case asGroups:
		if err := render.Grouped(a.out, render.Groups(r.Diagnostics)); err != nil {
			return err
		}
		a.summary(r)
		return nil
	case asShort:
		return render.Short(a.out, r.Diagnostics)
	case asJSON:
		return render.JSON(a.out, r)
	}
	return render.SARIF(a.out, r, Version)
}
