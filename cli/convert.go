package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

func (a *app) convertVerb() *cobra.Command {
	var to string
	var write bool
	cmd := &cobra.Command{
		Use:     "convert --to FORMAT PATH",
		Short:   "Write a file in a neighbouring format",
		Example: examples("pentode convert --to json examples/trace/trace_config.txt", "pentode convert --to new-style --filename old.pipe - < examples/numbers/squares.pipe"),
		RunE: func(_ *cobra.Command, paths []string) error {
			return a.rewrite(paths, write, func(c *lang.Config, b *bytes.Buffer) (diag.List, error) {
				l := c.Document.Language
				if to == "" && len(l.Formats()) > 0 {
					return nil, fmt.Errorf("give the format with --to: %s", strings.Join(l.Formats(), ", "))
				}
				lost, err := c.Convert(to, b)
				if err == nil && write && !l.IsStyle(to) {
					err = fmt.Errorf("`%s` is no form of a %s file, so it does not replace it; leave -w out, and write it to another file", to, l.Title)
				}
				return lost, err
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the `FORMAT`")
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the file, where FORMAT is another form of its own language")
	return a.reads(cmd)
}

func (a *app) flattenVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "flatten PATH",
		Short:   "Write one file without includes and macros",
		Example: examples("pentode flatten examples/heat/heat.coilcfg", "pentode flatten examples/heat/heat.pipe > one.pipe"),
		RunE: func(_ *cobra.Command, paths []string) error {
			return a.rewrite(paths, false, func(c *lang.Config, b *bytes.Buffer) (diag.List, error) { return c.Flatten(b) })
		},
	}
	return a.reads(cmd)
}

// rewrite prints what do makes of a document, and reports what was lost. Its
// own success is the answer: errors of the input are counted only.
func (a *app) rewrite(paths []string, write bool, do func(*lang.Config, *bytes.Buffer) (diag.List, error)) error {
	if err := writable(write, paths); err != nil {
		return err
	}
	_, c, err := a.read(paths, "")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	lost, err := do(c, &b)
	if err != nil {
		return err
	}
	switch {
	case write && c.Document.Problems().HasErrors():
		a.say(c.Document.Problems())
		fmt.Fprintln(a.err, "pentode: nothing is written: what cannot be read might be lost")
		return exitCode(exitNo)
	case write:
		err = workspace.Write(source.Change{File: c.Document.File, Text: b.String()})
	default:
		_, err = a.exact().Write(b.Bytes())
	}
	if err != nil {
		return err
	}
	a.say(lost)
	if n := c.Diagnostics().Count(diag.Error); n > 0 {
		fmt.Fprintf(a.err, "pentode: `%s` has %s, which `check` shows\n", c.Document.File.Path(), count(n, "error", "errors"))
	}
	if lost.HasErrors() {
		return exitCode(exitNo)
	}
	return nil
}

func (a *app) schemaVerb() *cobra.Command {
	return a.table("schema LANGUAGE", "Write the JSON Schema of a language's resolved form",
		examples("pentode schema pinsight", "pentode schema pinsight > pinsight.schema.json"), (*schema.Schema).JSONSchema)
}

func (a *app) docsVerb() *cobra.Command {
	return a.table("docs LANGUAGE", "Write the reference of a language's keys as Markdown",
		examples("pentode docs pinsight", "pentode docs pinsight > pinsight.md"), (*schema.Schema).Markdown)
}

// table is a verb that writes a language's schema in some form.
func (a *app) table(use, short, example string, write func(*schema.Schema, io.Writer) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Example: example, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			languages, err := a.languages(&project.Project{})
			if err != nil {
				return err
			}
			l, err := lang.ByName(languages, args[0])
			if err != nil {
				return err
			}
			s := l.Schema()
			if s == nil {
				return fmt.Errorf("%s has no table of keys", l.Title)
			}
			return write(s, a.out)
		},
	}
	cmd.Flags().StringArrayVar(&a.files.options.catalogs, "catalog", nil, "PInsight: a `FILE` with further domains (repeatable)")
	targetFiles(cmd, &a.files.options)
	return cmd
}
