package sprokit

import (
	"os"
	"path/filepath"
	"strings"
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
		t.Errorf("mine is %+v, want the text %q and the input i", mine, "Takes.")
	}
}

// TestTwoClusters: if two files in a folder declare the same cluster, the first one counts, and a warning names both.
func TestTwoClusters(t *testing.T) {
	dir := t.TempDir()
	for name, doc := range map[string]string{"a.cluster": "First.", "b.cluster": "Second."} {
		text := "cluster mine\n  -- " + doc + "\n  imap from i to p.sink\n  -- in\nprocess p :: sink\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "x.pipe")
	f := source.NewFile(path, "process a :: numbers\nprocess m :: mine\nconnect from a.number to m.i\n")
	config := New(Options{}).Parse(f).Resolve(&load.Env{Opener: source.Disk{}, Dir: dir})
	list := config.Diagnostics()
	if len(list) != 1 || list[0].Code != clusterAmbiguous || !strings.Contains(list[0].Message, "a.cluster` and `"+filepath.Join(dir, "b.cluster")) {
		t.Errorf("have %v, want one of %s, with the names of both files", list, clusterAmbiguous.ID)
	}
	if mine, ok := modelOf(config).Registry.Lookup("mine"); !ok || mine.Doc != "First." {
		t.Errorf("the cluster is %+v, want the text %q", mine, "First.")
	}
}
