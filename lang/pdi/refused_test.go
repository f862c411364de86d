package pdi_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
)

// onlyRunning are refusals that depend on the running program or on the values of its data: errors of `on_init`, a missing function, a missing
// plugin.
var onlyRunning = []string{
	"undefined symbol", "Unable to load plugin", "bad_alloc", "Cannot access a non shared value", "Cannot release a non shared value", "Unable to grant access",
}

// TestRefusedTrees checks the recorded trees that the original program refuses, in its dialect: each has an error.
func TestRefusedTrees(t *testing.T) {
	text, err := os.ReadFile("../../capi/testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	count, tree := 0, ""
	for line := range strings.Lines(string(text)) {
		answer, ok := strings.CutPrefix(line, "=> ")
		if !ok {
			tree = strings.TrimPrefix(tree+line, "\n")
			continue
		}
		spec := tree
		tree = ""
		if containsAny(answer, onlyRunning) || strings.HasPrefix(spec, "include:") { // the included files were not recorded
			continue
		}
		count++
		config, _ := upstream(t, "in.yml", spec)
		if found := config.Diagnostics(); !found.HasErrors() {
			t.Errorf("%s\nis refused: %s\n%s", spec, answer, messages(found))
		}
	}
	if count < 150 {
		t.Errorf("%d trees were checked, want at least 150", count)
	}
}

func containsAny(text string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// TestRefusedWords: a refusal at the start is an error of check, with the message of the start.
func TestRefusedWords(t *testing.T) {
	for config, want := range map[string]string{
		"decl_hdf5:":                        "Expected mapping, found scalar",
		"decl_hdf5: []":                     "`PDI_init` says: Configuration error #2: Expected mapping, found sequence (ROOT)",
		"decl_hdf5: {file: a.h5, write: a}": "Expected mapping, found scalar",
		"set_value: {on_init: }":            "Operations must be defined as a list",
		"decl_hdf5: {file: a.h5, write: {d: {datset: x}}}":                                      "Unknown key for HDF5 dataset configuration: `datset'",
		"decl_hdf5: {file: a.h5, write: {d: {memory_selection: {sise: 1}}}}":                    "Invalid configuration key in selection: `sise'",
		"decl_hdf5: {write: [d]}":                                                               "Key `file' not found",
		"decl_hdf5: {file: a.h5, collision_policy: nosuch}":                                     "Unknown collision policy: NOSUCH",
		"decl_hdf5: {file: a.h5, write: {d: {mpio: nosuch}}}":                                   "Not valid mpio value: `nosuch'",
		"decl_hdf5: {file: a.h5, write: {d: {x: 1, y: 2}}}":                                     "Unknown key for HDF5 dataset configuration: `x'",
		"decl_hdf5: {file: a.h5, collision_policy: REPLACE_AND_WARN, write: {d: {dataset: x}}}": "",
	} {
		c, _ := upstream(t, "in.yml", "data: {d: int}\nplugins:\n  "+config+"\n")
		found := c.Diagnostics()
		if want == "" {
			if found.HasErrors() {
				t.Errorf("%s\n%s\nwant no errors", config, messages(found))
			}
			continue
		}
		words := ""
		for _, d := range found {
			if d.Severity == diag.Error {
				words += d.Message + "\n" + strings.Join(d.Notes, "\n") + "\n"
			} else if d.Severity == diag.Warning {
				t.Errorf("%s: only a warning: %s", config, d.Message)
			}
		}
		if !strings.Contains(words, want) {
			t.Errorf("%s\n got %s\nwant %s", config, words, want)
		}
	}
}
