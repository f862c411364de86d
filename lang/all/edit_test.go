package all_test

import (
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
)

// TestEditIsJudged sets every value in every test case to texts that may be
// wrong for it. If Edit does not refuse the text, it adds no error, and
// repeating the edit changes nothing.
func TestEditIsJudged(t *testing.T) {
	for _, l := range all.Languages(all.Options{}) {
		edits := 0
		for _, c := range golden.Cases(t, filepath.Join("..", l.Name, "testdata")) {
			before := c.Config(l)
			for e := range before.Values() {
				if edits > 100 {
					break
				}
				for _, value := range []string{e.Value, "1", "x y", "a#b", ""} {
					edited, err := before.Edit(lang.Assignment{Key: e.Key, Value: value})
					if err != nil {
						continue // refusing the text is allowed
					}
					edits++
					if edited.Added.HasErrors() {
						t.Errorf("%s/%s: %s=%q adds an error: %s, want none", l.Name, c.Name, e.Key, value, edited.Added[0].Message)
					}
					if again, err := edited.Config.Edit(lang.Assignment{Key: e.Key, Value: value}); err != nil || len(again.Changes) > 0 {
						t.Errorf("%s/%s: after setting %s=%q, the file has another value: %v", l.Name, c.Name, e.Key, value, err)
					}
				}
			}
		}
		if edits < 20 {
			t.Errorf("%s: only %d edits were made", l.Name, edits)
		}
	}
}
