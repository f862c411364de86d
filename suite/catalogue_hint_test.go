package suite

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
)

// TestSettled: if a built-in catalogue would resolve most of many findings, the hint names it; otherwise it suggests
// importing a catalogue.
func TestSettled(t *testing.T) {
	findings := func(viame, other int) (list diag.List) {
		for range viame {
			list = append(list, &diag.Diagnostic{Code: &diag.Code{ID: "sprokit/unknown-port"}, Message: "no `file_name`; `types = [\"viame\"]` in pentode.toml checks with the declarations of VIAME"})
		}
		for range other {
			list = append(list, &diag.Diagnostic{Code: &diag.Code{ID: "sprokit/unknown-type"}, Message: "unknown type"})
		}
		return list
	}
	for _, c := range []struct {
		viame, other int
		want         string
	}{
		{render.Many, 1, "`types = [\"viame\"]` below [sprokit] in pentode.toml settles"},
		{1, render.Many, "`pentode types import` reads"},
	} {
		if have := Settled(findings(c.viame, c.other)); !strings.Contains(have, c.want) {
			t.Errorf("%d and %d: have %s; want %q in it", c.viame, c.other, have, c.want)
		}
	}
	if have := Settled(findings(1, 0)); have != "" {
		t.Errorf("of few findings: %s; want nothing", have)
	}
}
