package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHeat walks through the example as a person would: the run, its pictures, a
// setting, the files, and a pipeline while it runs and afterwards.
func TestHeat(t *testing.T) {
	dir := copyOf(t, "../../examples/heat")
	pipe := filepath.Join(dir, "heat.pipe")
	text, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pipe, []byte(strings.Replace(string(text), "steps = 400", "steps = 200000", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	b := browser(t, serve(t, dir))
	for _, part := range []string{"TARGET", "LAUNCH", "FLOW", "DATA", "TRACE", "heat.coilcfg", "process west on", "Nothing is wrong with these files."} {
		b.has(part)
	}
	b.looks("run")

	b.open("graph", "")
	b.until("the picture of the run", "document.querySelectorAll('[data-node]').length > 15")
	b.has("joins two parts of the run")
	b.looks("graph-run")

	query := "?path=" + pipe
	b.open("graph", query)
	b.until("the picture", "document.querySelectorAll('[data-node]').length === 5")
	b.choose("solver")
	b.has("solver:rows")
	if panel := b.text(".panel"); !strings.Contains(panel, "heat.pipe:") || !strings.Contains(panel, "plate:rows") {
		t.Errorf("the panel has no origin:\n%s", panel)
	}
	b.looks("node")
}
