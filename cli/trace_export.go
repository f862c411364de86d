package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/trace/export"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

func (a *app) traceExportVerb() *cobra.Command {
	var to, out string
	var formats strings.Builder
	for _, f := range export.Formats {
		fmt.Fprintf(&formats, "\n  %-10s  %s", f.Name, f.Doc)
	}
	names := strings.Join(export.Names(), "|")
	cmd := &cobra.Command{
		Use:   "export --to " + names + " -o FILE DIR",
		Short: "Write a recorded trace for another program",
		Long: "Writes the traces at or below a folder in another format: traces of `pentode trace run`, of any version, merged ones,\n" +
			"and those of LTTng and PInsight. What the format has no place for is said. The formats are for" + formats.String(),
		Example: examples("pentode trace export --to perfetto -o trace.json traced", "pentode trace export --to folded -o stacks.txt traced"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) != 1 || out == "" {
				return errors.New("give the folder of one trace, and the new file with -o; `pentode trace merge` makes one trace of several")
			}
			f, ok := export.Find(to)
			if !ok {
				return fmt.Errorf("--to takes %s, not `%s`%s", strings.Join(export.Names(), ", "), to, near(to, export.Names()))
			}
			return a.traceExport(f, dirs[0], out)
		},
	}
	cmd.Flags().StringVar(&to, "to", "perfetto", "the `FORMAT`: "+names)
	cmd.Flags().StringVarP(&out, "out", "o", "", "the new `FILE`")
	return cmd
}

func (a *app) traceExport(f export.Format, dir, out string) error {
	t, err := recorded.Open(dir)
	if err != nil {
		return err
	}
	file, err := outfile.Create(out)
	if err != nil {
		return err
	}
	left, err := f.Write(file, t)
	if err != nil {
		return errors.Join(err, file.Discard())
	}
	if err := file.Close(); err != nil {
		return err
	}
	if len(left) > 0 {
		fmt.Fprintf(a.err, "`%s` has no place for %s\n", f.Name, strings.Join(left, ", nor for "))
	}
	return nil
}
