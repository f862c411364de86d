//go:build unix

package pinsight_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
)

// TestMany reads files with very many of one thing. Each takes part of a second
// where the work grows with the file, and many where it grows with its square.
func TestMany(t *testing.T) {
	const many = 60_000
	lines := func(format string) string {
		var b strings.Builder
		for i := range many {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"one wildcard":       lines("[OpenMP.thread(%d)]\nomp_work = off\n") + "[REMOVE OpenMP.thread(*)]\n",
		"a REMOVE for each":  lines("[OpenMP.thread(%d)]\nomp_work = off\n") + lines("[REMOVE OpenMP.thread(%d)]\n"),
		"nothing to REMOVE":  lines("[OpenMP.thread(%d)]\nomp_work = off\n") + lines("[REMOVE OpenMP.team(%d)]\n"),
		"one line of errors": "[Lexgion(0x10)] : " + lines("Foo%d.default,") + "\n",
		"one line of names":  "[Lexgion(" + lines("f%d,") + "f0)]\ntracing_rate = 2\n",
	} {
		for _, dialect := range []load.Dialect{load.Seed, load.Upstream} {
			start := worked(t)
			language.Parse(source.NewFile("x.pinsight", text)).Resolve(&load.Env{Dialect: dialect}).Diagnostics()
			if took := worked(t) - start; took > 5*time.Second {
				t.Errorf("%s: %d bytes took %v", name, len(text), took)
			}
		}
	}
}

// worked is the time that this process has had a processor for, whatever else runs.
func worked(t *testing.T) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano())
}
