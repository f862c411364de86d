package pinsight_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// sections is a file with a header and three keys for each of n regions.
func sections(n int) *source.File {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[Lexgion(0x%x)]\n    trace_starts_at = %d\n    max_num_traces = 100\n    tracing_rate = 10\n", 0x400000+16*i, i)
	}
	return source.NewFile("bench.pinsight", b.String())
}

func BenchmarkParse(b *testing.B) {
	f := sections(10_000)
	b.SetBytes(int64(f.Len()))
	b.ReportAllocs()
	for b.Loop() {
		syntax.Parse(f)
	}
}

func BenchmarkFormat(b *testing.B) {
	f := sections(10_000)
	tree := syntax.Parse(f)
	b.SetBytes(int64(f.Len()))
	for b.Loop() {
		syntax.Print(tree)
	}
}

// BenchmarkCheck is parse, resolve and check.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := sections(n)
			b.ReportAllocs()
			for b.Loop() {
				if language.Parse(f).Resolve(&load.Env{}).Diagnostics().HasErrors() {
					b.Fatal("the file has errors")
				}
			}
		})
	}
}
