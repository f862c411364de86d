package golden

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// NothingRuns fails the test if goroutines are still running after a while.
func NothingRuns(t testing.TB, options ...goleak.Option) {
	t.Helper()
	if err := patiently(Patience, func() error { return goleak.Find(options...) }); err != nil {
		t.Error(err)
	}
}

// Main runs the tests of a package, and fails if goroutines are still running at the end.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := patiently(Patience, func() error { return goleak.Find() }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// patiently calls find repeatedly until it finds no running goroutine or the time is over. goleak itself waits
// less than half a second, which is too short on a busy machine.
func patiently(patience time.Duration, find func() error) error {
	for end := time.Now().Add(patience); ; {
		if err := find(); err == nil || time.Now().After(end) {
			return err
		}
	}
}
