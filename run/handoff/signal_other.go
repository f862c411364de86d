//go:build unix && !linux

package handoff

const noSignal = 0 // there is no memory to share here, so no program is on the other side
