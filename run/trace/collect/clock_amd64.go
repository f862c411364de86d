package collect

import (
	"bytes"
	"os"
)

// counter reads the processor's time stamp counter.
func counter() uint64

// steady reports whether the counter runs at a constant speed on all processors.
func steady() bool {
	text, err := os.ReadFile("/proc/cpuinfo")
	return err == nil && bytes.Contains(text, []byte(" constant_tsc ")) && bytes.Contains(text, []byte(" nonstop_tsc "))
}
