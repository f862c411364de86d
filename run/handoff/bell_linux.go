package handoff

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Futex operations.
const (
	futexWait = 0
	futexWake = 1
)

// sleep waits until the bell has been rung more than count times. It may return early.
func (b *bell) sleep(count uint32) {
	// If it has been rung more often already, the kernel returns at once.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(b)), futexWait, uintptr(count), 0, 0, 0)
}

// wake wakes all sleepers at the bell, on both sides.
func (b *bell) wake() {
	const all = 1 << 30
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(b)), futexWake, all, 0, 0, 0) // it never waits
}
