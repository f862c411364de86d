package seal_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/seal"
)

// A seal is a small text inside a result, and is read from there.
func ExampleParse() {
	text := seal.Seal{Version: 1, Run: "2026-11-19T10-36-02", Program: "solver", Process: "write"}.Text()
	s, err := seal.Parse(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Run, s.Program, s.Process)
	// Output:
	// 2026-11-19T10-36-02 solver write
}
