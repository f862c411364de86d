package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/runs/record"
)

func (a *app) runsVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs list|show|diff|tag|rm",
		Short: "Look at the records of runs, and compare them",
		Long: "Look at the records of runs, and compare them. Without a verb, on a terminal, they are a list to choose from: keys show a\n" +
			"record, or compare two; ? lists them.",
		Example: examples("pentode runs list", "pentode runs diff"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, in, ok := a.wholeTerminal()
			if !ok {
				return cmd.Help()
			}
			store, err := record.Here()
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			return live.Show(ctx, out, in, runsSource(store))
		},
	}
	cmd.AddCommand(a.runsListVerb(), a.runsShowVerb(), a.runsDiffVerb(), a.runsTagVerb(), a.runsRmVerb())
	return cmd
}

// newest stands for the newest run where a name is needed.
const newest = "newest"

// recordOf opens the record of a run that is named; without a name that of the newest but for so many.
func (a *app) recordOf(store record.Store, names []string, skip int) (*record.Record, error) {
	var r *record.Record
	var err error
	switch {
	case len(names) == 0:
		r, err = store.Newest(skip)
	case names[0] == newest:
		r, err = store.Newest(0)
	default:
		r, err = store.Open(names[0])
	}
	if err != nil {
		return nil, a.no(err)
	}
	return r, nil
}

// recordWords are the runs that have a record, for completion.
func recordWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var words []string
	if store, err := record.Here(); err == nil {
		list, _ := store.List() // without them there is nothing to offer
		for _, r := range list {
			words = append(append(words, r.ID), r.Tags...)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// textOrJSON refuses other formats.
func textOrJSON(as format) error {
	if as != asText && as != asJSON {
		return errors.New("--format takes text or json, not `" + string(as) + "`")
	}
	return nil
}
