package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace/project"
)

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
