package sprokit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
)

func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	text := "cluster mine\n  -- Takes.\n  imap from i to p.sink\n  -- in\nprocess p :: sink\n"
	if err := os.WriteFile(filepath.Join(dir, "any_name.cluster"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := Library(&load.Env{Opener: source.Disk{}, Dir: dir}, Options{ClusterPath: []string{dir}})
	if mine, ok := r.Lookup("mine"); !ok || mine.Doc != "Takes." || mine.In[0].Name != "i" {
		t.Errorf("mine is %+v", mine)
	}
}
