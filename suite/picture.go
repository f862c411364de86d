package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/problem"
)

// PicturePart is a file in the picture of a run.
type PicturePart struct {
	Name string `json:"name"`
	Open bool   `json:"open"` // drawn with its content
}

// Keywords that replace the names of parts: every part is open, or none.
const (
	AllParts = "all"
	NoParts  = "none"
)

// pageWidth is about the width of a text page. The picture of a run with closed parts is made for it.
const pageWidth = 900

// Picture returns the picture of a run with the named parts open, and the others as one box each. If none is named, the launch plan and the pipelines
// are open.
func Picture(r *Run, open []string) (*graph.Graph, []PicturePart, error) {
	g := Graph(r)
	var names []string
	for _, group := range g.Groups {
		if group.Parent == "" {
			names = append(names, group.ID)
		}
	}
	for _, name := range open {
		if name != AllParts && name != NoParts && !slices.Contains(names, name) {
			return nil, nil, fmt.Errorf("the picture of this run has no part `%s`: %s", name,
				problem.Advise(name, names, "expected `"+AllParts+"`, `"+NoParts+"` or some of `"+strings.Join(names, "`, `")+"`"))
		}
	}
	if len(open) == 0 {
		open = r.openByDefault()
	}
	var parts []PicturePart
	opened := map[string]bool{}
	closed := false
	for _, name := range names {
		opened[name] = slices.Contains(open, name) || slices.Contains(open, AllParts)
		closed = closed || !opened[name]
		parts = append(parts, PicturePart{name, opened[name]})
	}
	if closed {
		g = g.Fold(func(group *graph.Group) bool { return !opened[group.ID] })
		g.Width = pageWidth
	}
	return g, parts, nil
}

func (r *Run) openByDefault() (names []string) {
	if c := r.Configs[Launch]; c != nil {
		names = append(names, name(c))
	}
	for _, p := range r.Pipelines {
		names = append(names, name(p.Config))
	}
	return names
}
