package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) setVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "set PATH KEY=VALUE...",
		Short:   "Change settings where they are decided",
		Example: examples("pentode set examples/trace/trace_config.txt Lexgion.default.tracing_rate=10", "pentode set examples/trace/trace_config.txt OpenMP.default.omp_work=off"),
		Args:    cobra.MinimumNArgs(2), ValidArgsFunction: a.setWords,
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			var wanted []assignment
			for _, arg := range args[1:] {
				key, value, ok := strings.Cut(arg, "=")
				if !ok {
					return fmt.Errorf("set takes KEY=VALUE, not `%s`", arg)
				}
				wanted = append(wanted, assignment{key, value})
			}
			return a.set(w, args[0], wanted)
		},
	}
	return a.reads(cmd)
}

// assignment is a setting and the value it shall have.
type assignment struct{ key, value string }

// set changes settings, each in whichever file decides it: all of them, or
// none where one cannot be changed. Of standard input the new text is printed,
// and what there is to say about it goes elsewhere.
func (a *app) set(w *workspace.Workspace, path string, wanted []assignment) error {
	before, _, err := a.config(w, []string{path})
	if err != nil {
		return err
	}
	report := a.out
	if path == "-" {
		report = a.err
	}
	changes := newRewrites(w)
	now := before
	var decided []string
	for _, as := range wanted {
		edits, err := now.Edit(as.key, as.value)
		if err != nil {
			fmt.Fprintf(a.err, "pentode: %s\n", err)
			return exitCode(exitNo)
		}
		texts, err := applied(edits)
		if err != nil {
			return err
		}
		if !changesAny(texts) {
			fmt.Fprintf(a.err, "`%s` is `%s` already\n", as.key, as.value)
			continue
		}
		if at := edits[0].Span; path == "-" && at.File != now.Document.File {
			fmt.Fprintf(a.err, "pentode: %s decides `%s`, and that is not standard input: give that file, or the one that includes it\n", at, as.key)
			return exitCode(exitNo)
		}
		decided = append(decided, fmt.Sprintf("%s decides `%s`\n", edits[0].Span, as.key))
		changes.keep(texts)
		now = changes.resolve(now, texts)
	}
	if path == "-" {
		if _, err := io.WriteString(a.out, now.Document.File.Text()); err != nil {
			return err
		}
	} else if err := changes.write(); err != nil {
		return err
	}
	fmt.Fprint(report, strings.Join(decided, ""))
	if path != "-" {
		if err := changes.diff(report); err != nil {
			return err
		}
	}
	alsoChanged(report, before, now, wanted)
	a.say(newFindings(before, now))
	return nil
}

// changesAny reports whether a text is another than its file's.
func changesAny(texts map[*source.File]string) bool {
	for f, text := range texts {
		if f.Text() != text {
			return true
		}
	}
	return false
}

// alsoChanged lists the settings that changed along with those that were meant.
func alsoChanged(out io.Writer, before, after *lang.Config, meant []assignment) {
	was := map[string]string{}
	for e := range before.Values() {
		was[e.Key] = e.Value
	}
	for e := range after.Values() {
		isMeant := slices.ContainsFunc(meant, func(as assignment) bool { return as.key == e.Key })
		if old, ok := was[e.Key]; ok && old != e.Value && !isMeant {
			fmt.Fprintf(out, "also changed: %s = %s, was %s\n", e.Key, e.Value, old)
		}
	}
}

// newFindings are those that were not there before, wherever they stand now.
func newFindings(before, after *lang.Config) diag.List {
	type finding struct{ code, message string }
	known := map[finding]int{}
	for _, d := range before.Diagnostics() {
		known[finding{d.Code.ID, d.Message}]++
	}
	var found diag.List
	for _, d := range after.Diagnostics() {
		f := finding{d.Code.ID, d.Message}
		if known[f]--; known[f] < 0 && d.Severity != diag.Info {
			found.Add(d)
		}
	}
	return found
}
