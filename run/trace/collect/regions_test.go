//go:build linux

package collect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
)

// TestRecursion: each traced execution of a region has its begin and its end, also if the region begins again before it has
// ended, and if regions overlap. A recursive call counts like an iteration of a loop.
func TestRecursion(t *testing.T) {
	need.Slow(t)
	b := newFaults(t)
	for _, c := range []struct {
		name       string
		every, max uint32
		calls      string // a: region a begins; A: it ends
		want       string // with the numbers of the executions
	}{
		{"nested", 1, 9, "aaaAAA", "a0 a1 a2 A2 A1 A0"},
		{"nested and beside", 1, 9, "aaAaAAaA", "a0 a1 A1 a2 A2 A0 a3 A3"},
		{"two regions", 1, 9, "abaBAA", "a0 b0 a1 B0 A1 A0"},
		{"overlapping", 1, 9, "abAB", "a0 b0 A0 B0"},
		{"one in two", 2, 9, "aaaaAAAA", "a1 a3 A3 A1"},
		{"one in two of a loop", 2, 9, "aAaAaAaA", "a1 A1 a3 A3"},
		{"at most two", 1, 2, "aaaaAAAA", "a0 a1 A1 A0"},
		{"an end too many", 1, 9, "AaAA", "a0 A0"},
		{"an end before its begin", 1, 9, "aBAbB", "a0 A0 b0 B0"},
		{"without an end", 1, 9, "abBcC", "a0 b0 B0 c0 C0"},
		{"deep", 1, trace.Unlimited, strings.Repeat("a", 3000) + strings.Repeat("A", 3000), ""},
	} {
		p, err := trace.Compile(b.catalog, &trace.Config{Default: trace.RegionLayer{Rate: trace.RateLayer{
			Every: trace.Number{Value: c.every, Set: true}, Max: trace.Number{Value: c.max, Set: true},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		o := b.options(p)
		o.Audit = false
		_, dir, _ := b.collect(o, "calls", c.calls)
		var got []string
		open := 0
		for _, o := range b.read(dir)[0] {
			name := o.Fields[0].Text
			switch agent.Records[o.Event].Name {
			case "region_begin":
				open++
			case "region_end":
				open--
				name = strings.ToUpper(name)
			default:
				continue
			}
			got = append(got, fmt.Sprintf("%s%d", name, o.Fields[1].Number))
		}
		if text := strings.Join(got, " "); c.want != "" && text != c.want {
			t.Errorf("%s: %s became\n%s, want\n%s", c.name, c.calls, text, c.want)
		} else if c.want == "" && (open != 0 || len(got) != len(c.calls)) {
			t.Errorf("%s: %d begins and ends of %d, of which %d are open; want open = 0 and len(got) = %v", c.name, len(got), len(c.calls), open, len(c.calls))
		}
	}
}
