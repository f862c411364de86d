package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) targetVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "target",
		Short:   "Ask about machines: this one, what runs where, what a compiler must be told",
		Example: examples("pentode target detect > here.coilcfg", "pentode target flags --for gcc x86-64-v3"),
		Args:    isVerb,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.detectVerb(), a.flagsVerb(), a.compatVerb(), a.targetListVerb())
	return cmd
}
