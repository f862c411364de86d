package golden

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// build makes the program with `go run`, which keeps it among what Go has built:
// it is linked once, and not again for each package whose tests start it. Whose
// repository it is made from does not matter to a test.
var build = sync.OnceValues(func() (string, error) {
	// A program that was linked just now ran where it was linked: the next one runs the kept one.
	for range 2 {
		var errs strings.Builder
		cmd := exec.Command("go", "run", "-buildvcs=false", "-exec=echo", "github.com/pentode-dev/pentode/cmd/pentode")
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, errs.String())
		}
		path := strings.TrimSpace(string(out))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New("`go run` does not keep the program that it has built")
})

// Pentode is the path of this program, for tests that start it as a user does.
func Pentode(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
