package data_test

import (
	"io"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/data"
)

// TestCorpusTrees loads the types, metadata and data of real trees and compares whether
// they load. Plugins and logging are left out, as in the recorded outcomes; MPI's types
// are defined.
func TestCorpusTrees(t *testing.T) {
	golden.Corpus(t, "pdi", func(t *testing.T, set golden.Set) {
		for _, c := range golden.List[corpusTree](t, set, "outcomes.json") {
			t.Run(c.File, func(t *testing.T) { c.load(t, set.Text(t, c.File)) })
		}
	})
}

type corpusTree struct {
	File, Errmsg string
	Outcome      string `json:"core_outcome"`
}

func (c *corpusTree) load(t *testing.T, text string) {
	if c.Outcome != "OK" && c.Outcome != "SPECTREE" {
		t.Skipf("the outcome is about %s, which the engine does not see", c.Outcome)
	}
	root, err := datatest.Read(text)
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
	if (err == nil) != (c.Outcome == "OK") {
		t.Errorf("%v, upstream has %s %s", err, c.Outcome, c.Errmsg)
	}
}
