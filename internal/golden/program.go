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

// build compiles this program with `go run`, which keeps it in Go's build cache. So the program
// is linked once, and not for each package whose tests start it. The program does not record the
// state of the git repository, because tests do not need it.
var build = sync.OnceValues(func() (string, error) {
	// The first time, the program runs from a temporary folder; the second time, from the cache.
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

// Pentode returns the path of this program, for tests that start it as a user does.
func Pentode(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
