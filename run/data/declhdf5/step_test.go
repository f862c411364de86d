package declhdf5

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
)

// TestStepFails: a fault of the library in a step that is written in the background is an error
// of the file, and not the end of the program.
func TestStepFails(t *testing.T) {
	var none []int
	s := &step{path: "a.h5", run: func() error { none[len(t.Name())]++; return nil }}
	err := s.safely()
	if err == nil || data.StatusOf(err) != data.StatusSystem || !strings.HasPrefix(err.Error(), "writing `a.h5` failed: this library has a fault in run/data/declhdf5/step_test.go:") {
		t.Errorf("%v", err)
	}
}
