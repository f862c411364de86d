//go:build linux

package collect

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

func moduleAt(i int) int { return layout.ModulesAt + i*moduleSize }

// setProgram registers a program as the first module if its path is known before it runs.
func (s *Session) setProgram(path string) {
	if size := int(unsafe.Sizeof(layout.Module{}.Path)); path == "" || len(path) >= size {
		return
	}
	copy(s.memory[moduleAt(0)+modulePath:], path)
	s.half(moduleAt(0) + moduleState).Store(layout.ModuleKnown)
}

// modules handles modules that processes have met and wait for. The names of a module are read in
// the background, because that may take a while and rings must be drained meanwhile.
func (s *Session) modules(p *Program) {
	for i := s.asked; i < layout.MaxModules; i++ {
		state := s.half(moduleAt(i) + moduleState)
		switch state.Load() {
		case layout.ModuleKnown:
			if i == s.asked {
				s.asked++
			}
			continue
		case layout.ModuleMet:
		default:
			if i > 0 { // the first is reserved for a program
				return
			}
			continue
		}
		if s.reading[i] {
			continue
		}
		s.reading[i] = true
		path, id := s.text(moduleAt(i)+modulePath, int(unsafe.Sizeof(layout.Module{}.Path))), s.text(moduleAt(i)+moduleBuildID, int(unsafe.Sizeof(layout.Module{}.BuildID)))
		known := func() { _ = s.guard(func() { state.Store(layout.ModuleKnown) }) } // if the shared memory was truncated, no process is waiting
		if p.Module == nil {
			known()
			continue
		}
		s.names.Add(1)
		go func() {
			defer s.names.Done()
			p.Module(s, i, path, id)
			known()
		}()
	}
}

// text returns a zero-terminated string from the shared memory.
func (s *Session) text(at, size int) string {
	b := bytes.Clone(s.memory[at : at+size])
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}

// collectMet records the entries of a table that matched a region.
func (s *Session) collectMet(p published) {
	at := int(binary.LittleEndian.Uint32(s.memory[p.at+policyMet:]))
	for i, m := range p.policy.Entries() {
		if at+4*i+4 > p.size {
			return // a program has overwritten its policy
		}
		if (*atomic.Uint32)(unsafe.Pointer(&s.memory[p.at+at+4*i])).Load() != 0 {
			s.met[m] = true
		}
	}
}

// unmet returns the entries of the current policy that have matched no region.
func (s *Session) unmet() (list []trace.Match) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.policies {
		s.collectMet(p)
	}
	for _, m := range s.policy.Entries() {
		if !s.met[m] {
			list = append(list, m)
		}
	}
	return list
}
