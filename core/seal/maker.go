package seal

import (
	"slices"
	"sync"
)

// A Maker makes the seals of one run. Its methods may be called from any goroutine. A nil
// Maker does nothing.
type Maker struct {
	*run
	process string
}

// run is shared by the makers of one run.
type run struct {
	mu      sync.Mutex
	base    Seal
	parents []Parent
	lost    error
	texts   map[string][]byte // by process
}

// New returns the Maker of a run. The parents of the run are those in s and those that Reads
// finds.
func New(s Seal) *Maker {
	return &Maker{run: &run{base: s, parents: slices.Clone(s.Parents), texts: map[string][]byte{}}}
}

// By returns the Maker for the files that one process of the run writes.
func (m *Maker) By(process string) *Maker {
	if m == nil {
		return nil
	}
	return &Maker{m.run, process}
}

// Seal returns the seal of a file written now.
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

// Text returns the text of the seal of a file written now. The caller must not change it.
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

// Reads records that the run reads a file. If the file is a result of another run, that run
// becomes a parent.
func (m *Maker) Reads(path string) {
	if m == nil {
		return
	}
	if s, err := Read(path); err == nil {
		m.Follows(s, path)
	}
}

// Follows records that the run reads or continues a file with this seal.
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

// Lose records the reason why a result has no seal. The run does not fail in that case.
func (m *Maker) Lose(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost == nil {
		m.lost = err
	}
}

// Lost returns the reason why the first result without a seal has none, or nil if all have
// one.
func (m *Maker) Lost() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lost
}
