package launch

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets the test binary play other programs: the supervisor that a
// test kills.
func TestMain(m *testing.M) {
	if base := os.Getenv("LAUNCH_TEST_SUPERVISE"); base != "" {
		if err := superviseForTest(base); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
