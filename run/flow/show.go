package flow

import (
	"fmt"
	"slices"
)

// Shower is a process that has a picture to show, such as `image_viewer`. Show is called by other
// goroutines while the pipeline runs.
type Shower interface {
	Show() (Picture, error)
}

// A Picture is what a process shows.
type Picture struct {
	Title  string `json:"title,omitempty"`
	Header string `json:"header,omitempty"` // text above the picture
	Footer string `json:"footer,omitempty"` // text below the picture
	PNG    []byte `json:"png"`
}

// Picture returns what a process shows now.
func (r *Run) Picture(process string) (Picture, error) {
	i := slices.IndexFunc(r.procs, func(p *proc) bool { return p.node.Name == process })
	if i < 0 {
		return Picture{}, r.resolved.UnknownProcess(process)
	}
	shower, ok := r.procs[i].impl.(Shower)
	if !ok {
		return Picture{}, fmt.Errorf("process `%s` has no picture: only processes of type `image_viewer` do", process)
	}
	return shower.Show()
}
