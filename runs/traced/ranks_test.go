//go:build unix

package traced

import (
	"os"
	"testing"
)

// TestFirstRank: of the ranks that one launcher has started, one collects for all; after it has ended, the next one may.
func TestFirstRank(t *testing.T) {
	for _, name := range rankVariables {
		t.Setenv(name, "") // it is restored at the end
		os.Unsetenv(name)
	}
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if j, err := joinJob(); j != nil || err != nil {
		t.Fatalf("a program that no launcher started has the job %v, %v", j, err)
	}
	t.Setenv("PMIX_RANK", "3")
	var ranks []*job
	for range 3 {
		j, err := joinJob()
		if err != nil || j == nil {
			t.Fatal(j, err)
		}
		defer j.close()
		ranks = append(ranks, j)
	}
	if err := os.WriteFile(ranks[0].session, []byte("left by an earlier job"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !ranks[0].first() || ranks[1].first() || ranks[2].first() {
		t.Error("not the first rank alone collects")
	}
	if _, err := os.Stat(ranks[0].session); err == nil {
		t.Error("the session of an earlier job is still announced")
	}
	ranks[0].close()
	if !ranks[2].first() || ranks[1].first() {
		t.Error("nobody follows the rank that collected")
	}
}
