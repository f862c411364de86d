//go:build unix && !linux

package handoff

const noSignal = 0 // not used: this system has no shared memory for handoffs
