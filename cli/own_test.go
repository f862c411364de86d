package cli

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestOwnRepository: checking this repository reports nothing, and only faulty files that tests
// read are excluded.
func TestOwnRepository(t *testing.T) {
	need.Program(t, "python3") // pipelines of the examples name both
	need.Program(t, "/usr/bin/python3")
	t.Chdir(golden.Root(t))
	var out, errs strings.Builder
	if code := Run(Options{}, []string{"check", "--format", "short", "."}, strings.NewReader(""), &out, &errs); code != exitOK || out.Len() > 0 {
		t.Errorf("exit %d\n%s%s", code, out.String(), errs.String())
	}
	var all strings.Builder
	Run(Options{}, []string{"check", "--format", "short", "--config", `exclude=["testdata"]`, "."}, strings.NewReader(""), &all, &errs)
	if !strings.Contains(all.String(), "canonical.psdl") {
		t.Error("the list of what is excluded does not count")
	}
}
