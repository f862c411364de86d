package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) traceRetargetVerb() *cobra.Command {
	var from, to string
	var write bool
	cmd := &cobra.Command{
		Use:     "retarget --from OLD --to NEW FILE",
		Short:   "Rewrite the addresses of regions after a rebuild",
		Example: examples("pentode trace retarget --from old/app --to new/app trace_config.txt", "pentode trace retarget --from old/app --to new/app -w trace_config.txt"),
		RunE: func(_ *cobra.Command, paths []string) error {
			if from == "" || to == "" {
				return errors.New("give the old program with --from and the new one with --to")
			}
			if err := writable(write, paths); err != nil {
				return err
			}
			return a.retarget(paths, from, to, write)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the old program, a `FILE`")
	cmd.Flags().StringVar(&to, "to", "", "the new program, a `FILE`")
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the file")
	return a.reads(cmd, "pinsight")
}

func (a *app) retarget(paths []string, from, to string, write bool) error {
	_, c, err := a.read(paths, "pinsight")
	if err != nil {
		return err
	}
	old, err := debuginfo.Open(from, debuginfo.Options{})
	if err != nil {
		return err
	}
	defer old.Close()
	rebuilt, err := debuginfo.Open(to, debuginfo.Options{})
	if err != nil {
		return err
	}
	defer rebuilt.Close()
	if err := errors.Join(a.files.options.program.load(old), rebuilt.Load(old.Base)); err != nil {
		return err
	}
	var edits []source.Edit
	lost := 0
	for _, at := range pinsight.Addresses(c) {
		now, reason, ok := debuginfo.Retarget(old, rebuilt, at.Value)
		if !ok {
			lost++
			fmt.Fprintf(a.err, "%s: 0x%x stays: %s\n", at.Span, at.Value, reason)
			continue
		}
		fmt.Fprintf(a.err, "%s: 0x%x → 0x%x: %s\n", at.Span, at.Value, now, reason)
		if now != at.Value {
			edits = append(edits, at.Edit(now))
		}
	}
	text, err := source.Apply(c.Document.File, edits)
	if err != nil {
		return err
	}
	if write {
		err = workspace.Write(source.Change{File: c.Document.File, Text: text})
	} else {
		_, err = io.WriteString(a.exact(), text)
	}
	if err == nil && lost > 0 {
		return exitCode(exitNo)
	}
	return err
}
