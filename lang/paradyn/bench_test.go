package paradyn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
)

// launches is a file with n processes on n/10 hosts, and as many tunable constants.
func launches(n int) *source.File {
	var b strings.Builder
	for i := range n {
		if i%10 == 0 {
			fmt.Fprintf(&b, "daemon {\n    command \"paradynd -z %d\";\n    host \"node%d\";\n}\n\n", i, i/10)
		}
		fmt.Fprintf(&b, "// process %d\nprocess {\n    command \"/opt/app/bin/solver\";\n    host \"node%d\";\n    daemon \"paradynd -z %d\";\n    name \"solver%d\";\n    args { \"--rank\" \"%d\" };\n}\n\n", i, i/10, i-i%10, i, i)
	}
	return source.NewFile("bench.psdl", b.String())
}

func BenchmarkParse(b *testing.B) {
	f := launches(10_000)
	b.SetBytes(int64(f.Len()))
	b.ReportAllocs()
	for b.Loop() {
		syntax.Parse(f)
	}
}

func BenchmarkFormat(b *testing.B) {
	f := launches(10_000)
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
			f := launches(n)
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
