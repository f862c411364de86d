package pdi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestHostile reads trees designed to be expensive: each ends quickly, with an error and few findings.
func TestHostile(t *testing.T) {
	need.Slow(t)
	many := func(n int, line func(int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"alias bomb": "a0: &a0 {type: int}\n" + many(40, func(i int) string {
			return fmt.Sprintf("a%d: &a%d {type: struct, members: [{x: *a%d}, {y: *a%d}]}\n", i+1, i+1, i, i)
		}) + "data: {x: *a40}\n",
		"long expression": "metadata: {n: int}\ndata: {x: {type: array, subtype: int, size: '$n" + strings.Repeat(" + $n", 400_000) + "'}}\n",
		"long name":       "data: {x: " + strings.Repeat("a", 4<<20) + "}\n",
		"chain of types": "types:\n" + many(20_000, func(i int) string {
			return fmt.Sprintf("  t%d: {type: struct, members: [{a: t%d}, {b: t%d}]}\n", i, i+1, i+1)
		}) + "data: {x: t0}\n",
		"ring of types": "types:\n" + many(5_000, func(i int) string {
			return fmt.Sprintf("  t%d: {type: array, subtype: t%d, size: 2}\n", i, (i+1)%5_000)
		}),
		"deep type":   "data: {x: " + strings.Repeat("{type: array, size: 2, subtype: ", 900) + "int" + strings.Repeat("}", 900) + "}\n",
		"undeclared":  "data:\n" + many(20_000, func(i int) string { return fmt.Sprintf("  d%d: {type: array, subtype: int, size: $e%d}\n", i, i) }),
		"wrong types": "data:\n" + many(20_000, func(i int) string { return fmt.Sprintf("  d%d: {type: array, subtype: nosuch, size: -1}\n", i) }),
		"negative":    "data:\n" + many(20_000, func(i int) string { return fmt.Sprintf("  d%d: {type: array, subtype: int, size: -1}\n", i) }),
		"damaged": "data:\n" + many(20_000, func(i int) string {
			return fmt.Sprintf("  d%d: @x\n  e%d: {type: array, subtype: nosuch%d, size: $f%d}\n", i, i, i, i)
		}),
		"misspelt": "metdata: {a: int" + many(20_000, func(i int) string { return fmt.Sprintf(", e%d: int", i) }) + "}\ndata:\n" +
			many(20_000, func(i int) string { return fmt.Sprintf("  d%d: {type: array, subtype: int, size: $e%d}\n", i, i) }),
		"one name": "data:\n" + strings.Repeat("  d: int\n", 20_000),
		"includes": "include: [" + strings.Repeat("x.yml, ", 5_000) + "y.yml]\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := source.NewFile("in.yml", text)
			env := &load.Env{Opener: source.Map{"in.yml": text, "x.yml": "data: {x: int}\n"}, Dir: "."}
			c := language.Parse(f).Resolve(env)
			found := c.Diagnostics()
			if !found.HasErrors() || len(found) > 3*diag.MaxPerFile {
				t.Errorf("%d findings, %d errors; want at least one error, and at most %d findings", len(found), found.Count(diag.Error), 3*diag.MaxPerFile)
			}
			for _, d := range found {
				if len(d.Message) > 500 {
					t.Errorf("a message of %d bytes: %.100s…, want at most 500", len(d.Message), d.Message)
				}
			}
			golden.Settings(c, true)
		})
	}
}

// TestErrorAfterWarnings: an error is shown however many warnings come before it.
func TestErrorAfterWarnings(t *testing.T) {
	var b strings.Builder
	b.WriteString("data:\n")
	for i := range 1200 {
		fmt.Fprintf(&b, "  d%d: {type: array, subtype: int, size: 3, sizes: 4}\n", i)
	}
	b.WriteString("  e: {type: array, subtype: nosuch, size: 3}\n")
	found := language.Parse(source.NewFile("in.yml", b.String())).Resolve(&load.Env{Opener: source.Map{}, Dir: "."}).Diagnostics()
	if n := found.Count(diag.Warning); n != diag.MaxPerFile-1 {
		t.Errorf("%d warnings are shown beside the error, want %v", n, diag.MaxPerFile-1)
	}
	if i := slices.IndexFunc(found, func(d *diag.Diagnostic) bool { return d.Code.ID == "pdi/unknown-type" }); i < 0 || found[i].Span.Position().Line != 1202 {
		t.Errorf("the error at the end is not shown")
	}
}
