package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// The batch script works with an srun that runs commands on this machine.
func TestRealSlurm(t *testing.T) {
	t.Parallel()
	bash := need.Program(t, "bash")
	need.Program(t, "grep") // which the script calls
	w := newWorkshop(t)
	w.script("srun", `for a; do case $a in --output=*) exec >"${a#--output=}";; --error=*) exec 2>"${a#--error=}";; --chdir=*) cd "${a#--chdir=}";; esac; done
while [ "$1" != -- ]; do shift; done; shift; exec "$@"`)
	d := Decls{
		Tunables: []Tunable{{Name: "maxEval", Value: "3"}},
		Daemons:  []Daemon{{Name: "d", Command: Quote(w.script("daemon", `sleep 0.3; touch up; echo "up 12"; exec sleep 60`)), Host: "localhost"}},
		Processes: []Process{
			{Command: w.script("process", `[ -f up ] && printf '%s' "$1 $PARADYN_TUNABLE_maxEval" > got; exit 6`), Args: []string{"it's\n$HOME"}, Host: "localhost", Daemon: "d"},
		},
		Visis: []Visi{{Name: "v", Command: "never"}},
	}
	p, _ := NewPlan(d, Options{Dir: w.dir, Ready: mustReady(t, `line:^up \d+$`)})
	text, lost := written(t, "slurm", p)
	if len(lost) != 3 {
		t.Errorf("lost: %q", lost)
	}
	file := filepath.Join(w.dir, "job.sh")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("timeout", strconv.Itoa(int(golden.Patience.Seconds())), bash, file)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "PATH="+w.dir+":"+os.Getenv("PATH"), "SLURM_JOB_ID=7")
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 6 {
		t.Errorf("code %d, want 6: %s\n%s", code, out, text)
	}
	if got, err := os.ReadFile(filepath.Join(w.dir, "got")); err != nil || string(got) != "it's\n$HOME 3" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := os.ReadFile(filepath.Join(w.dir, "pentode-7", "0-d.out")); err != nil || string(got) != "up 12\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// A recording srun: it writes its arguments and the variables down, then does
// what srun would do on one node.
func TestRealSrun(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	srun := w.script("srun", `{ for a; do printf '%s\n' "$a"; done; echo "tunable $PARADYN_TUNABLE_list"; } > "$0.$PENTODE_NODE"
while [ "$1" != -- ]; do case $1 in --chdir=*) cd "${1#--chdir=}";; esac; shift; done; shift; exec "$@"`)
	daemon := w.script("daemon", `echo "PARADYND $$"; exec sleep 60`)
	process := w.script("process", `echo "$1 in $(pwd)"`)
	d := Decls{
		Tunables: []Tunable{{Name: "list", Value: "1,2"}},
		Daemons:  []Daemon{{Name: "d", Command: Quote(daemon) + " 'x y'", Host: "node7"}},
		Processes: []Process{
			{Name: "p", Command: process, Args: []string{"two words"}, Host: "node7", Daemon: "d"},
		},
	}
	starter := Srun{Program: []string{srun}}
	r := w.start(d, Options{Local: starter, Remote: starter, RemoteDir: w.dir}, RunOptions{Grace: time.Second})
	if result := r.wait(); result.Code != 0 {
		t.Fatalf("code %d\n%s\nwant 0", result.Code, r.story())
	}
	common := "--nodes=1\n--ntasks=1\n--nodelist=node7\n--overlap\n--export=ALL\n--input=none\n--unbuffered\n--kill-on-bad-exit=1\n--mpi=none\n--job-name=%s\n--chdir=" + w.dir + "\n--\n"
	for id, rest := range map[string]string{"d": daemon + "\nx y\n", "p": process + "\ntwo words\n"} {
		got, err := os.ReadFile(srun + "." + id)
		if want := fmt.Sprintf(common, id) + rest + "tunable 1,2\n"; err != nil || string(got) != want {
			t.Errorf("%s: %v, got\n%swant\n%s", id, err, got, want)
		}
	}
	if !strings.Contains(r.output.String(), "two words in "+w.dir) {
		t.Errorf("output: %s; want %q in it", r.output, "two words in "+w.dir)
	}
}

func TestRealTemplate(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	w.script("there", `host=$1; shift; echo "to $host"; exec "$@"`)
	tm, err := parseTemplate(Quote(filepath.Join(w.dir, "there")) + ` {host} sh -c 'cd {dir:q} && exec {argv:q}'`)
	if err != nil {
		t.Fatal(err)
	}
	d := Decls{Processes: []Process{{Name: "p", Command: "printf", Args: []string{`%s-`, "it's", "$x"}, Host: "far", Daemon: "sleep 60"}}}
	r := w.start(d, Options{Remote: tm, RemoteDir: w.dir, Ready: Ready{Probe: ProbeNone}}, RunOptions{Grace: time.Second})
	r.wait()
	if got, _ := os.ReadFile(r.dir.LogFile("p", "out")); string(got) != "to far\nit's-$x-" {
		t.Errorf("output %q, want %q", got, "to far\nit's-$x-")
	}
}
