package launch

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
)

// SignalName returns the name of a signal without `SIG`, as kill(1) takes it.
func SignalName(sig syscall.Signal) string {
	if name := signalName(sig); name != "" {
		return strings.TrimPrefix(name, "SIG")
	}
	return strconv.Itoa(int(sig))
}

// ParseSignal reads `TERM`, `SIGTERM`, `term` or `15`.
func ParseSignal(s string) (syscall.Signal, error) {
	if n, err := strconv.Atoi(s); err == nil && n > 0 && n < 65 {
		return syscall.Signal(n), nil
	}
	name := strings.ToUpper(s)
	if !strings.HasPrefix(name, "SIG") {
		name = "SIG" + name
	}
	if sig := signalNumber(name); sig != 0 {
		return sig, nil
	}
	return 0, fmt.Errorf("signal `%s` is not known: expected a name such as `TERM` or a number from 1 to 64", s)
}
