//go:build !linux

package collect

import (
	"context"
	"errors"

	"github.com/pentode-dev/pentode/run/trace"
)

// Session is the shared memory of one collector and its traced programs.
type Session struct{ Path string }

// Collector empties the rings of a session into a trace.
type Collector struct {
	Counts Counts
	Losses []Loss
	Unmet  []trace.Match

	Monitored []Monitored
	CUDA      CUDA
	Python    Python
}

var errLinux = errors.New("programs are traced on Linux only")

// Run refuses.
func Run(context.Context, Options, Program) (int, *Collector, error) { return 0, nil, errLinux }

// Publish refuses.
func (s *Session) Publish(*trace.Policy, []byte) error { return errLinux }

// Amend refuses.
func (s *Session) Amend(*trace.Policy, []byte) error { return errLinux }

// Adjust refuses.
func (s *Session) Adjust(*trace.Policy, []byte) error { return errLinux }

// Monitored refuses.
func (s *Session) Monitored(context.Context) ([]Monitored, error) { return nil, errLinux }

// Offered reports no event.
func (s *Session) Offered(uint8) bool { return false }

// Regions returns none.
func (c *Collector) Regions() []uint64 { return nil }

// Functions returns none.
func (c *Collector) Functions() []Function { return nil }
