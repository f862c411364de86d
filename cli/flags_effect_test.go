package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestFlagsAreRead: every verb with a file flag uses that flag: an impossible value is refused, or at least changes the
// verb's answer.
func TestFlagsAreRead(t *testing.T) {
	wrong := map[string]string{
		"lang": "cobol", "config": "no-such-key=1", "inside": "no-such-folder", "max-size": "0", "setting": "=x", "types": "no-such-file", "subtree": "[", "filename": "name",
	}
	// Arguments of verbs whose examples need a program, a trace or a live run.
	given := map[string][]string{
		"pentode trace record":   {"--", "true"},
		"pentode trace retarget": {"--from", "old", "--to", "new", "trace_config.txt"},
		"pentode control":        {"policy", "trace_config.txt"},
		"pentode lsp":            {},
		"pentode completion":     {"bash"},
		"pentode schema":         {"pinsight"},
		"pentode data decode":    {"--spec", "examples/heat/heat.yml", "--type", "rows", "memory"},
		"pentode data replay":    {"examples/heat/heat.yml", "calls"},
		"pentode init":           {},
	}
	// --subtree only has an effect on specification trees.
	const tree = "examples/heat/heat.yml"
	trees := map[string][]string{
		"pentode check": {tree}, "pentode show": {tree}, "pentode graph": {tree}, "pentode explain": {tree, "data"}, "pentode set": {tree, "metadata.a=int"},
		"pentode diff": {tree, tree}, "pentode data layout": {tree}, "pentode data decode": {"--spec", tree, "--type", "rows", "memory"}, "pentode data replay": {tree, "calls"},
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(golden.Root(t), "examples"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	for name, text := range map[string]string{"trace_config.txt": "[OpenMP.default]\n    omp_work = off\n", "memory": "1234", "calls": "event now\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tried := 0
	visitHelp(t, cli.Command(), func(verb *cobra.Command, _ string, examples []string) {
		if verb.HasSubCommands() || verb.Name() == "serve" || verb.Name() == "forecast" { // serve does not end by itself; forecast needs a record
			return
		}
		words := strings.Fields(verb.CommandPath())
		for flag, value := range wrong {
			if verb.Flags().Lookup(flag) == nil || flag == "subtree" && trees[verb.CommandPath()] == nil {
				continue
			}
			args, ok := given[verb.CommandPath()]
			if flag == "subtree" {
				args = trees[verb.CommandPath()]
			} else if !ok {
				args = exampleWords(t, verb, examples)
			}
			tried++
			var out, errs bytes.Buffer
			all := append(append(words[1:len(words):len(words)], "--"+flag+"="+value), args...)
			code := cli.Run(cli.Options{}, all, strings.NewReader(""), &out, &errs)
			if shown := out.String() + errs.String(); code == 0 || flag != "subtree" && !strings.Contains(shown, strings.Trim(value, "=")) && !strings.Contains(shown, "--"+flag) && !strings.Contains(shown, "-s takes") {
				t.Errorf("pentode %s: exit %d, and no word about --%s:\n%s", strings.Join(all, " "), code, flag, shown)
			}
		}
	})
	if tried < 140 {
		t.Errorf("only %d flags were tried, want 140", tried)
	}
}

// exampleWords returns the arguments of a verb's first example that needs no shell.
func exampleWords(t *testing.T, verb *cobra.Command, examples []string) []string {
	for _, line := range examples {
		rest, ok := strings.CutPrefix(line, verb.CommandPath())
		if ok && !strings.ContainsAny(line, "|<>$;'\"") {
			return strings.Fields(rest)
		}
	}
	t.Errorf("%s has no example without a shell, and is not among those that are given here", verb.CommandPath())
	return nil
}
