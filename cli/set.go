package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

// setFlags are the flags of `set` itself.
type setFlags struct{ force, dryRun bool }

func (a *app) setVerb() *cobra.Command {
	var flags setFlags
	cmd := &cobra.Command{
		Use:   "set PATH KEY=VALUE...",
		Short: "Change settings where they are decided",
		Long: "Changes each setting in the file that decides it: all of them, or none.\n" +
			"The settings are judged together; what would add an error is not written.",
		Example: examples("pentode set examples/trace/trace_config.txt Lexgion.default.tracing_rate=10", "pentode set examples/trace/trace_config.txt OpenMP.default.omp_work=off"),
		Args:    cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			var wanted []lang.Assignment
			for _, arg := range args[1:] {
				key, value, ok := strings.Cut(arg, "=")
				if !ok {
					return fmt.Errorf("set takes KEY=VALUE, not `%s`", arg)
				}
				wanted = append(wanted, lang.Assignment{Key: key, Value: value})
			}
			return a.set(w, args[0], wanted, flags)
		},
	}
	cmd.Flags().BoolVar(&flags.force, "force", false, "write it although it adds errors")
	cmd.Flags().BoolVar(&flags.dryRun, "dry-run", false, "show what would change, write nothing")
	return a.reads(cmd)
}

// set changes settings. Of standard input the new text is printed, and
// everything else goes to standard error.
func (a *app) set(w *workspace.Workspace, path string, wanted []lang.Assignment, flags setFlags) error {
	before, _, err := a.config(w, []string{path})
	if err != nil {
		return err
	}
	edited, err := before.Edit(wanted...)
	var refused *lang.Refused
	if errors.As(err, &refused) {
		err = nil
	}
	if err != nil {
		return a.no(err)
	}
	if err := a.decided(path, before, edited, wanted); err != nil {
		return err
	}
	others := changedToo(w, before, edited) // as the files are before they are written
	switch {
	case flags.dryRun:
		err = writeDiff(a.out, edited.Changes)
	case refused == nil || flags.force:
		err = a.writeSet(path, before, edited, wanted)
	}
	if err != nil {
		return err
	}
	if refused == nil || flags.force || flags.dryRun {
		for _, line := range others {
			fmt.Fprintln(a.err, line)
		}
	}
	a.say(edited.Added)
	if refused != nil && !flags.force {
		fmt.Fprintf(a.err, "pentode: nothing is written: this would add %s; --force writes it all the same\n",
			count(refused.Added.Count(diag.Error), "error", "errors"))
		return exitCode(exitNo)
	}
	return nil
}

// changedToo names the other files of the project whose settings change, because
// they include what is edited.
func changedToo(w *workspace.Workspace, before *lang.Config, edited *lang.Edited) (lines []string) {
	includers := w.NewIncluders()
	own, seen := before.Document.File.Path(), map[string]bool{}
	for _, change := range edited.Changes {
		d, err := w.Document(change.File)
		if err != nil {
			continue
		}
		for _, c := range includers.Of(d) {
			path := c.Document.File.Path()
			if path == own || seen[path] {
				continue
			}
			seen[path] = true
			list := lang.AlsoChanged(c, c.With(edited.Changes), nil)
			if len(list) == 0 {
				continue
			}
			line := fmt.Sprintf("%s includes %s, and changes too: %s = %s, was %s", path, change.File.Path(), list[0].Key, list[0].Value, list[0].Was)
			if more := len(list) - 1; more > 0 {
				line += fmt.Sprintf(", and %d more", more)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// decided reports which keys have their value already, and refuses to change
// other files where standard input was given.
func (a *app) decided(path string, before *lang.Config, edited *lang.Edited, wanted []lang.Assignment) error {
	for i, at := range edited.Decided {
		switch {
		case at.IsZero():
			fmt.Fprintf(a.err, "`%s` is `%s` already\n", wanted[i].Key, wanted[i].Value)
		case path == "-" && at.File.Path() != before.Document.File.Path():
			fmt.Fprintf(a.err, "pentode: %s decides `%s`, and that is not standard input: give that file, or the one that includes it\n", at, wanted[i].Key)
			return exitCode(exitNo)
		}
	}
	return nil
}

// writeSet writes the new texts and shows what changed.
func (a *app) writeSet(path string, before *lang.Config, edited *lang.Edited, wanted []lang.Assignment) error {
	report, changes := a.out, edited.Changes
	var err error
	if path == "-" {
		report, changes = a.err, nil
		_, err = io.WriteString(a.exact(), edited.Config.Document.File.Text())
	} else {
		err = workspace.Write(changes...)
	}
	if err != nil {
		return err
	}
	for i, at := range edited.Decided {
		if !at.IsZero() {
			fmt.Fprintf(report, "%s decides `%s`\n", at, wanted[i].Key)
		}
	}
	if err := writeDiff(report, changes); err != nil {
		return err
	}
	for _, also := range lang.AlsoChanged(before, edited.Config, wanted) {
		fmt.Fprintf(report, "also changed: %s = %s, was %s\n", also.Key, also.Value, also.Was)
	}
	return nil
}
