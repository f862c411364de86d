package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) dataVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data layout|eval|decode|import|replay",
		Short:   "Look at the data of a specification tree: layout, expressions, memory, the store",
		Example: examples("pentode data layout --set rows=4 --set cols=3 examples/heat/heat.yml field", "pentode data eval --set n=5 '$n * 2'"),
	}
	cmd.AddCommand(a.dataLayoutVerb(), a.dataEvalVerb(), a.dataDecodeVerb(), a.dataImportVerb(), a.dataReplayVerb())
	return cmd
}
