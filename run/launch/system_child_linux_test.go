package launch

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch/state"
	"golang.org/x/sys/unix"
)

func TestExplainStart(t *testing.T) {
	for err, want := range map[error]string{
		unix.EMFILE:  "too many open files to start another program: raise `ulimit -n`, or start fewer at a time",
		unix.EAGAIN:  "this machine allows no more processes: raise `ulimit -u`, or start fewer at a time",
		unix.ENOEXEC: "`/f` is neither a program for this machine nor a script with a `#!` line",
		unix.E2BIG:   "the arguments of `/f` are longer than this machine allows",
		unix.ENOENT:  "directory `/no/such/dir` does not exist",
	} {
		if got := (*StartError)(nil); !errors.As(explainStart("/f", "/no/such/dir", err), &got) || got.Message != want || got.Code != 126 {
			t.Errorf("%v: %+v", err, got)
		}
	}
	if got := (*StartError)(nil); !errors.As(explainStart("/f", "", unix.EIO), &got) || got.Message != "program `/f` did not start: input/output error" || got.Code != 126 {
		t.Errorf("%+v, want code 126 and %q", got, "program `/f` did not start: input/output error")
	}
}

// An ended orphan in a group that a child led is collected, but a child for which another goroutine
// waits is not.
func TestOrphanIsCollected(t *testing.T) {
	if !need.Child(t) {
		return // this program remains the parent of orphans
	}
	release, err := System().Adopt("none")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	grouped := func(script string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return cmd
	}
	mine := grouped("exit 3")
	if err := mine.Start(); err != nil {
		t.Fatal(err)
	}
	parent := grouped("sleep 0.1 & exit 0")
	if err := parent.Run(); err != nil {
		t.Fatal(err)
	}
	orphans := func() bool {
		return slices.ContainsFunc(children(), func(pid int) bool {
			p, ok := state.ReadProcess(pid)
			return ok && p.Parent == os.Getpid() && p.Group == parent.Process.Pid
		})
	}
	golden.Until(t, "no orphan is left", func() bool { return !orphans() })
	if err := mine.Wait(); err == nil || err.Error() != "exit status 3" {
		t.Errorf("%v", err)
	}
}
