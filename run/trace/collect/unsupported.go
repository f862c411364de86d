//go:build !linux

package collect

import (
	"context"
	"errors"

	"github.com/pentode-dev/pentode/run/trace"
)

// Session is the shared memory of one collector and its traced programs.
type Session struct{ Path string }

// Collector moves the records from the rings of a session to a trace.
type Collector struct {
	Counts Counts
	Losses []Loss
	Unmet  []trace.Match

	Monitored []Monitored
	CUDA      CUDA
	Python    Python
}

var errLinux = errors.New("programs are traced on Linux only")

// Run returns an error: tracing needs Linux.
func Run(context.Context, Options, Program) (int, *Collector, error) { return 0, nil, errLinux }

// Publish returns an error: tracing needs Linux.
func (s *Session) Publish(*trace.Policy, []byte) error { return errLinux }

// Amend returns an error: tracing needs Linux.
func (s *Session) Amend(*trace.Policy, []byte) error { return errLinux }

// Adjust returns an error: tracing needs Linux.
func (s *Session) Adjust(*trace.Policy, []byte) error { return errLinux }

// Monitored returns an error: tracing needs Linux.
func (s *Session) Monitored(context.Context) ([]Monitored, error) { return nil, errLinux }

// Offered returns false.
func (s *Session) Offered(uint8) bool { return false }

// Regions returns nil.
func (c *Collector) Regions() []uint64 { return nil }

// Functions returns nil.
func (c *Collector) Functions() []Function { return nil }
