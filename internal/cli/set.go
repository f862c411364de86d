package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) setVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "set PATH KEY=VALUE...",
		Short:   "Change settings where they are decided",
		Example: examples("pentode set trace_config.txt Lexgion.default.tracing_rate=10", "pentode set trace_config.txt OpenMP.default.omp_work=off"),
		Args:    cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			for _, assignment := range args[1:] {
				key, value, ok := strings.Cut(assignment, "=")
				if !ok {
					return fmt.Errorf("set takes KEY=VALUE, not `%s`", assignment)
				}
				if err := a.set(w, args[0], key, value); err != nil {
					return err
				}
			}
			return nil
		},
	}
	return a.reads(cmd)
}

// set changes one setting, in whichever file decides it.
func (a *app) set(w *workspace.Workspace, path, key, value string) error {
	before, _, err := a.config(w, []string{path})
	if err != nil {
		return err
	}
	edits, err := before.Edit(key, value)
	if err != nil {
		fmt.Fprintf(a.err, "pentode: %s\n", err)
		return exitCode(exitNo)
	}
	if len(edits) == 0 {
		fmt.Fprintf(a.err, "`%s` is `%s` already\n", key, value)
		return nil
	}
	done := map[*source.File]bool{}
	for _, e := range edits {
		f := e.Span.File
		if done[f] {
			continue
		}
		done[f] = true
		text, err := source.Apply(f, edits)
		if err != nil {
			return err
		}
		if path == "-" {
			_, err := io.WriteString(a.out, text)
			return err
		}
		fmt.Fprintf(a.out, "%s decides `%s`\n", e.Span, key)
		a.out.Write(diff.Diff(f.Path(), []byte(f.Text()), f.Path(), []byte(text)))
		if err := writeFile(f.Path(), text); err != nil {
			return err
		}
	}
	after, _, err := a.config(w, []string{path})
	if err != nil {
		return errors.Join(errors.New("the file was written but cannot be read again"), err)
	}
	a.alsoChanged(before, after, key)
	return nil
}

// alsoChanged lists the settings that changed along with the one that was meant.
func (a *app) alsoChanged(before, after *lang.Config, key string) {
	was := map[string]string{}
	for e := range before.Values() {
		was[e.Key] = e.Value
	}
	for e := range after.Values() {
		if old, ok := was[e.Key]; ok && old != e.Value && e.Key != key {
			fmt.Fprintf(a.out, "also changed: %s = %s, was %s\n", e.Key, e.Value, old)
		}
	}
}
