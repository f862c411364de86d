package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/golden"
)

// TestGoldenVerbs keeps docs/verbs.md and the pages in docs/verbs in step with the help of the program.
func TestGoldenVerbs(t *testing.T) {
	docs := filepath.Join(golden.Root(t), "docs")
	pages := verbPages(Command())
	for name, text := range pages {
		path := filepath.Join(docs, filepath.FromSlash(name))
		if golden.Updating() {
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		} else if have, err := os.ReadFile(path); err != nil || string(have) != text {
			t.Errorf("docs/%s is not up to date: go test ./cli -run TestGoldenVerbs -update", name)
		}
	}
	files, err := os.ReadDir(filepath.Join(docs, "verbs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if pages["verbs/"+f.Name()] == "" {
			t.Errorf("docs/verbs/%s belongs to no group of verbs: delete it", f.Name())
		}
	}
}

// verbPages returns the pages to write: the list of all verbs, and a page for each group of verbs with
// their help.
func verbPages(root *cobra.Command) map[string]string {
	pages := map[string]string{}
	var list strings.Builder
	list.WriteString("# All verbs\n\nThis reference has the output of `pentode VERB --help` for every verb, a page for each group. The [tutorial](tutorial.md) tries the most important of them.\n")
	for _, group := range root.Groups() {
		file := "verbs/" + strings.ToLower(group.ID) + ".md"
		fmt.Fprintf(&list, "\n## %s\n\n| verb | does |\n|---|---|\n", group.ID)
		var help strings.Builder
		fmt.Fprintf(&help, "# Verbs: %s\n\nThe output of `pentode VERB --help` for each verb of the group. [All verbs](../verbs.md).\n", strings.ToLower(group.ID))
		var visit func(*cobra.Command)
		visit = func(verb *cobra.Command) {
			if !verb.IsAvailableCommand() {
				return
			}
			name := verb.CommandPath()
			fmt.Fprintf(&list, "| [`%s`](%s#%s) | %s |\n", name, file, strings.ReplaceAll(name, " ", "-"), strings.ReplaceAll(verb.Short, "|", `\|`))
			fmt.Fprintf(&help, "\n## %s\n\n```\n%s```\n", name, helpOf(verb))
			for _, sub := range verb.Commands() {
				visit(sub)
			}
		}
		for _, verb := range root.Commands() {
			if verb.GroupID == group.ID {
				visit(verb)
			}
		}
		pages[file] = help.String()
	}
	pages["verbs.md"] = list.String()
	return pages
}

// helpOf returns what `--help` of a verb prints.
func helpOf(verb *cobra.Command) string {
	var b strings.Builder
	verb.SetOut(&b)
	_ = verb.Help() // it writes to memory and cannot fail
	return b.String()
}
