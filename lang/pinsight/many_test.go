package pinsight_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
)

// many returns files with n sections or keys of one kind.
func many(n int) map[string]string {
	lines := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	return map[string]string{
		"one wildcard":       lines("[OpenMP.thread(%d)]\nomp_work = off\n") + "[REMOVE OpenMP.thread(*)]\n",
		"a REMOVE for each":  lines("[OpenMP.thread(%d)]\nomp_work = off\n") + lines("[REMOVE OpenMP.thread(%d)]\n"),
		"nothing to REMOVE":  lines("[OpenMP.thread(%d)]\nomp_work = off\n") + lines("[REMOVE OpenMP.team(%d)]\n"),
		"one line of errors": "[Lexgion(0x10)] : " + lines("Foo%d.default,") + "\n",
		"one line of names":  "[Lexgion(" + lines("f%d,") + "f0)]\ntracing_rate = 2\n",
	}
}

// BenchmarkMany shows whether the work grows linearly with the file.
func BenchmarkMany(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		for name, text := range many(n) {
			for _, dialect := range []load.Dialect{load.Documented, load.Upstream} {
				b.Run(fmt.Sprintf("%s/%s/%d", name, dialect, n), func(b *testing.B) {
					b.SetBytes(int64(len(text)))
					for b.Loop() {
						language.Parse(source.NewFile("x.pinsight", text)).Resolve(&load.Env{Dialect: dialect}).Diagnostics()
					}
				})
			}
		}
	}
}
