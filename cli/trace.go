package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/export"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) traceHeaderVerb() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "header",
		Short: "Print the C header or Fortran module with which a program marks its own regions",
		Long: "Prints the C and C++ header with pentode_region_begin, pentode_region_end, pentode_mark and the knobs of the trace\n" +
			"configuration. With --format fortran it prints the source of a module with the same names, to compile with the\n" +
			"program. The program needs no library: while it is not traced, the functions return at once.",
		Example: examples("pentode trace header > pentode_trace.h", "pentode trace header --format fortran > pentode_trace.f90"),
		Args:    cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			text := agent.Header
			if as == "fortran" {
				text = agent.Fortran
			}
			_, err := a.out.Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&as, "format", "c", "`c|fortran`")
	return cmd
}

func (a *app) traceMergeVerb() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge -o DIR DIR...",
		Short: "Join the traces of several ranks or nodes into one, by time",
		Long: "Joins all traces of `pentode trace record` at or below the given folders. It aligns the clocks of nodes at the ends of\n" +
			"MPI_Init and MPI_Finalize, which all ranks reach together.",
		Example: examples("pentode trace merge -o all traced", "pentode trace merge -o all node1 node2"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			if out == "" || len(dirs) == 0 {
				return errors.New("give the new folder with -o, and the folders of the traces")
			}
			if err := notStdio("-o", out, "the folder of a trace"); err != nil {
				return err
			}
			if _, err := os.Stat(out); err == nil {
				return fmt.Errorf("`%s` exists already; name another folder with -o", out)
			}
			a.work.Begin("joining the traces", live.Bytes)
			traces, events, err := collect.Merge(filepath.Join(out, "ctf"), dirs, a.work.Set)
			if missing := (*ctf.NoTrace)(nil); err != nil && !errors.As(err, &missing) {
				return a.no(err)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.err, "`%s`: %d events of %d traces\n", out, events, traces)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "the new `DIR`")
	return cmd
}

func (a *app) traceExportVerb() *cobra.Command {
	var to, out string
	var formats strings.Builder
	for _, f := range export.Formats {
		fmt.Fprintf(&formats, "\n  %-10s  %s", f.Name, f.Doc)
	}
	names := strings.Join(export.Names(), "|")
	cmd := &cobra.Command{
		Use:   "export --to " + names + " -o FILE DIR",
		Short: "Convert a recorded trace to the format of another program",
		Long: "Converts the traces at or below a folder to another format: traces of any version of `pentode trace record`, merged\n" +
			"traces, and traces of LTTng and PInsight. It reports which data the format cannot store. The formats are for" + formats.String(),
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
	cmd.Flags().StringVarP(&out, "output", "o", "", "the new `FILE`; - is standard output")
	return cmd
}

func (a *app) traceExport(f export.Format, dir, out string) error {
	t, err := a.openTrace(dir)
	if err != nil {
		return err
	}
	left, err := a.exportTo(out, f, t)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		fmt.Fprintf(a.err, "`%s` cannot store %s\n", f.Name, strings.Join(left, ", nor "))
	}
	return nil
}

// openTrace opens a trace. A damaged trace is a failure (exit code 1), a missing one is misuse (2).
func (a *app) openTrace(dir string) (*recorded.Trace, error) {
	a.work.Begin("reading the trace", live.Bytes)
	t, err := recorded.OpenWatched(dir, a.work.Set)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, a.no(err)
	}
	return t, err
}

// exportTo writes a trace to a file, or to standard output.
func (a *app) exportTo(out string, f export.Format, t *recorded.Trace) (left []string, err error) {
	if out == stdio {
		left, err = f.Write(a.exact(), t)
		return left, a.no(err)
	}
	file, err := outfile.Create(out)
	if err != nil {
		return nil, fmt.Errorf("`%s` cannot be written: %w", out, problem.Reason(err))
	}
	if left, err = f.Write(file, t); err != nil {
		return nil, a.no(errors.Join(err, file.Discard()))
	}
	return left, a.no(file.Close())
}

func (a *app) traceRetargetVerb() *cobra.Command {
	var from, to string
	var write bool
	cmd := &cobra.Command{
		Use:     "retarget --from OLD --to NEW FILE",
		Short:   "Update the addresses of regions after a program was rebuilt",
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
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the changed file instead of printing it")
	return a.reads(cmd, "pinsight")
}

func (a *app) retarget(paths []string, from, to string, write bool) error {
	w, c, err := a.read(paths, "pinsight")
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
	if err := errors.Join(a.files.options.load(old, w.Project(c.Document.File.Path())), rebuilt.Load(old.Base)); err != nil {
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
