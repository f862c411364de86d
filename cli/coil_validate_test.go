package cli_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
)

// TestPresetsAreValid: the validator reports nothing about any preset, including the examples in
// COIL's documentation.
func TestPresetsAreValid(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(golden.Root(t), "lang", "coil", "preset", "*.coilcfg"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no presets: %v", err)
	}
	for _, path := range paths {
		var out, errs bytes.Buffer
		if code := cli.ValidateCoil([]string{"--strict", path}, nil, &out, &errs); code != 0 || out.Len() > 0 {
			t.Errorf("%s: exit %d\n%s%s", path, code, out.String(), errs.String())
		}
	}
}
