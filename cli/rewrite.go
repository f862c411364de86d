package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

// formatting has the flags of `fmt`.
type formatting struct{ check, diff, watch bool }

func (a *app) fmtVerb() *cobra.Command {
	var how formatting
	cmd := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "Format files: change white space, nothing else",
		Long: "Formats files and all files in folders, by default the current folder, and prints the names of the files that changed. With -\n" +
			"it is a filter. It leaves a file with a syntax error alone, and the exit code is then 1.",
		Example: examples("pentode fmt --check examples", "pentode fmt --diff examples/heat"),
	}
	once := func(paths []string) error {
		w, err := a.workspace()
		if err != nil {
			return err
		}
		docs, code := a.formattable(w, paths)
		a.work.Begin("formatting", "files")
		for i, d := range docs {
			a.work.Set(int64(i), int64(len(docs)))
			c, err := a.format(d, how)
			if err != nil {
				return err
			}
			code = max(code, c)
		}
		if code != exitOK {
			return exitCode(code)
		}
		return nil
	}
	cmd.RunE = func(_ *cobra.Command, paths []string) error {
		paths = orHere(paths)
		switch {
		case !how.watch:
			return once(paths)
		case !how.check && !how.diff:
			return errors.New("--watch needs --check or --diff")
		}
		return a.again(paths, func() error { return once(paths) })
	}
	cmd.Flags().BoolVar(&how.check, "check", false, "write nothing: print the names of the files that would change, and exit 1 if there are any")
	cmd.Flags().BoolVar(&how.diff, "diff", false, "write nothing: show what would change, and exit 1 if anything would")
	watchFlag(cmd, &how.watch)
	return a.reads(cmd)
}

// formattable opens all files, and all files in folders. A file that cannot be
// opened is reported and left out, and the exit code is then not 0.
func (a *app) formattable(w *workspace.Workspace, paths []string) (docs []*lang.Document, code int) {
	skipped := &render.Report{}
	unread := a.openAll(w, paths, skipped, func(found []*lang.Document, _ bool) { docs = append(docs, found...) })
	if len(skipped.Diagnostics) > 0 {
		a.say(skipped.Diagnostics)
		code = exitNo
	}
	if unread != nil {
		code = exitMisuse
	}
	if a.unsound(w) != nil { // an unreadable project file might exclude the files
		return nil, exitNo
	}
	return docs, code
}

// format formats one file and returns its exit code.
func (a *app) format(d *lang.Document, how formatting) (int, error) {
	code := exitOK
	if problems := d.Problems(); problems.HasErrors() {
		a.say(problems.Limit())
		code = exitNo
	}
	old := d.File.Text()
	text, _ := d.Format()
	path := d.File.Path()
	changed := text != old
	switch {
	case how.check || how.diff:
		if !changed {
			return code, nil
		}
		if how.check {
			fmt.Fprintln(a.out, path)
		}
		if how.diff {
			a.out.Write(diff.Diff(path, []byte(old), path, []byte(text)))
		}
		return exitNo, nil
	case d.File == a.files.read: // standard input
		_, err := io.WriteString(a.exact(), text)
		return code, err
	case !changed || code != exitOK:
		return code, nil
	}
	if err := workspace.Write(source.Change{File: d.File, Text: text}); err != nil {
		return code, err
	}
	fmt.Fprintln(a.out, path)
	return code, nil
}

func (a *app) convertVerb() *cobra.Command {
	var to, output string
	cmd := &cobra.Command{
		Use:     "convert --to FORMAT PATH",
		Short:   "Convert a file to another format",
		Example: examples("pentode convert --to json examples/trace/trace_config.txt", "pentode convert --to new-style --filename old.pipe - < examples/numbers/squares.pipe"),
		RunE: func(_ *cobra.Command, paths []string) error {
			_, c, err := a.read(paths, "")
			if err != nil {
				return err
			}
			return a.convert(c, to, output)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the `FORMAT`")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`; - is standard output. It may be PATH itself if FORMAT is a form of the same language")
	return a.reads(cmd)
}

// convert prints or writes a file in another format, and reports what was lost. The exit code is 1 if the file has errors,
// because the result may be incomplete.
func (a *app) convert(c *lang.Config, to, output string) error {
	l := c.Document.Language
	if to == "" && len(l.Formats()) > 0 {
		return fmt.Errorf("give the format with --to: %s", strings.Join(l.Formats(), ", "))
	}
	var b bytes.Buffer
	lost, err := c.Convert(to, &b)
	itself := sameFile(output, c.Document.File.Path())
	switch {
	case err != nil:
		return err
	case itself && !l.IsStyle(to):
		return fmt.Errorf("`%s` is not a form of a %s file, so it cannot replace one: give another file with -o", to, l.Title)
	case itself && c.Document.Problems().HasErrors():
		a.say(c.Document.Problems())
		return a.no(errors.New("nothing is written: the parts with errors might be lost"))
	case itself:
		err = workspace.Write(source.Change{File: c.Document.File, Text: b.String()})
	default:
		err = a.deliver(output, b.Bytes())
	}
	if err != nil {
		return err
	}
	a.say(lost)
	return a.broken(c, lost)
}

// sameFile reports whether two paths name the same file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
