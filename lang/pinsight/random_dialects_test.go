package pinsight

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/trace"
)

// TestRandomDialects checks that a finding is reported if the two dialects decide differently about a file
// without mistakes.
func TestRandomDialects(t *testing.T) {
	need.Slow(t)
	files := 200
	if need.FullSize() {
		files = 2000
	}
	clean, different, silent := 0, 0, 0
	for i := range files {
		text := compose(randomSeed(t), uint64(i), false).String()
		documented, found := decisions(t, text, load.Documented)
		if found.HasErrors() {
			continue
		}
		clean++
		upstream, _ := decisions(t, text, load.Upstream)
		differs, unsaid := 0, ""
		for k, want := range documented {
			if upstream[k] == want {
				continue
			}
			differs++
			if !slices.ContainsFunc(found, func(d *diag.Diagnostic) bool { return about(d, k) }) {
				unsaid = fmt.Sprintf("%s: %s documented, %s upstream", k, want, upstream[k])
			}
		}
		if differs > 0 {
			different++
		}
		if unsaid != "" {
			if silent++; silent <= 5 {
				t.Errorf("file %d differs without a finding: %s\n%s", i, unsaid, text)
			}
		}
	}
	t.Logf("%d files, %d without a mistake, %d of these decide differently, %d without a finding", files, clean, different, silent)
	if clean < files*2/3 {
		t.Errorf("only %d of %d files are without a mistake", clean, files)
	}
}

// about reports whether a finding may be about a decision.
func about(d *diag.Diagnostic, decision string) bool {
	if d.Code == upstreamParallel {
		return strings.HasPrefix(decision, "omp_parallel_")
	}
	return strings.HasPrefix(d.Code.ID, "pinsight/upstream-")
}

// decisions returns the executions that a file traces, by region and event.
func decisions(t *testing.T, text string, dialect load.Dialect) (map[string]string, diag.List) {
	t.Helper()
	config := New(Options{Catalog: Upstream()}).Parse(source.NewFile("x.pinsight", text)).Resolve(&load.Env{Dialect: dialect})
	m, _ := lang.Model[*Model](config)
	policy, err := m.Policy()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	c := Upstream()
	all := map[string]string{}
	for d, events := range someEvents {
		id, _ := c.Domain(d)
		if d == "OpenMP" {
			events = append([]string{"omp_parallel_begin"}, events...)
		}
		for _, name := range events {
			event, _ := c.Event(id, name)
			for _, where := range []string{"0x10", "0x20", "0x400500", "0x999", "alpha", "beta"} {
				region := trace.Region{Domain: id, Name: where}
				if address, ok := parseAddress(where); ok {
					region.Address, region.Name = address, ""
				}
				for _, unit := range []uint32{0, 5} {
					ids := slices.Repeat([]uint32{unit}, c.Kinds())
					var traced strings.Builder
					for n := range policy.Executions(region, event, ids, 14) {
						fmt.Fprintf(&traced, " %d", n)
					}
					all[fmt.Sprintf("%s at %s on unit %d", name, where, unit)] = traced.String()
				}
			}
		}
	}
	return all, config.Diagnostics()
}
