package need

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Child runs the current test again in a separate process, for tests that change state of
// the whole process. In the new process it returns true. In the original process it waits
// for the new one, fails or skips the test accordingly, and returns false.
func Child(t *testing.T) bool {
	t.Helper()
	const variable = "PENTODE_CHILD"
	if os.Getenv(variable) == t.Name() {
		return true
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var pattern []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	cmd := exec.Command(self, "-test.v", "-test.run="+strings.Join(pattern, "/"))
	if end, ok := t.Deadline(); ok {
		cmd.Args = append(cmd.Args, "-test.timeout="+time.Until(end).String())
	}
	cmd.Env = append(os.Environ(), variable+"="+t.Name())
	out, err := cmd.CombinedOutput()
	ended := func(how string) bool { return bytes.Contains(out, []byte("--- "+how+": "+t.Name()+" ")) }
	switch {
	case err == nil && ended("SKIP"):
		t.Skipf("the process of its own skips it:\n%s", out)
	case err != nil || !ended("PASS"):
		t.Fatalf("in a process of its own: %v\n%s", err, out)
	}
	return false
}
