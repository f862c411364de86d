package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version is the version of the program.
const Version = "0.1.0"

// versionLine names the version, Go, the machine, and where the program was
// built from a repository the commit and its date.
func versionLine() string {
	line := fmt.Sprintf("pentode %s %s %s/%s", Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return line
	}
	of := map[string]string{}
	for _, s := range info.Settings {
		of[s.Key] = s.Value
	}
	if of["vcs.revision"] == "" {
		return line
	}
	line += fmt.Sprintf(" commit %.12s of %.10s", of["vcs.revision"], of["vcs.time"])
	if of["vcs.modified"] == "true" {
		line += ", changed"
	}
	return line
}

func (a *app) versionVerb() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, and what it was built from",
		Example: examples("pentode version", "pentode version | cut -d' ' -f2"),
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.writeVersion() },
	}
}

func (a *app) writeVersion() error {
	_, err := fmt.Fprintln(a.exact(), versionLine())
	return err
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
