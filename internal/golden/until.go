package golden

import (
	"fmt"
	"testing"
	"time"
)

// Known is what is known when a wait has failed.
type Known func() string

func (k Known) String() string { return k() }

// Until waits until something holds, and fails the test if it never does. The failure ends with what is known by
// then, such as the output of a program.
func Until(t testing.TB, what string, holds func() bool, known ...fmt.Stringer) {
	t.Helper()
	if !Comes(holds) {
		t.Fatalf("it never came about that %s %v", what, known)
	}
}

// Comes waits until something holds, and reports whether it came about: for goroutines, which may not end the test, and
// for programs of a test. It looks less often where a look takes long, such as a question to a page.
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
