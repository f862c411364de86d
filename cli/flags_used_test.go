package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/cli"
)

// triedElsewhere are flags that TestFlagsAreTried skips. TestFlagsAreRead tries the flags about files and projects with every
// verb, and TestWidth tries --wide.
var triedElsewhere = []string{
	"as", "config", "filename", "include", "inside", "lang", "max-size", "no-config", "no-ignore", "setting", "subtree", "types", "wide", "help",
}

// throughHelper are flags that a test passes to a helper function, which adds the verb. Each entry names the test file and the
// word in it.
var throughHelper = map[string]string{
	"pentode control --dry-run":      "control_test.go --dry-run",
	"pentode control --replace":      "trace_live_linux_test.go --replace",
	"pentode graph --force":          "graph_test.go with --force",
	"pentode logs --follow":          "launch_logs_test.go --follow",
	"pentode logs --since":           "launch_logs_test.go --since",
	"pentode logs --time":            "launch_logs_test.go --time",
	"pentode run --wait":             "run_site_faults_test.go --wait",
	"pentode submit --follow":        "launch_submit_linux_test.go --follow",
	"pentode submit --to":            "launch_submit_linux_test.go --to",
	"pentode trace forecast --keep":  "trace_budget_test.go --keep",
	"pentode trace forecast --write": "trace_budget_test.go -w",
	"pentode trace record --audit":   "trace_simulate_linux_test.go --audit",
	"pentode trace record --dry-run": "installed_test.go --dry-run",
	"pentode trace record --for":     "trace_live_linux_test.go --for",
}

// TestFlagsAreTried: for each flag of each verb, some test in this package runs that verb with the flag.
func TestFlagsAreTried(t *testing.T) {
	root := cli.Command()
	tried := map[string]bool{} // "pentode verb --flag"
	for _, words := range triedCommands(t) {
		verb, rest, err := root.Find(words)
		if err != nil {
			continue
		}
		for _, word := range rest {
			if word == "--" {
				break
			}
			if flag := flagIn(verb, word); flag != nil {
				tried[verb.CommandPath()+" --"+flag.Name] = true
			}
		}
	}
	count := 0
	visitHelp(t, root, func(verb *cobra.Command, _ string, _ []string) {
		if verb.HasSubCommands() {
			return
		}
		verb.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || slices.Contains(triedElsewhere, f.Name) {
				return
			}
			count++
			name := verb.CommandPath() + " --" + f.Name
			file, word, helped := strings.Cut(throughHelper[name], " ")
			switch {
			case helped && tried[name]:
				t.Errorf("%s is given at its verb: take it out of throughHelper", name)
			case helped:
				if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"`+word) {
					t.Errorf("%s does not give %s: %v", file, name, err)
				}
			case !tried[name]:
				t.Errorf("no test gives %s", name)
			}
		})
	})
	if count < 100 {
		t.Errorf("only %d flags were looked for, want 100", count)
	}
}

// flagIn returns the flag of a verb that an argument sets.
func flagIn(verb *cobra.Command, word string) *pflag.Flag {
	switch {
	case strings.HasPrefix(word, "--"):
		name, _, _ := strings.Cut(word[2:], "=")
		return verb.Flags().Lookup(name)
	case len(word) > 1 && word[0] == '-':
		return verb.Flags().ShorthandLookup(word[1:2])
	}
	return nil
}

// triedCommands returns the arguments of every `pentode` command in the scripts and tests of this package.
func triedCommands(t *testing.T) (list [][]string) {
	t.Helper()
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(scripts, more...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line)
			if i := slices.Index(words, "pentode"); i >= 0 && i <= 3 {
				list = append(list, words[i+1:])
			}
		}
	}
	tests, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tests {
		if name == "flags_used_test.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.CallExpr, *ast.CompositeLit:
				words := texts(n)
				for i := range words {
					list = append(list, words[i:])
				}
			}
			return true
		})
	}
	return list
}

// texts returns the words of the string literals below a node, in order.
func texts(n ast.Node) (words []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value)
			words = append(words, strings.Fields(text)...)
		}
		return true
	})
	return words
}
