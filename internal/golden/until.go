package golden

import (
	"fmt"
	"testing"
	"time"
)

// Known describes the state after a failed wait.
type Known func() string

func (k Known) String() string { return k() }

// Until waits until a condition is true, and fails the test if it never is. The failure message ends with known, such as
// the output of a program.
func Until(t testing.TB, what string, holds func() bool, known ...fmt.Stringer) {
	t.Helper()
	if !Comes(holds) {
		t.Fatalf("it never came about that %s %v", what, known)
	}
}

// Comes waits until a condition is true, and reports whether it became true. It is for goroutines, which may not end the test, and
// for programs of a test. It checks less often if a check takes long, such as a request to a page.
func Comes(holds func() bool) bool {
	for end := time.Now().Add(Patience); ; {
		began := time.Now()
		if holds() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(min(max(5*time.Millisecond, 4*time.Since(began)), 50*time.Millisecond))
	}
}
