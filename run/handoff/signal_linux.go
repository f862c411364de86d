package handoff

import "syscall"

const noSignal = syscall.MSG_NOSIGNAL
