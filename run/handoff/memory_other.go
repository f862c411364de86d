//go:build !linux

package handoff

import (
	"errors"
	"os"
)

// A Memory is memory shared by two processes; this system has none.
type Memory struct {
	Bytes []byte
	File  *os.File
}

// NewMemory returns an error on this system.
func NewMemory(int, bool) (*Memory, error) { return nil, errors.ErrUnsupported }

// OpenMemory returns an error on this system.
func OpenMemory(int, int) (*Memory, error) { return nil, errors.ErrUnsupported }

// HandedOver does nothing on this system.
func (m *Memory) HandedOver() {}

// Close does nothing on this system.
func (m *Memory) Close() {}
