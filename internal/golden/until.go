package golden

import (
	"fmt"
	"testing"
	"time"
)

// Until waits until something holds, and fails the test if it never does. The failure ends with what is known by
// then, such as the output of a program.
func Until(t testing.TB, what string, holds func() bool, known ...fmt.Stringer) {
	t.Helper()
	for end := time.Now().Add(Patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came about that %s %v", what, known)
		}
	}
}
