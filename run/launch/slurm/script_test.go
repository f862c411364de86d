package slurm

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch"
)

// TestScript: options are written as comments for sbatch, and names from files are quoted for the shell.
func TestScript(t *testing.T) {
	b := Batch{
		Job:  launch.Job{Nodes: 2, Time: 26*time.Hour + 90*time.Second, Array: "0-3%2", Options: []string{"--partition=gpu", `--comment=a "b" \ #c`}},
		Name: "plan", Dir: "/home/it's 5% $HOME", Argv: []string{"/opt/pentode", "run", "--map=a=b c", "--", "it's.psdl"},
	}
	const want = `#!/bin/sh
#SBATCH --job-name=plan
#SBATCH --nodes=2
#SBATCH --ntasks=2
#SBATCH "--output=/home/it's 5%% $HOME/plan-%A_%a.log"
#SBATCH --array=0-3%2
#SBATCH --time=1-02:01:30
#SBATCH --partition=gpu
#SBATCH "--comment=a \"b\" \\ #c"

cd '/home/it'\''s 5% $HOME' || exit
export PENTODE_STATE='/home/it'\''s 5% $HOME/plan-'"${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}.state"
[ -d "$XDG_RUNTIME_DIR" ] || unset XDG_RUNTIME_DIR # set on the machine that submitted the job
exec /opt/pentode run '--map=a=b c' -- 'it'\''s.psdl'
`
	if got := b.Script(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	cmd := exec.Command(need.Program(t, "sh"), "-n")
	cmd.Stdin = strings.NewReader(b.Script())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestValidate: Slurm does not expand names in a path with a backslash.
func TestValidate(t *testing.T) {
	for dir, ok := range map[string]bool{"/a b": true, `/a\b`: false, "/a\nb": false} {
		if err := (Batch{Dir: dir}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", dir, err)
		}
	}
}

// TestTasks: the state and the exit code of a job are read from the output of scontrol.
func TestTasks(t *testing.T) {
	for _, c := range []struct {
		text    string
		summary string
		over    bool
		code    int
	}{
		{"JobId=7 JobName=a JobState=PENDING Reason=Resources Dependency=(null) ExitCode=0:0\n", "pending (Resources)", false, 1},
		{"JobId=7 JobState=RUNNING Reason=None ExitCode=0:0\n", "running", false, 1},
		{"JobId=7 JobState=COMPLETED Reason=None ExitCode=0:0\n", "completed", true, 0},
		{"JobId=7 JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0\n", "failed (NonZeroExitCode)", true, 3},
		{"JobId=7 JobState=FAILED Reason=None ExitCode=0:9\n", "failed", true, 137},
		{"JobId=7 JobState=TIMEOUT Reason=TimeLimit ExitCode=0:15\n", "timeout (TimeLimit)", true, 124},
		{"JobId=7 JobState=FAILED Reason=JobLaunchFailure ExitCode=0:53\n", "failed (JobLaunchFailure)", true, 126},
		{"JobId=7 JobState=CANCELLED Reason=None ExitCode=0:0\n", "cancelled", true, 1},
		{"JobId=8 ArrayJobId=7 ArrayTaskId=0 JobState=COMPLETED Reason=None ExitCode=0:0\nJobId=7 ArrayJobId=7 ArrayTaskId=1-3%1 JobState=PENDING Reason=JobArrayTaskLimit ExitCode=0:0\n", "1 completed, 1 pending (JobArrayTaskLimit)", false, 1},
	} {
		tasks := parseTasks(c.text)
		code, over := 0, true
		for _, task := range tasks {
			code, over = max(code, task.Code()), over && task.Over()
		}
		if got := summary(tasks); got != c.summary || over != c.over || code != c.code {
			t.Errorf("%s: %s, over %v, code %d; want got = %v, over = %v and code = %v", c.text, got, over, code, c.summary, c.over, c.code)
		}
	}
}

// TestNotThere: the error says that Slurm is missing, or does not know the job.
func TestNotThere(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	b := Batch{Name: "plan", Dir: t.TempDir(), Argv: []string{"true"}}
	if _, err := b.Submit(t.Context()); err == nil || err.Error() != "there is no `sbatch` in PATH: submit plans on a machine with Slurm" {
		t.Error(err)
	}
	if _, err := b.Submitted("x"); err == nil || err.Error() != "`x` is not the number of a job" {
		t.Error(err)
	}
}
