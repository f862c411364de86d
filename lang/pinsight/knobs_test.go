package pinsight_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
)

// TestManyKnobs: an installed PInsight has room for 64 knobs of 32 bits. The documented dialect has no such limit, and check reports the knobs over
// it.
func TestManyKnobs(t *testing.T) {
	var b strings.Builder
	b.WriteString("[Knob]\n")
	for i := range 70 {
		fmt.Fprintf(&b, "    knob_%d = %d\n", i, 5_000_000_000+i)
	}
	b.WriteString("    knob_3 = 2.5\n    knob_4 = text\n    knob_5 = 7\n")
	for _, c := range []struct {
		dialect  load.Dialect
		severity diag.Severity
		knobs    int
		first    int64
	}{
		{load.Documented, diag.Info, 70, 5_000_000_000},
		{load.Upstream, diag.Warning, 64, 705_032_704},
	} {
		config := language.Parse(source.NewFile("x.pinsight", b.String())).Resolve(&load.Env{Dialect: c.dialect})
		m, _ := lang.Model[*pinsight.Model](config)
		list := m.Knobs()
		if len(list) != c.knobs || list[0].Integer != c.first {
			t.Errorf("%s: %d knobs, the first is %+v; want len(list) = %v and list[0].Integer = %v", c.dialect, len(list), list[0], c.knobs, c.first)
		}
		if k := list[3]; k.Number != 2.5 || k.Integer != 2 {
			t.Errorf("%s: 2.5 is %+v, want k.Number = 2.5 and k.Integer = 2", c.dialect, k)
		}
		if k := list[4]; k.Text != "text" {
			t.Errorf("%s: a word is %+v, want %q", c.dialect, k, "text")
		}
		said := 0
		for _, d := range config.Diagnostics() {
			if strings.Contains(d.Message, "room for 64 knobs") {
				said++
				if line := d.Span.Position().Line; line != 66 || d.Severity != c.severity {
					t.Errorf("%s: %s in line %d, want line = 66 and d.Severity = %v", c.dialect, d.Severity, line, c.severity)
				}
			}
		}
		if said != 1 {
			t.Errorf("%s: the limit is said %d times, want 1", c.dialect, said)
		}
	}
}
