package sprokit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
)

// TestLimits reads malicious texts. Each must end within the time limit of the test.
func TestLimits(t *testing.T) {
	need.Slow(t)
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, strings.ReplaceAll(format, "%d", "%[1]d"), i)
		}
		return b.String()
	}
	deep := source.Map{}
	for i := range 1000 {
		deep[fmt.Sprintf("d%d.conf", i)] = fmt.Sprintf("config c%d\n  k = %d\ninclude d%d.conf\n", i, i, i+1)
	}
	deep["d1000.conf"] = "config end\n  k = reached\n"
	nested := source.Map{}
	for i := range 200 {
		nested[fmt.Sprintf("c%d.cluster", i)] = fmt.Sprintf("cluster c%d\n  -- d\n  imap from i to p.i\n  -- d\nprocess p :: c%d\n", i, i+1)
	}
	bomb := "config a\n  k := 0123456789abcdef\n" + strings.Repeat("  k := $LOCAL{k}$LOCAL{k}\n", 100)
	lines := 2_000
	if need.FullSize() {
		lines = 10_000
	}
	for _, c := range []struct {
		name, text string
		files      source.Map
		code       string // of the finding, or ""
	}{
		{"a thousand includes deep", "include d1.conf\n", deep, ""},
		{"a thousand and one includes deep", "include d0.conf\n", deep, "sprokit/include-limit"},
		{"clusters nested too deep", "process a :: c0\n", nested, "sprokit/cluster-limit"},
		{"a cycle", "include x.pipe\n", nil, "sprokit/include-cycle"},
		{"a macro bomb", bomb, nil, "sprokit/macro-limit"},
		{"a macro bomb of many values", "config a\n  k = " + strings.Repeat("x", 500_000) + "\n" + repeat(1000, "  k%d = $CONFIG{a:k}\n"), nil, "sprokit/macro-limit"},
		{"many entries", "config a\n" + repeat(5*lines, "  k%d = v\n"), nil, ""},
		{"one key many times", "config a\n" + strings.Repeat("  k = v\n", lines), nil, ""},
		{"one key many times with macros", "config a\n  k =\n" + strings.Repeat("  k = $CONFIG{a:k}v\n", 20_000), nil, "sprokit/macro-limit"},
		{"a read-only key many times", "config a\n  k[ro] = v\n" + strings.Repeat("  k = v\n", lines), nil, "sprokit/read-only"},
		{"many undefined macros", "config a\n" + repeat(lines, "  k%d = $CONFIG{b:%d}\n"), nil, "sprokit/undefined-macro"},
		{"many processes", repeat(lines, "process p%d :: orphan\n"), nil, "sprokit/separate-parts"},
		{"many unknown types", repeat(lines, "process p%d :: t%d\n"), nil, "sprokit/unknown-type"},
		{"one process many times", strings.Repeat("process p :: orphan\n", lines), nil, "sprokit/duplicate-process"},
		{"many unknown ends", "process p :: sink\nprocess n :: numbers\n" + repeat(lines, "connect from q%d.a to r%d.b\n"), nil, "sprokit/unknown-process"},
		{"many unknown ports", "process p :: sink\nprocess q :: numbers\n" + repeat(lines, "connect from q.x%d to p.y%d\n"), nil, "sprokit/unknown-port"},
		{"one port many times", "process p :: sink\nprocess q :: numbers\n" + strings.Repeat("connect from q.number to p.sink\n", lines), nil, "sprokit/port-connected-twice"},
		{"many broken lines", strings.Repeat("@ # $\n", lines), nil, "sprokit/unexpected-token"},
		{"many blocks", "config a\n" + strings.Repeat("block b\n", lines), nil, "sprokit/unclosed-block"},
		{"many keys in deep blocks", "config a\n" + repeat(40, "block b%d"+strings.Repeat("x", 95)+"\n") + repeat(40_000, "k%d = v\n"), nil, "sprokit/key-too-long"},
		{"one long block", "config a\nblock " + strings.Repeat("b:", 1<<20) + "b\n  k = 1\nendblock\n", nil, "sprokit/key-too-long"},
		{"many edge rules", "process p :: orphan\nconfig _pipeline\n" + repeat(lines, "_edge_by_type:t%d:capacity = 1\n"), nil, "sprokit/no-such-edge"},
		{"one long line", "config a\n  k = " + strings.Repeat("$ENV{", 1<<20) + "\n", nil, ""},
		{"one long key", "config a\n  " + strings.Repeat("k:", 1<<20) + "k = 1\n", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := c.files
			if files == nil {
				files = source.Map{}
			}
			files["x.pipe"] = c.text
			doc := New(Options{}).Parse(source.NewFile("x.pipe", c.text))
			if _, ok := doc.Format(); !ok {
				t.Error("it is not formatted")
			}
			config := doc.Resolve(&load.Env{Opener: files, Dir: "."})
			found := c.code == ""
			for _, d := range config.Diagnostics() {
				found = found || d.Code.ID == c.code
				if len(d.Message) > 1000 {
					t.Errorf("a message of %d bytes, want at most 1000", len(d.Message))
				}
			}
			if !found {
				t.Errorf("no finding says %s", c.code)
			}
			values, keys, names := 0, 0, 0
			for e := range config.Values() {
				values += len(e.Value)
				keys += len(e.Key)
			}
			if values > maxExpanded+len(c.text) {
				t.Errorf("the values have %d bytes, want at most %v", values, maxExpanded+len(c.text))
			}
			for _, o := range config.Occurrences() {
				names += len(o.Symbol)
			}
			// Every line may be below a prefix that is not counted.
			if most := maxPrefixes + len(c.text) + freePrefix*strings.Count(c.text, "\n"); keys > most || names > most {
				t.Errorf("the keys have %d bytes and the names %d, of %d; want keys at most %v and names at most %v", keys, names, most, most, most)
			}
		})
	}
	full := New(Options{}).Parse(source.NewFile("x.pipe", "config a\nblock "+strings.Repeat("b", 2045)+"\n"+repeat(maxPrefixes/2048+1, "k%d = v\n")+"endblock\nj = 1\n"))
	limited, _ := lang.Model[*Model](full.Resolve(&load.Env{Opener: source.Map{}, Dir: "."}))
	long := "a:" + strings.Repeat("b", 2045) + ":"
	if _, ok := limited.Lookup(fmt.Sprint(long, "k", maxPrefixes/2048-1)); !ok {
		t.Error("the last key that the limit allows is not read")
	}
	if _, ok := limited.Lookup(fmt.Sprint(long, "k", maxPrefixes/2048)); ok {
		t.Error("the first key behind the limit is read")
	}
	if s, ok := limited.Lookup("a:j"); !ok || s.Value != "1" {
		t.Error("behind the limit a short key is not read")
	}
	m, _ := lang.Model[*Model](New(Options{}).Parse(source.NewFile("x.pipe", "include d1.conf\n")).Resolve(&load.Env{Opener: deep, Dir: "."}))
	if s, ok := m.Lookup("end:k"); !ok || s.Value != "reached" {
		t.Error("the deepest include was not read")
	}
}
