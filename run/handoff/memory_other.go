//go:build !linux

package handoff

import (
	"errors"
	"os"
)

// A Memory is seen by two processes; here there is none.
type Memory struct {
	Bytes []byte
	File  *os.File
}

// NewMemory is an error here.
func NewMemory(int, bool) (*Memory, error) { return nil, errors.ErrUnsupported }

// OpenMemory is an error here.
func OpenMemory(int, int) (*Memory, error) { return nil, errors.ErrUnsupported }

// HandedOver does nothing here.
func (m *Memory) HandedOver() {}

// Close does nothing here.
func (m *Memory) Close() {}
