package paradyn_test

import (
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestOracle compares every file's outcome with the recorded one, and checks the properties
// of the language on it.
func TestOracle(t *testing.T) {
	golden.Oracle(t, "paradyn", func(t *testing.T, s golden.Set) {
		for _, row := range s.Table(t, "expected.tsv") {
			t.Run(row["file"], func(t *testing.T) {
				f := source.NewFile(row["file"], s.Text(t, row["file"]))
				env := &load.Env{Opener: source.Map{}, Dir: "."}
				golden.Laws(t, language, env, f)
				found := language.Parse(f).Resolve(env).Diagnostics()
				outcome := "ok"
				if found.HasErrors() {
					outcome = "error"
				}
				if outcome != row["outcome"] {
					t.Errorf("outcome %s, want %s (%s)", outcome, row["outcome"], row["note"])
					for _, d := range found {
						t.Logf("%s: %s", d.Span, d.Message)
					}
				}
			})
		}
	})
}
