package pdi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// arrays is a tree of n three-dimensional arrays.
func arrays(n int) *source.File {
	var b strings.Builder
	b.WriteString("metadata:\n  nx: int\n  ny: int\n  nz: int\nlogging: error\ndata:\n")
	for i := range n {
		fmt.Fprintf(&b, "  field_%d:\n    type: array\n    subtype: double\n    size: [$nx, '$ny + 2', \"$nz\"]\n", i)
	}
	return source.NewFile("bench.yml", b.String())
}

func BenchmarkParse(b *testing.B) {
	f := arrays(10_000)
	b.SetBytes(int64(f.Len()))
	b.ReportAllocs()
	for b.Loop() {
		syntax.Parse(f)
	}
}

// BenchmarkCheck is parse, resolve and check.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := arrays(n)
			b.ReportAllocs()
			for b.Loop() {
				if found := language.Parse(f).Resolve(&load.Env{}).Diagnostics(); len(found) > 0 {
					b.Fatal(found[0].Message)
				}
			}
		})
	}
}

// BenchmarkStart is everything from the text to a store that is ready.
func BenchmarkStart(b *testing.B) {
	f := arrays(10_000)
	b.ReportAllocs()
	for b.Loop() {
		m, _ := lang.Model[*pdi.Model](language.Parse(f).Resolve(&load.Env{}))
		s, err := data.New(m.Spec(), data.Options{})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkShow(b *testing.B) {
	c := language.Parse(arrays(10_000)).Resolve(&load.Env{})
	b.ReportAllocs()
	for b.Loop() {
		for range c.Values() {
		}
	}
}
