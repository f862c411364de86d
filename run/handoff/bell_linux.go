package handoff

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a futex is asked for.
const (
	futexWait = 0
	futexWake = 1
)

// sleep waits until the bell was rung more often than count says. It may return early.
func (b *bell) sleep(count uint32) {
	// Where it was, the kernel says so at once.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(b)), futexWait, uintptr(count), 0, 0, 0)
}

// wake ends the sleep of the other side, and of this one.
func (b *bell) wake() {
	const all = 1 << 30
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(b)), futexWake, all, 0, 0, 0) // it never waits
}
