package sprokit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

func TestOracleTypesFile(t *testing.T) {
	f, err := os.Open(filepath.Join(oracleDir(t), "process_types.json"))
	if os.IsNotExist(err) {
		t.Skip("no process_types.json")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := catalog.AddTypes(&flow.Registry{}, f); err != nil {
		t.Error(err)
	}
}

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
