package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/runs/record"
)

func (a *app) runsTagVerb() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:               "tag RUN TAG...",
		Short:             "Give a run names by which it is found, and with which it stays",
		Long:              "Give a run names by which the other verbs find it. A run with a tag stays when older runs are deleted.",
		Example:           examples("pentode runs tag newest paper", "pentode runs tag --remove newest paper"),
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: recordWords,
		RunE: func(_ *cobra.Command, words []string) error {
			tags := words[1:]
			for _, tag := range tags {
				if tag == newest || strings.ContainsFunc(tag, func(r rune) bool { return r <= ' ' || r == 0x7f }) || tag == "" {
					return fmt.Errorf("`%s` cannot be a tag: expected a word, and not `%s`", tag, newest)
				}
			}
			store, err := record.Here()
			if err != nil {
				return err
			}
			r, err := a.recordOf(store, words, 0)
			if err != nil {
				return err
			}
			if r.Stage() == record.Running {
				return a.no(fmt.Errorf("run `%s` goes on: give it a tag when it has ended", r.ID))
			}
			if remove {
				for _, tag := range tags {
					if !slices.Contains(r.Tags, tag) {
						return a.no(fmt.Errorf("run `%s` has no tag `%s`", r.ID, tag))
					}
				}
				tags = slices.DeleteFunc(slices.Clone(r.Tags), func(tag string) bool { return slices.Contains(tags, tag) })
			} else {
				tags = append(slices.Clone(r.Tags), tags...)
			}
			if err := store.Tag(r, tags); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.out, r.ID, strings.Join(r.Tags, " "))
			return err
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take the tags away")
	return cmd
}
