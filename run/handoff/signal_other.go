//go:build unix && !linux

package handoff

const noSignal = 0 // there is no shared memory on this system, so no other side
