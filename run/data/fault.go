package data

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// Fault is the error of a panic, to be made where it was recovered: what failed because of a
// mistake in this program. It names the place of the mistake. The value of the panic is left
// out: it is worded for who wrote the code.
func Fault(what string) *Error {
	return Errorf(StatusSystem, nil, "%s failed: this library has a fault%s; please report this", what, panicked())
}

// panicked is the place of the panic that was recovered in the function that is being deferred.
func panicked() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	inPanic := false
	for {
		f, more := frames.Next()
		ofRuntime := strings.HasPrefix(f.Function, "runtime.")
		if inPanic && !ofRuntime {
			return fmt.Sprintf(" in %s:%d", path.Join(packageOf(f.Function), filepath.Base(f.File)), f.Line)
		}
		inPanic = inPanic || f.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}

// packageOf is the folder of a function's package within the module, or of another module.
func packageOf(function string) string {
	function = strings.TrimPrefix(function, "github.com/pentode-dev/pentode/")
	dir, name := path.Split(function)
	name, _, _ = strings.Cut(name, ".")
	return dir + name
}
