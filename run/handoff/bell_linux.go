package handoff

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations of the futex system call.
const (
	futexWait = 0
	futexWake = 1
)

// sleep waits until the counter of the bell differs from count. It may also return
// earlier.
func (b *bell) sleep(count uint32) {
	// If the counter differs already, the kernel returns at once.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(b)), futexWait, uintptr(count), 0, 0, 0)
}

// wake wakes all threads that sleep at the bell, in both processes.
func (b *bell) wake() {
	const all = 1 << 30
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(b)), futexWake, all, 0, 0, 0) // RawSyscall6: this call never blocks
}
