package launch

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

func TestExplainStart(t *testing.T) {
	for err, want := range map[error]string{
		unix.EMFILE:  "too many open files to start another program: raise `ulimit -n`, or start fewer at a time",
		unix.EAGAIN:  "this machine allows no more processes: raise `ulimit -u`, or start fewer at a time",
		unix.ENOEXEC: "`/f` is neither a program of this machine nor a script with a `#!` line",
		unix.E2BIG:   "the arguments of `/f` are longer than this machine allows",
		unix.ENOENT:  "directory `/no/such/dir` does not exist",
	} {
		if got := (*StartError)(nil); !errors.As(explainStart("/f", "/no/such/dir", err), &got) || got.Message != want || got.Code != 126 {
			t.Errorf("%v: %+v", err, got)
		}
	}
	if got := (*StartError)(nil); !errors.As(explainStart("/f", "", unix.EIO), &got) || got.Message != "program `/f` did not start: input/output error" || got.Code != 126 {
		t.Errorf("%+v", got)
	}
}
