package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/internal/lsp"
)

func (a *app) lspVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve editors: the language server on standard input and output",
		Long: "lsp speaks the language server protocol on standard input and output. An editor starts it; docs/editors.md says\n" +
			"how for each. The flags hold for every file that the editor has open.",
		Example: examples("pentode lsp", "pentode lsp -I examples/numbers"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			in, ok := a.in.(io.ReadCloser)
			if !ok {
				in = io.NopCloser(a.in)
			}
			signal.Ignore(syscall.SIGPIPE) // a client that does not read any more is a failed write
			defer signal.Reset(syscall.SIGPIPE)
			err = lsp.Serve(cmd.Context(), in, visible.Below(a.out), lsp.Options{Version: Version, Workspace: w, Host: a.host(), Log: a.err})
			if lost := (*fs.PathError)(nil); err != nil && !errors.As(err, &lost) { // Run reports a lost answer
				fmt.Fprintf(a.err, "pentode: %v\n", err)
				return exitCode(exitNo) // as the protocol has it
			}
			return err
		},
	}
	return a.reads(cmd)
}
