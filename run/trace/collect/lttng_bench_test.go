//go:build linux

package collect

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
)

// lttngSession is an LTTng session that records the tracepoint of bench.c.
type lttngSession struct{ program, name string }

// newLTTng starts LTTng if it is installed; otherwise it returns nil and logs why. If root runs it, all users
// of the machine share one daemon: if that is ended, the benchmark continues.
func newLTTng(b *testing.B, cc string) *lttngSession {
	b.Helper()
	home, err := os.MkdirTemp("", "lttng") // the paths of its sockets must be short
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(home) }) // processes started by its daemon may still write there
	s := &lttngSession{filepath.Join(home, "bench"), fmt.Sprintf("pentode-bench-%d", os.Getpid())}
	if out, err := exec.Command(cc, "-O2", "-DLTTNG", "-I", "testdata", filepath.Join("testdata", "bench.c"), "-o", s.program, "-llttng-ust", "-ldl", "-lpthread").CombinedOutput(); err != nil {
		b.Logf("LTTng is not compared: %s", out)
		return nil
	}
	b.Setenv("LTTNG_HOME", home)
	if exec.Command("lttng", "--no-sessiond", "list").Run() != nil {
		daemon := exec.Command("lttng-sessiond", "--no-kernel", "--quiet")
		if err := daemon.Start(); err != nil {
			b.Logf("LTTng is not compared: %v", err)
			return nil
		}
		b.Cleanup(func() {
			_ = daemon.Process.Signal(syscall.SIGTERM)
			_ = daemon.Wait()
		})
		golden.Until(b, "the daemon answers", func() bool { return exec.Command("lttng", "--no-sessiond", "list").Run() == nil })
	}
	b.Cleanup(func() { _ = exec.Command("lttng", "--no-sessiond", "destroy", s.name).Run() })
	for _, args := range [][]string{
		{"create", s.name, "--output", filepath.Join(home, "trace")},
		{"enable-event", "--session", s.name, "--userspace", "pentode_bench:two"},
		{"start", s.name},
	} {
		if out, err := exec.Command("lttng", append([]string{"--no-sessiond"}, args...)...).CombinedOutput(); err != nil {
			b.Logf("LTTng is not compared: %s", out)
			return nil
		}
	}
	return s
}

// tracepoint returns the cost of the tracepoint relative to an empty callback; ok reports whether the session recorded it.
func (s *lttngSession) tracepoint(b *testing.B, threads int) (ns float64, ok bool) {
	b.Helper()
	if s == nil {
		return 0, false
	}
	const rounds = "5000" // as many as fit into its buffers
	out, err := exec.Command(s.program, rounds, fmt.Sprint(threads)).Output()
	var empty, point float64
	n, _ := fmt.Sscan(string(out), &empty, &point)
	said, lost := exec.Command("lttng", "--no-sessiond", "list", s.name).CombinedOutput()
	if err != nil || n != 2 || lost != nil || !strings.Contains(string(said), "[active]") {
		b.Logf("LTTng is not compared: its program printed %q, %v; its session: %q", out, err, said)
		return 0, false
	}
	return point - empty, true
}
