package flow

import (
	"fmt"
	"slices"
)

// Shower is a process with something to look at, such as `image_viewer`. Other
// goroutines ask for it while the pipeline runs.
type Shower interface {
	Show() (Picture, error)
}

// A Picture is what a process shows.
type Picture struct {
	Title  string `json:"title,omitempty"`
	Header string `json:"header,omitempty"` // text above
	Footer string `json:"footer,omitempty"` // text below
	PNG    []byte `json:"png"`
}

// Picture is what a process shows now.
func (r *Run) Picture(process string) (Picture, error) {
	i := slices.IndexFunc(r.procs, func(p *proc) bool { return p.node.Name == process })
	if i < 0 {
		return Picture{}, r.resolved.UnknownProcess(process)
	}
	shower, ok := r.procs[i].impl.(Shower)
	if !ok {
		return Picture{}, fmt.Errorf("process `%s` has no picture: those of the type `image_viewer` have", process)
	}
	return shower.Show()
}
