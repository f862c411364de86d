package data_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/datatest"
)

// TestCorpusTrees loads the types, metadata and data of real trees and compares
// whether they load. Plugins and logging are left out, as when the outcomes were
// recorded; MPI's types are there.
func TestCorpusTrees(t *testing.T) {
	dir := datatest.Corpus(t, "pdi")
	text, err := os.ReadFile(filepath.Join(dir, "outcomes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ File, Core_outcome, Errmsg string }
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) {
			if c.Core_outcome != "OK" && c.Core_outcome != "SPECTREE" {
				t.Skipf("the outcome is about %s, which the engine does not see", c.Core_outcome)
			}
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(c.File)))
			if err != nil {
				t.Fatal(err)
			}
			root, err := datatest.Read(string(text))
			if err != nil {
				t.Skipf("not YAML for the library of this test: %v", err)
			}
			if root.Lookup("include") != nil {
				t.Skip("includes are resolved before the engine sees a tree")
			}
			if sub := root.Lookup("pdi"); sub != nil && root.Lookup("types") == nil && root.Lookup("data") == nil && root.Lookup("metadata") == nil && root.Lookup("plugins") == nil {
				root = sub
			}
			spec := data.Tree(root)
			spec.Logging = nil
			mpi := data.Plugin{Name: "mpi", Title: "MPI", New: func(c *data.Context) error {
				comm := data.ScalarOf(data.X86_64(), "MPI_Comm", data.Opaque, 8)
				if err := c.Env().Provide("MPI_Comm", comm); err != nil {
					return err
				}
				return c.Env().Provide("MPI_Comm_f", comm)
			}}
			spec.Sections[0].Plugins = data.Map("mpi", "")
			_, err = data.New(spec, data.Options{Dialect: data.Upstream, Plugins: []data.Plugin{mpi}, Host: data.Host{Console: io.Discard}})
			if (err == nil) != (c.Core_outcome == "OK") {
				t.Errorf("%v, upstream has %s %s", err, c.Core_outcome, c.Errmsg)
			}
		})
	}
}
