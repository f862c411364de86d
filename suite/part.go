package suite

import (
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit"
)

// PartOf returns the file to which a node of the run's picture belongs, and the name of the node in the picture of that file; nil if there is none.
func PartOf(r *Run, id string) (*lang.Config, string) {
	if id == "target" {
		return r.Configs[Target], id
	}
	if inside, ok := strings.CutPrefix(id, "launch/"); ok {
		return r.Configs[Launch], inside
	}
	for _, p := range r.Pipelines {
		if inside, ok := strings.CutPrefix(id, flowPrefix(p)); ok {
			return p.Config, inside
		}
		for _, e := range p.Exposes {
			if e.Tree == nil {
				continue
			}
			if inside, ok := strings.CutPrefix(id, treePrefix(e.Tree)); ok {
				return e.Tree, inside
			}
		}
	}
	for _, p := range r.owners() {
		for _, t := range p.Own.Trees {
			if inside, ok := strings.CutPrefix(id, treePrefix(t.Config)); ok {
				return t.Config, inside
			}
		}
	}
	for _, h := range r.handoffs() {
		if inside, ok := strings.CutPrefix(id, treePrefix(h.tree)); ok {
			return h.tree, inside
		}
		if inside, ok := strings.CutPrefix(id, flowPrefix(h.pipeline)); ok {
			return h.pipeline.Config, inside
		}
	}
	for _, c := range r.Policies {
		if inside, ok := strings.CutPrefix(id, "trace/"+name(c)+"/"); ok {
			return c, inside
		}
	}
	return nil, ""
}

// ConfigOf returns a file of the run as it is in the run; nil if the path is not a file of the run.
func ConfigOf(r *Run, path string) *lang.Config {
	for _, c := range r.Files() {
		if filepath.Clean(c.Document.File.Path()) == filepath.Clean(path) {
			return c
		}
	}
	return nil
}

// Documentation is the documentation of a kind of node.
type Documentation struct {
	Text string            `json:"text"`
	Keys map[string]string `json:"keys"` // by key, without the node's name
}

// DocumentationOf returns the documentation of a process type of a pipeline. Nodes of other languages have none.
func DocumentationOf(c *lang.Config, kind string) Documentation {
	d := Documentation{Keys: map[string]string{}}
	m, ok := model[*sprokit.Model](c)
	if !ok {
		return d
	}
	t, ok := m.Registry.Lookup(kind)
	if !ok {
		return d
	}
	d.Text = t.Doc
	for _, k := range t.Keys {
		d.Keys[k.Name] = k.Doc
	}
	return d
}
