package coil_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
)

// sections is a configuration with n vendors' sections of five keys.
func sections(n int) *source.File {
	var b strings.Builder
	b.WriteString(whole)
	for i := range n {
		fmt.Fprintf(&b, "\n[NVIDIA_Device%d]\nSharedMemorySize = 49152  # bytes\nMaxRegistersPerThread = 255\nWarpSize = 32\nNames = a,b,\"c d\"\nFast = true\n", i)
	}
	return source.NewFile("bench.coilcfg", b.String())
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
	doc := language.Parse(f)
	b.SetBytes(int64(f.Len()))
	for b.Loop() {
		doc.Format()
	}
}

// BenchmarkCheck is parse, resolve and check.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := sections(n)
			b.SetBytes(int64(f.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if found := language.Parse(f).Resolve(&load.Env{}).Diagnostics(); len(found) > 0 {
					b.Fatal(found[0].Message)
				}
			}
		})
	}
}

// BenchmarkPreset is what a single small file costs.
func BenchmarkPreset(b *testing.B) {
	f, _ := preset.File("x86-64-linux")
	b.ReportAllocs()
	for b.Loop() {
		language.Parse(f).Resolve(&load.Env{}).Diagnostics()
	}
}
