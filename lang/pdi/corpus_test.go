package pdi_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/internal/golden"
)

type corpusTree struct {
	File, Errmsg string
	Outcome      string `json:"core_outcome"`
}

// TestCorpusTrees checks whether every real tree has errors exactly if the original program refuses it. The original program read the trees without
// their plugins, so findings of plugins do not count.
func TestCorpusTrees(t *testing.T) {
	golden.Corpus(t, "pdi", func(t *testing.T, set golden.Set) {
		for _, c := range golden.List[corpusTree](t, set, "outcomes.json") {
			t.Run(c.File, func(t *testing.T) {
				config, _ := upstream(t, filepath.Join(set.Dir, filepath.FromSlash(c.File)), set.Text(t, c.File))
				found := slices.DeleteFunc(slices.Clone(config.Diagnostics()), func(d *diag.Diagnostic) bool { return d.Code.ID == "pdi/refused" })
				if found.HasErrors() != (c.Outcome != "OK") {
					t.Errorf("upstream has %s %s\n%s\nwant %v", c.Outcome, c.Errmsg, messages(found), (c.Outcome != "OK"))
				}
			})
		}
	})
}
