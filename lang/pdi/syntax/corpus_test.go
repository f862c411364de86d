package syntax_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
)

// TestCorpus reads every real tree: those that the original's world could not read are
// exactly those with errors, and all others have the values that the reference sees.
func TestCorpus(t *testing.T) {
	dir := filepath.Join(golden.Corpus(t), "pdi")
	var outcomes []struct {
		File    string
		Outcome string `json:"core_outcome"`
	}
	read(t, filepath.Join(dir, "outcomes.json"), &outcomes)
	if len(outcomes) == 0 {
		t.Fatal("no trees")
	}
	for _, o := range outcomes {
		t.Run(o.File, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(o.File)))
			if err != nil {
				t.Fatal(err)
			}
			tree := parse(string(text))
			if got, want := tree.Problems().HasErrors(), o.Outcome == "YAML"; got != want {
				t.Errorf("errors %v, want %v\n%s", got, want, problems(tree))
			}
			agree(t, string(text))
		})
	}
}

// TestOracle reads every YAML text of the recorded answers. What the original could use
// is YAML.
func TestOracle(t *testing.T) {
	dir := filepath.Join(golden.Oracle(t), "pdi")
	var trees []struct {
		Group, Input string
		Result       struct{ Status string }
	}
	read(t, filepath.Join(dir, "spectrees.json"), &trees)
	for i, c := range trees {
		t.Run(strconv.Itoa(i)+" "+c.Group, func(t *testing.T) {
			text := strings.ReplaceAll(c.Input, "@DIR@", "dir")
			tree := parse(text)
			if c.Result.Status == "OK" && tree.Problems().HasErrors() {
				t.Errorf("%q\n%s", text, problems(tree))
			}
			agree(t, text)
		})
	}
	var contexts map[string]struct{ Spec string }
	for _, name := range []string{"contexts_expr.json", "contexts_type.json"} {
		read(t, filepath.Join(dir, name), &contexts)
		for key, c := range contexts {
			t.Run(name+" "+key, func(t *testing.T) { accepted(t, c.Spec) })
		}
	}
	var store []struct{ Group, Spec string }
	read(t, filepath.Join(dir, "store.json"), &store)
	for i, c := range store {
		t.Run("store "+strconv.Itoa(i)+" "+c.Group, func(t *testing.T) { accepted(t, c.Spec) })
	}
	var types []struct{ Group, Input string }
	read(t, filepath.Join(dir, "datatypes.json"), &types)
	for i, c := range types {
		t.Run("type "+strconv.Itoa(i)+" "+c.Group, func(t *testing.T) { agree(t, c.Input) })
	}
	if slices.Min([]int{len(trees), len(contexts), len(store), len(types)}) == 0 {
		t.Error("a file holds nothing")
	}
}

func accepted(t *testing.T, text string) {
	if tree := parse(text); tree.Problems().HasErrors() {
		t.Errorf("%q\n%s", text, problems(tree))
	}
	agree(t, text)
}

func read(t *testing.T, path string, into any) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}
