package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/trace/collect"
)

func (a *app) traceMergeVerb() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge -o DIR DIR...",
		Short: "Join the traces of several ranks or nodes into one, by time",
		Long: "Joins traces that `pentode trace run` wrote, each folder with all that lie below it. The clocks of nodes are\n" +
			"aligned at the ends of MPI_Init and MPI_Finalize, which all ranks reach together.",
		Example: examples("pentode trace merge -o all traced", "pentode trace merge -o all node1 node2"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			if out == "" || len(dirs) == 0 {
				return errors.New("give the new folder with -o, and the folders of the traces")
			}
			if _, err := os.Stat(out); err == nil {
				return fmt.Errorf("`%s` exists already; name another folder with -o", out)
			}
			traces, events, err := collect.Merge(filepath.Join(out, "ctf"), dirs)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.err, "`%s`: %d events of %d traces\n", out, events, traces)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "the new `DIR`")
	return cmd
}
