package seal

import (
	"slices"
	"sync"
)

// A Maker makes the seals of one run. Its methods may be called from any goroutine; those of
// a nil Maker do nothing.
type Maker struct {
	*run
	process string
}

// run is what the makers of one run share.
type run struct {
	mu      sync.Mutex
	base    Seal
	parents []Parent
	lost    error
	texts   map[string][]byte // by process
}

// New makes the seals of a run. The parents are those that Reads finds, and the given ones.
func New(s Seal) *Maker {
	return &Maker{run: &run{base: s, parents: slices.Clone(s.Parents), texts: map[string][]byte{}}}
}

// By makes the seals of what a process of the run writes.
func (m *Maker) By(process string) *Maker {
	if m == nil {
		return nil
	}
	return &Maker{m.run, process}
}

// Seal is the seal of what is written now.
func (m *Maker) Seal() Seal {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seal()
}

func (m *Maker) seal() Seal {
	s := m.base
	s.Process = m.process
	named := min(len(m.parents), maxParents)
	s.Parents, s.More = slices.Clone(m.parents[:named]), m.base.More+len(m.parents)-named
	return s
}

// Text is the text of the seal of what is written now. It must not be changed.
func (m *Maker) Text() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := m.texts[m.process]
	if text == nil {
		text = m.seal().Text()
		m.texts[m.process] = text
	}
	return text
}

// Reads notes a file that the run reads: where it is a result of another run, that is a parent.
func (m *Maker) Reads(path string) {
	if m == nil {
		return
	}
	if s, err := Read(path); err == nil {
		m.Follows(s, path)
	}
}

// Follows notes the seal of a file that the run reads, or goes on with.
func (m *Maker) Follows(s *Seal, path string) {
	if m == nil || s.Run == "" || s.Run == m.base.Run {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.parents, func(p Parent) bool { return p.Run == s.Run })
	if i >= 0 {
		p := &m.parents[i]
		if p.File != path {
			p.Files = max(p.Files, 1) + 1
		}
	} else {
		m.parents = append(m.parents, Parent{Run: s.Run, File: path})
	}
	clear(m.texts)
}

// Lose notes why a result has no seal. A run does not fail for that.
func (m *Maker) Lose(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost == nil {
		m.lost = err
	}
}

// Lost is why a result has no seal, of the first one; nil: all have one.
func (m *Maker) Lost() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lost
}
