package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/runs/record"
)

func (a *app) runsRmVerb() *cobra.Command {
	return &cobra.Command{
		Use:               "rm RUN...",
		Short:             "Delete records of runs; their results stay",
		Example:           examples("pentode runs rm newest", "pentode runs rm paper"),
		ValidArgsFunction: recordWords,
		RunE: func(_ *cobra.Command, names []string) error {
			if len(names) == 0 {
				return errors.New("give the runs whose records are deleted; `pentode runs list` names them")
			}
			store, err := record.Here()
			if err != nil {
				return err
			}
			for _, name := range names {
				r, err := a.recordOf(store, []string{name}, 0)
				if err != nil {
					return err
				}
				if err := store.Remove(r.ID); err != nil {
					return err
				}
				fmt.Fprintln(a.out, r.ID)
			}
			return nil
		},
	}
}
