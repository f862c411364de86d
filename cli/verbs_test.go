package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/golden"
)

// TestGoldenVerbs keeps docs/verbs.md as the program's own help has it.
func TestGoldenVerbs(t *testing.T) {
	path := filepath.Join(golden.Root(t), "docs", "verbs.md")
	text := verbsPage(Command())
	if golden.Updating() {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != text {
		t.Error("docs/verbs.md is not up to date: go test ./cli -run TestGoldenVerbs -update")
	}
}

// verbsPage is a table of all verbs, then the help of each.
func verbsPage(root *cobra.Command) string {
	var table, help strings.Builder
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, verb := range cmd.Commands() {
			if !verb.IsAvailableCommand() {
				continue
			}
			name := verb.CommandPath()
			fmt.Fprintf(&table, "| [`%s`](#%s) | %s |\n", name, strings.ReplaceAll(name, " ", "-"), strings.ReplaceAll(verb.Short, "|", `\|`))
			fmt.Fprintf(&help, "\n## %s\n\n```\n%s```\n", name, helpOf(verb))
			walk(verb)
		}
	}
	walk(root)
	return "# All verbs\n\nWhat `pentode VERB --help` prints. What a verb is good for is told in [the tutorial](tutorial.md) and on the page of its language.\n\n" +
		"| verb | does |\n|---|---|\n" + table.String() + help.String()
}

// helpOf is what `--help` of a verb prints.
func helpOf(verb *cobra.Command) string {
	var b strings.Builder
	verb.SetOut(&b)
	_ = verb.Help() // into memory
	return b.String()
}
