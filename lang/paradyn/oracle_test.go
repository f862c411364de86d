package paradyn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestOracle compares outcomes with the rulings, and checks the laws on every vector.
func TestOracle(t *testing.T) {
	dir := filepath.Join(golden.Oracle(t), "paradyn")
	table, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if os.IsNotExist(err) && os.Getenv("PENTODE_ORACLE") == "" {
		t.Skip("no recorded answers for this language here")
	}
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(cells) < 2 || cells[0] == "file" {
			continue
		}
		rows++
		t.Run(cells[0], func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, cells[0]))
			if err != nil {
				t.Fatal(err)
			}
			f := source.NewFile(cells[0], string(text))
			env := &load.Env{Opener: source.Map{}, Dir: "."}
			golden.Laws(t, language, env, f)
			found := language.Parse(f).Resolve(env).Diagnostics()
			outcome := "ok"
			if found.HasErrors() {
				outcome = "error"
			}
			if outcome != cells[1] {
				t.Errorf("outcome %s, want %s (%s)", outcome, cells[1], strings.Join(cells[2:], " "))
				for _, d := range found {
					t.Logf("%s: %s", d.Span, d.Message)
				}
			}
		})
	}
	if rows == 0 {
		t.Fatal("the table has no rows")
	}
}
