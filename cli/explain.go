package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/workspace/project"
)

func (a *app) explainVerb() *cobra.Command {
	var uses bool
	cmd := &cobra.Command{
		Use:     "explain PATH KEY | explain CODE",
		Short:   "Show where a setting comes from, or what a code means",
		Example: examples("pentode explain examples/trace/trace_config.txt OpenMP.default.omp_work", "pentode explain pinsight/unknown-event"),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && (a.files.lang == "" || strings.Contains(args[0], "/")) {
				return a.explainCode(args[0])
			}
			return a.explainKey(args[:len(args)-1], args[len(args)-1], uses)
		},
	}
	cmd.Flags().BoolVar(&uses, "uses", false, "list who read the setting")
	return a.reads(cmd)
}

func (a *app) explainKey(paths []string, key string, uses bool) error {
	_, c, err := a.read(paths, "")
	if err != nil {
		return err
	}
	var keys []string
	for e := range c.Values() {
		if e.Key != key {
			keys = append(keys, e.Key)
			continue
		}
		if uses {
			if len(e.Uses) == 0 {
				fmt.Fprintf(a.err, "nothing reads `%s`\n", key)
			}
			a.uses(&e)
			return nil
		}
		fmt.Fprintf(a.out, "%s\n\n", settingLine(&e))
		a.steps("", &e)
		a.uses(&e)
		return nil
	}
	a.noSuchKey(c.Document.File.Path(), key, keys)
	return exitCode(exitNo)
}

// noSuchKey lists the keys that there are instead.
func (a *app) noSuchKey(path, key string, keys []string) {
	fmt.Fprintf(a.err, "`%s` has no setting `%s`%s\n", path, key, near(key, keys))
	const limit = 8
	shown := 0
	for _, k := range keys {
		if !strings.Contains(strings.ToLower(k), strings.ToLower(key)) {
			continue
		}
		if shown++; shown > limit {
			fmt.Fprintln(a.err, "  …")
			return
		}
		fmt.Fprintln(a.err, "  "+k)
	}
}

func (a *app) uses(e *origin.Entry) {
	var rows [][]string
	for _, u := range e.Uses {
		rows = append(rows, []string{"  ", "read by", u.Key, u.Span.String(), u.Text})
	}
	a.columns(rows)
}

func (a *app) explainCode(id string) error {
	languages, err := a.languages(&project.Project{})
	if err != nil {
		return err
	}
	var ids []string
	for _, c := range allCodes(languages) {
		if c.ID == id {
			a.code(c)
			return nil
		}
		ids = append(ids, c.ID)
	}
	if _, err := os.Stat(id); err == nil {
		return errors.New("give a key after the file: `pentode explain PATH KEY`")
	}
	fmt.Fprintf(a.err, "there is no code `%s`; %s\n", id,
		problem.Advise(id, ids, "a setting is asked for with its file: `pentode explain PATH KEY`"))
	return exitCode(exitNo)
}

func (a *app) code(c *diag.Code) {
	fmt.Fprintf(a.out, "%s (%s): %s\n\n%s\n", c.ID, c.Severity, c.Title, c.Doc)
	fmt.Fprintf(a.out, "\nBad:\n\n%s\nGood:\n\n%s", indented(c.Bad), indented(c.Good))
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}
