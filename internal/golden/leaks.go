package golden

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// NothingRuns fails a test if its goroutines do not end.
func NothingRuns(t testing.TB, options ...goleak.Option) {
	t.Helper()
	if err := patiently(Patience, func() error { return goleak.Find(options...) }); err != nil {
		t.Error(err)
	}
}

// Main runs the tests of a package, and fails if their goroutines do not end.
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

// patiently looks again until nothing is found: goleak itself waits for less than half a second, too short for
// a goroutine on a busy machine to end.
func patiently(patience time.Duration, find func() error) error {
	for end := time.Now().Add(patience); ; {
		if err := find(); err == nil || time.Now().After(end) {
			return err
		}
	}
}
