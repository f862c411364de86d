//go:build unix

package cli_test

import (
	"strings"
	"testing"
)

// TestUnknownProgram: checking a whole project reports settings for a program that no plan starts, once.
func TestUnknownProgram(t *testing.T) {
	b := newBench(t)
	b.file("a.psdl", `process { name "solver"; command "true"; host "localhost"; daemon "sleep 60"; }
process { name "quick"; command "true"; host "localhost"; daemon "sleep 60"; }
`)
	b.file("pentode.toml", "[launch.solver]\ncopies = 2\n\n[launch.\"solver.1\"]\nnice = 3\n\n[launch.slover]\nrestart = \"no\"\n\n[launch.quik]\nnice = 3\n\n[launch.quite-another]\nrestart = \"no\"\n")
	code, out := b.code("check", "--format", "short", ".")
	for want, times := range map[string]int{
		"no launch plan of the project has a program `quite-another`": 1, "has a program `slover`": 1, "`quik`": 1, "solver.1": 0, "project/unknown-program": 2,
	} {
		if strings.Count(out, want) != times {
			t.Errorf("code %d, %d times %s: %s", code, times, want, out)
		}
	}
	if code, out := b.code("check", "--format", "short", "a.psdl"); code != 0 || strings.Contains(out, "quite-another") {
		t.Errorf("of one file alone: code %d, %s; want code = 0 and no %q in out", code, out, "quite-another")
	}
	b.file("b.psdl", `process { name "quite-another"; command "true"; host "localhost"; daemon "sleep 60"; `)
	if _, out := b.code("check", "--format", "short", "."); strings.Contains(out, "project/unknown-program") {
		t.Errorf("beside a plan with errors: %s; want no %q in it", out, "project/unknown-program")
	}
}
