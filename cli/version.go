package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// Version is the version of the program.
const Version = "0.1.0"

func versionLine() string {
	return fmt.Sprintf("pentode %s %s %s/%s", Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (a *app) versionVerb() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: examples("pentode version", "pentode version | cut -d' ' -f2"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.exact(), versionLine())
			return err
		},
	}
}

func (a *app) completionVerb() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		Short:     "Write the completion script of a shell",
		Example:   examples("pentode completion bash > pentode.bash", "pentode completion zsh > _pentode"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.exact(), true)
			case "zsh":
				return root.GenZshCompletion(a.exact())
			case "fish":
				return root.GenFishCompletion(a.exact(), true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.exact())
			}
			return fmt.Errorf("completion is for bash, zsh, fish and powershell, not `%s`", args[0])
		},
	}
}
