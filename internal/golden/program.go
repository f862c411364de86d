package golden

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// built is the folder of the program, empty where no test needed it.
var built string

// build makes the program once for all tests of a package. Whose repository it
// is made from does not matter to a test.
var build = sync.OnceValues(func() (string, error) {
	var err error
	if built, err = os.MkdirTemp("", "pentode-test"); err != nil {
		return "", err
	}
	path := filepath.Join(built, "pentode")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", path, "github.com/pentode-dev/pentode/cmd/pentode").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// Pentode is the path of this program, for tests that start it as a user does.
// Their package calls Main from TestMain.
func Pentode(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Main runs the tests of a package and takes away what Pentode built.
func Main(m *testing.M) {
	code := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}
