package flow

import (
	"cmp"
	"path/filepath"
)

// Another reports whether the data of one more step wait at every connected
// input, so that a process may take them along with those of this step. It
// never waits, and gives a process that is asked for something else its turn
// between two steps. The process calls Count for each step that it makes.
func (s *Step) Another() bool {
	p := s.p
	if _, ok := p.worker.(*watched); ok || p.ctl.Load() != 0 || p.heart != nil || p.trace != nil || len(p.need) == 0 || p.level != CheckValid {
		return false
	}
	var first Stamp
	for i, in := range p.need {
		e := in.edge
		if in.freq != 1 || !e.has(1) {
			return false
		}
		en := e.peek(0)
		if en.datum.kind != DataKind || i > 0 && en.stamp != first {
			return false
		}
		first = en.stamp
	}
	for _, in := range p.ins { // those that are not required
		if in.edge != nil && !in.edge.has(1) {
			return false
		}
	}
	return true
}

// Count counts a further step, made with data that Another found.
func (s *Step) Count() {
	s.p.steps++
	s.p.stepsPub.Store(s.p.steps)
}

// Shared is a value that the processes of one run have in common. The first
// that asks for a key makes it.
func (s *Setup) Shared(key any, first func() any) any {
	r := s.p.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shared == nil {
		r.shared = map[any]any{}
	}
	if _, ok := r.shared[key]; !ok {
		r.shared[key] = first()
	}
	return r.shared[key]
}

// Folder is that of the file which declares the process, or where the
// pipeline reads its files when no file does.
func (s *Setup) Folder() string { return cmp.Or(s.p.node.Folder(), s.Path(".")) }

// Folder is that of the file which declares the process, or empty.
func (n *Node) Folder() string {
	if file := n.Span.File; file != nil && file.Path() != "" && file.Path() != "-" {
		return filepath.Dir(file.Path())
	}
	return ""
}
