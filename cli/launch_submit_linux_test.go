package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// submitBench returns a bench in a folder whose name must always be quoted. Its plan has a daemon and two copies of a process.
func submitBench(t *testing.T) *bench {
	b := newBench(t)
	b.dir = filepath.Join(b.dir, `it's 50%j "$HOME" #1`)
	if err := os.MkdirAll(filepath.Join(b.dir, "rt"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.file("d.sh", "#!/bin/sh\necho up\nexec sleep 600\n")
	b.file("p.sh", "#!/bin/sh\necho \"copy $PENTODE_COPY of task $SLURM_ARRAY_TASK_ID on $SLURM_NODEID: $A $1\"\nexit ${SLURM_ARRAY_TASK_ID:-0}\n")
	b.file("a plan.psdl", `daemon { name "d"; command "./d.sh"; host "one"; }
process { name "p"; command "./p.sh"; args { "it's $HOME" }; host "one"; daemon "./d.sh"; }
`)
	return b
}

const submitProgram = `
[launch.d]
ready = "line:^up"

[launch.p]
copies = 2
env = { A = "50% \"x\" 'y' $z" }
hosts = ["one", "two"]
`

// TestSubmitPrint: the script requests the machines of the plan, or the number in the project file, and runs the same plan with the same
// flags.
func TestSubmitPrint(t *testing.T) {
	b := submitBench(t)
	b.file("pentode.toml", submitProgram)
	if got := b.ask("submit", "--dry-run", "--config", "run.map.one=two", "a plan.psdl"); !strings.Contains(got, "--nodes=1\n") {
		t.Errorf("two hosts that are one: %s; want %q in it", got, "--nodes=1\n")
	}
	got := b.ask("submit", "--dry-run", "--visi", "all", "--config", "run.map.three=two", "--config", "run.map.a=b c", "--keep-going", "--grace", "3s", "a plan.psdl")
	for _, want := range []string{"#SBATCH --job-name=a_plan\n#SBATCH --nodes=2\n", " run --config=run.map.three=two '--config=run.map.a=b c' --grace=3s --keep-going=true --visi=all --config=run.launcher=srun -- 'a plan.psdl'\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	b.file("pentode.toml", "[run]\nnodes = 5\ntasks = 20\ntime = \"90m\"\narray = \"1-3\"\nslurm = [\"--partition=gpu\"]\n")
	got = b.ask("submit", "--dry-run", "a plan.psdl")
	for _, want := range []string{"--nodes=5\n", "--ntasks=20\n", "--time=0-01:30:00\n", "--array=1-3\n", "#SBATCH --partition=gpu\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	for _, c := range []struct {
		toml string
		args []string
		code int
		want string
	}{
		{"", []string{"--to", "lsf", "a plan.psdl"}, 2, "--to takes slurm, not `lsf`"},
		{"", []string{"--follow=x", "a plan.psdl"}, 2, "`x` is not the number of a job"},
		{"", []string{"--follow=1", "--dry-run", "a plan.psdl"}, 2, "leave --follow out"},
		{"[run]\nnodes = 0\n", []string{"--dry-run", "a plan.psdl"}, 1, "`0` is not a number of at least 1"},
		{"[run]\ntime = \"soon\"\n", []string{"--dry-run", "a plan.psdl"}, 1, "`soon` is not a duration"},
		{"[run]\narray = \"1-x\"\n", []string{"--dry-run", "a plan.psdl"}, 1, "`1-x` is not a list of indices"},
		{"[run]\nslurm = [\"--output=x\"]\n", []string{"--dry-run", "a plan.psdl"}, 1, "`--output` is set by `submit` itself"},
		{"[run]\nslurm = \"-p gpu\"\n", []string{"--dry-run", "a plan.psdl"}, 1, "`-p gpu` is not an option of sbatch"},
	} {
		b.file("pentode.toml", c.toml)
		if code, out := b.code(append([]string{"submit"}, c.args...)...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%q: code %d, %s; want code = %v and %q in out", c.args, code, out, c.code, c.want)
		}
	}
}

// TestSubmit: Slurm runs a plan, and a job array of it, as `run` would on this machine. `submit` shows the job's output and returns its
// exit code, and the job's runs are registered here afterwards.
func TestSubmit(t *testing.T) {
	need.Slow(t)
	env := golden.Slurm(t)
	b := submitBench(t)
	submit := func(args ...string) (code int, out, errs string) {
		var said strings.Builder
		cmd := b.command(append([]string{"submit"}, args...)...)
		cmd.Env = append(cmd.Env, env...)
		cmd.Stderr = &said
		text, err := cmd.Output()
		return exitOf(t, err), string(text), said.String()
	}
	const said = `50% "x" 'y' $z it's $HOME`
	b.file("pentode.toml", "[run]\nslurm = [\"--comment=it's \\\"50%\\\" #1 \\\\ $HOME\"]\ntime = \"10m\"\n"+submitProgram)
	code, out, errs := submit("--follow", "a plan.psdl")
	if code != 0 || !strings.Contains(errs, ": completed") {
		t.Fatalf("code %d\n%s\n%s", code, out, errs)
	}
	shown := b.ask("logs", "--grep", "copy")
	for _, text := range []string{out, shown} {
		for _, want := range []string{"p.0 | copy 0 of task  on 0: " + said, "p.1 | copy 1 of task  on 0: " + said} {
			if !strings.Contains(text, want) {
				t.Errorf("%s\nlacks %s", text, want)
			}
		}
	}
	show := exec.Command("scontrol", "show", "job")
	show.Env = append(os.Environ(), env...)
	if text, err := show.Output(); err != nil || !strings.Contains(string(text), `Comment=it's "50%" #1 \ $HOME`) || !strings.Contains(string(text), "TimeLimit=00:10:00") {
		t.Errorf("%v: %s", err, text)
	}

	b.file("pentode.toml", "[run]\narray = \"0,3%1\"\n"+submitProgram)
	code, out, errs = submit("a plan.psdl")
	job := strings.TrimSpace(out)
	if code != 0 || !strings.Contains(errs, "--follow="+job) {
		t.Fatalf("code %d\n%s\n%s", code, out, errs)
	}
	if code, out, errs = submit("--follow="+job, "a plan.psdl"); code != 3 {
		t.Errorf("code %d\n%s\n%s", code, out, errs)
	}
	of := func(task, copy string) bool {
		return strings.Contains(out, task+": p."+copy+" | copy "+copy+" of task "+task+" on 0: "+said)
	}
	if !of("0", "0") || !of("0", "1") || !of("3", "0") && !of("3", "1") { // in task 3 the first copy to fail ends the other
		t.Errorf("not all that was said is in\n%s", out)
	}
	if runs := b.runs(); len(runs) != 3 {
		t.Errorf("runs %v, want 3", runs)
	}
	var left []string
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	for _, name := range []string{"a_plan-" + job + "_0.log", "a_plan-" + job + "_3.log"} {
		if !slices.Contains(left, name) {
			t.Errorf("%q lacks %s", left, name)
		}
	}
	if slices.ContainsFunc(left, func(name string) bool { return strings.HasSuffix(name, ".state") }) {
		t.Errorf("a folder of the job is left: %q", left)
	}
}
