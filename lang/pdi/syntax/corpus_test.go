package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
)

type corpusTree struct {
	File    string
	Outcome string `json:"core_outcome"`
}

// TestCorpus reads every real tree. Exactly the trees that the original program could not read have errors; all others have the values that the
// reference finds.
func TestCorpus(t *testing.T) {
	golden.Corpus(t, "pdi", func(t *testing.T, set golden.Set) {
		for _, o := range golden.List[corpusTree](t, set, "outcomes.json") {
			t.Run(o.File, func(t *testing.T) {
				text := set.Text(t, o.File)
				tree := parse(text)
				if got, want := tree.Problems().HasErrors(), o.Outcome == "YAML"; got != want {
					t.Errorf("errors %v, want %v\n%s", got, want, problems(tree))
				}
				agree(t, text)
			})
		}
	})
}

// TestOracle reads every YAML text of the recorded answers. A text that the original program could use must be valid.
func TestOracle(t *testing.T) {
	golden.Oracle(t, "pdi", func(t *testing.T, set golden.Set) {
		t.Run("spectrees", func(t *testing.T) { oracleTrees(t, set) })
		for _, name := range []string{"contexts_expr", "contexts_type"} {
			t.Run(name, func(t *testing.T) {
				var contexts map[string]struct{ Spec string }
				set.Read(t, name+".json", &contexts)
				for key, c := range contexts {
					t.Run(key, func(t *testing.T) { accepted(t, c.Spec) })
				}
			})
		}
		t.Run("store", func(t *testing.T) {
			for i, c := range golden.List[struct{ Group, Spec string }](t, set, "store.json") {
				t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) { accepted(t, c.Spec) })
			}
		})
		t.Run("datatypes", func(t *testing.T) {
			for i, c := range golden.List[struct{ Group, Input string }](t, set, "datatypes.json") {
				t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) { agree(t, c.Input) })
			}
		})
	})
}

type oracleTree struct {
	Group, Input string
	Result       struct {
		Status string
		NoYAML any `json:"yaml_error"`
	}
}

func oracleTrees(t *testing.T, set golden.Set) {
	for i, c := range golden.List[oracleTree](t, set, "spectrees.json") {
		t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) {
			text := strings.ReplaceAll(c.Input, "@DIR@", "dir")
			tree := parse(text)
			refused := tree.Problems().HasErrors()
			if c.Result.Status == "OK" && refused || c.Result.NoYAML != nil && !refused {
				t.Errorf("%q: errors %v, upstream has %+v\n%s\nwant no errors where upstream says OK, and errors where it finds no YAML", text, refused, c.Result, problems(tree))
			}
			agree(t, text)
		})
	}
}

func accepted(t *testing.T, text string) {
	if tree := parse(text); tree.Problems().HasErrors() {
		t.Errorf("%q\n%s\nwant no errors", text, problems(tree))
	}
	agree(t, text)
}
