package pdi_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
)

// TestCorpusTrees checks every real tree as the original program reads it: OK or not.
func TestCorpusTrees(t *testing.T) {
	dir := filepath.Join(golden.Corpus(t), "pdi")
	text, err := os.ReadFile(filepath.Join(dir, "outcomes.json"))
	if err != nil {
		if os.Getenv("PENTODE_CORPUS") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	var cases []struct {
		File    string `json:"file"`
		Outcome string `json:"core_outcome"`
		Errmsg  string `json:"errmsg"`
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s lists no trees", dir)
	}
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) {
			path := filepath.Join(dir, c.File)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			config, _ := upstream(t, path, string(text))
			found := config.Diagnostics()
			if found.HasErrors() != (c.Outcome != "OK") {
				t.Errorf("upstream has %s %s\n%s", c.Outcome, c.Errmsg, messages(found))
			}
		})
	}
}
