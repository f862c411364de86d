package web

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// usage is the processor time and the memory of a process of this machine; zero
// where it has ended.
func usage(pid int) (cpu float64, memory int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	// The name in parentheses may have blanks, so the fields are those after it.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 22 {
		return 0, 0
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(string(fields[i]), 10, 64)
		return n
	}
	const ticks = 100 // a second, on every Linux
	return float64(number(11)+number(12)) / ticks, number(21) * int64(os.Getpagesize())
}
