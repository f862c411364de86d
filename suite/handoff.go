package suite

import (
	"path/filepath"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/sprokit"
	handing "github.com/pentode-dev/pentode/run/data/plugin/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// handsOver reads the settings of the plugin `flow` in a tree; false if there are none, or wrong ones.
func handsOver(m *pdi.Model) (handing.Settings, bool) {
	for _, section := range m.Spec().Sections {
		if n := section.Plugins.Lookup("flow"); n != nil {
			s, err := handing.Read(n)
			return s, err == nil
		}
	}
	return handing.Settings{}, false
}

// taker returns the pipeline that a tree names: a pipeline of the run, or else a file, with the error of reading it.
func (r *Run) taker(name string) (*Pipeline, error) {
	path := filepath.Clean(r.path(name))
	for _, p := range r.Pipelines {
		if filepath.Clean(p.Config.Document.File.Path()) == path {
			return p, nil
		}
	}
	c, err := r.open(path, "")
	if err != nil {
		return nil, err
	}
	m, _ := lang.Model[*sprokit.Model](c)
	return &Pipeline{Config: c, Model: m, Plan: &pipe.Plan{}}, nil
}

// handoff is a tree and the pipeline that gets data from the tree's program.
type handoff struct {
	tree     *lang.Config
	pipeline *Pipeline
}

// handoffs returns the handoffs of the programs' trees and of the tree of the folder.
func (r *Run) handoffs() (list []handoff) {
	met := map[string]bool{}
	add := func(c *lang.Config) {
		m, ok := model[*pdi.Model](c)
		if !ok || met[c.Document.File.Path()] {
			return
		}
		met[c.Document.File.Path()] = true
		if s, ok := handsOver(m); ok {
			if p, err := r.taker(s.Pipeline.Text); err == nil && p.Model != nil {
				list = append(list, handoff{c, p})
			}
		}
	}
	for _, p := range r.owners() {
		for _, t := range p.Own.Trees {
			add(t.Config)
		}
	}
	add(r.Configs[Data])
	return list
}
