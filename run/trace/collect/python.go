//go:build linux

package collect

import (
	"cmp"
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// function is the place of a Python function. Its name is in Collector.names.
type function struct {
	file string
	line uint32
}

// addFunction records an agent's description of a function, which arrives before the first event of the function.
func (c *Collector) addFunction(address uint64, payload []byte) {
	c.functions[address] = function{c.names[binary.LittleEndian.Uint64(payload)], uint32(binary.LittleEndian.Uint64(payload[8:]))}
}

// function writes the fields at the start of every Python event.
func (c *Collector) function(s *ctf.Stream, address uint64, execution uint32) {
	f := c.functions[address]
	s.Text(c.names[address])
	s.Text(f.file)
	s.Put(ctf.U32, uint64(f.line))
	s.Put(ctf.Hex, address)
	s.Put(ctf.U32, uint64(execution))
}

// Functions returns the Python functions that were met, sorted by address.
func (c *Collector) Functions() []Function {
	list := make([]Function, 0, len(c.functions))
	for address, f := range c.functions {
		list = append(list, Function{address, c.names[address], f.file, f.line})
	}
	slices.SortFunc(list, func(a, b Function) int { return cmp.Compare(a.Address, b.Address) })
	return list
}

// wake makes a Python program notice a changed policy that it would not notice by itself: if no rule could
// select any of its functions, none of its calls reach the agent. It sends a signal that other programs
// ignore. The program has one turn of the collector to notice the change by itself.
func (c *Collector) wake(process int) {
	at := processAt(process)
	heard, now := c.session.word(at+processHeard).Load(), c.session.word(at+processGeneration).Load()
	if heard == 0 || heard == now {
		return
	}
	if w := c.unheard[process]; w.generation != now {
		c.unheard[process] = unheard{generation: now}
	} else if pid := c.session.half(at + processPID).Load(); !w.woken && c.peers.has(pid) {
		c.unheard[process] = unheard{now, true}
		_ = unix.Kill(int(pid), unix.SIGURG) // it may have ended
	}
}

// unheard is a generation of the policy that a process has not noticed yet.
type unheard struct {
	generation uint64
	woken      bool
}

// python returns the state of Python tracing in all processes.
func (s *Session) python() Python {
	bits := s.half(sessionPython).Load()
	has := func(state int) bool { return bits>>state&1 != 0 }
	return Python{has(layout.PythonTraced), has(layout.PythonTooOld), has(layout.PythonNoInterface), has(layout.PythonTaken), has(layout.PythonFree)}
}
