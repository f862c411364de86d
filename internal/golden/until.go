package golden

import (
	"fmt"
	"testing"
	"time"
)

// Known returns what is known when a wait fails, such as the output of a program.
type Known func() string

func (k Known) String() string { return k() }

// Until waits until holds returns true. If that takes too long, the test fails; the message names what was awaited and ends
// with known, such as the output of a program.
func Until(t testing.TB, what string, holds func() bool, known ...fmt.Stringer) {
	t.Helper()
	if !Comes(holds) {
		t.Fatalf("it never came about that %s %v", what, known)
	}
}

// Comes waits until holds returns true, and returns false if that takes too long. Unlike Until, it can be called from
// goroutines, which must not end the test. The slower the check, the less often Comes calls it.
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
