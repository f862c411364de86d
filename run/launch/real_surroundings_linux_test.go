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

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// lone is a plan with one process and no daemon.
func lone(command string, args ...string) Decls {
	return Decls{Processes: []Process{{Name: "p", Command: command, Args: args, Host: "localhost"}}}
}

// A program gets the surroundings that its project sets, and unchanged arguments.
func TestRealSurroundings(t *testing.T) {
	need.Program(t, "grep")
	w := newWorkshop(t)
	if err := os.Mkdir(filepath.Join(w.dir, "sub dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"sub dir/in put": "first line\n", "vars": "# a comment\nA=of the file\nexport B='two words'\n\nC=3\n"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := w.script("p", `echo "$PWD"; umask; ulimit -n; { grep -q pentode- /proc/self/cgroup || [ "$(ulimit -v)" = 3145728 ]; } && echo limited; ulimit -t; nice; cat; echo "$A,$B,$C,$D"; echo "$1"`)
	d := lone(p, "$HOME 'x' \"")
	d.Settings = settingsOf(t, "p dir = sub dir", "p umask = 027", "p limits.files = 77", "p limits.memory = 3GiB", "p limits.cpu = 90s",
		"p nice = 3", "p stdin = in put", "p env.A = own", "p env.D = d e", "p env-file = "+filepath.Join(w.dir, "vars"))
	r := w.start(d, Options{}, RunOptions{})
	if got := r.wait(); got.Code != 0 {
		t.Errorf("code %d\n%s\nwant 0", got.Code, r.output)
	}
	own, err := exec.Command("nice").Output() // the tests may be nice already
	if err != nil {
		t.Fatal(err)
	}
	nice, err := strconv.Atoi(strings.TrimSpace(string(own)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(w.dir, "sub dir"), "0027", "77", "limited", "90", strconv.Itoa(min(nice+3, 19)), "first line", "own,two words,3,d e", "$HOME 'x' \""}
	for i, line := range want {
		want[i] = "p | " + line
	}
	if got := strings.TrimSpace(r.output.String()); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// Failures are reported: a missing program as without settings, a missing file by the shell.
func TestRealSurroundingsFail(t *testing.T) {
	w := newWorkshop(t)
	d := lone("no-such-program")
	d.Settings = settingsOf(t, "p umask = 027")
	r := w.start(d, Options{}, RunOptions{})
	if got := r.wait(); got.Code != 127 || !strings.Contains(got.Nodes[0].Note, "program `no-such-program` was not found") {
		t.Errorf("%+v, want got.Code = 127 and %q in got.Nodes[0].Note", got, "program `no-such-program` was not found")
	}
	d = lone("true")
	d.Settings = settingsOf(t, "p stdin = nowhere")
	r = w.start(d, Options{}, RunOptions{})
	if got := r.wait(); got.Code == 0 || !strings.Contains(r.output.String(), "nowhere") {
		t.Errorf("code %d, %s; want got.Code other than 0 and %q in r.output.String()", got.Code, r.output, "nowhere")
	}
	d.Settings = []Settings{{Program: "p", EnvFile: "nowhere", Given: []Setting{{Key: "env-file", Span: source.NewFile("at/pentode.toml", "x").Span(0, 1)}}}}
	if _, found := NewPlan(d, Options{}); len(found) != 1 || !strings.Contains(found[0].Message, filepath.Join("at", "nowhere")) {
		t.Errorf("%v, want len(found) = 1 and %q in found[0].Message", found, filepath.Join("at", "nowhere"))
	}
}

// Root starts a program as another user, and the supervisor still ends it.
func TestRealUser(t *testing.T) {
	need.Program(t, "setpriv", "--version")
	w := newWorkshop(t)
	d := lone("sh", "-c", "id -un; id -gn; echo up; exec sleep 600")
	d.Settings = settingsOf(t, "p user = nobody", "p dir = /")
	if os.Geteuid() != 0 {
		r := w.start(d, Options{}, RunOptions{})
		if got := r.wait(); got.Code != 126 || !strings.Contains(got.Nodes[0].Note, "only root") {
			t.Errorf("%+v, want got.Code = 126 and %q in got.Nodes[0].Note", got, "only root")
		}
		return
	}
	r := w.start(d, Options{}, RunOptions{})
	r.until("it is up", func() bool { return strings.Contains(r.output.String(), "p | up") })
	if !strings.HasPrefix(r.output.String(), "p | nobody\n") {
		t.Errorf("it is %s; want %q at the start", r.output, "p | nobody\n")
	}
	r.Stop(0)
	r.wait()
}

// A program that exceeds its time limit is ended. That counts as a failure, which restarts it.
func TestRealTimeLimit(t *testing.T) {
	w := newWorkshop(t)
	p := w.script("p", "trap 'exit 0' TERM; sleep 600 & wait")
	d := lone(p)
	d.Settings = settingsOf(t, "p limits.time = 100ms", "p restart = on-failure:1")
	d.Settings[0].Restart.Pause = time.Millisecond
	r := w.start(d, Options{}, RunOptions{})
	got := r.wait()
	if got.Code != 124 || got.Failed != "p" || got.Nodes[0].Restarts != 1 {
		t.Errorf("%+v, want got.Code = 124, got.Failed = %q and got.Nodes[0].Restarts = 1", got, "p")
	}
	if ends := r.reported(state.Failed); len(ends) != 1 || ends[0] != "process `p` ended: it has run for 100ms, which is its limit" {
		t.Errorf("%q, want len(ends) = 1 and ends[0] = %q", ends, "process `p` ended: it has run for 100ms, which is its limit")
	}
}

// Copies of a program run side by side, each with its number and its cores.
func TestRealCopies(t *testing.T) {
	need.Program(t, "taskset", "--version")
	need.Program(t, "sed", "--version")
	w := newWorkshop(t)
	p := w.script("p", `echo "copy $PENTODE_COPY of $PENTODE_COPIES, rank $PENTODE_RANK of $PENTODE_SIZE, gpu $CUDA_VISIBLE_DEVICES"; taskset -pc $$ | sed 's/.*: //'`)
	d := lone(p)
	d.Settings = settingsOf(t, "p copies = 3", "p gpus = 1", "p cores = [0]")
	r := w.start(d, Options{}, RunOptions{})
	if got := r.wait(); got.Code != 0 || len(got.Nodes) != 3 {
		t.Errorf("%+v\n%s\nwant got.Code = 0 and len(got.Nodes) = 3", got, r.output)
	}
	for i := range 3 {
		want := fmt.Sprintf("copy %d of 3, rank %d of 3, gpu %d\n0\n", i, i, i)
		if text, err := os.ReadFile(r.dir.LogFile(fmt.Sprintf("p.%d", i), "out")); string(text) != want || err != nil {
			t.Errorf("%q, want %q, %v", text, want, err)
		}
	}
}

// TestRealMemory: a program that exceeds its memory limit fails, and the event says how the memory is limited. In a control group the limit is for
// all its processes together, even if each of them uses less.
func TestRealMemory(t *testing.T) {
	need.Slow(t)
	t.Parallel()
	w := newWorkshop(t)
	big := w.script("big", `v=$(head -c 200000000 /dev/zero | tr '\0' x); exit 0`)
	w.script("part", `v=$(head -c 30000000 /dev/zero | tr '\0' x); touch up.$1
until [ -e dead ] || { [ -e up.1 ] && [ -e up.2 ] && [ -e up.3 ]; }; do sleep 0.02; done`)
	many := w.script("many", `for i in 1 2 3; do { ./part $i || touch dead; } & done; wait; [ ! -e dead ]`)
	d := Decls{Processes: []Process{{Name: "big", Command: big, Host: "localhost", Daemon: "sleep 600"}, {Name: "many", Command: many, Host: "localhost", Daemon: "sleep 600"}}}
	d.Settings = settingsOf(t, "big limits.memory = 64MB", "many limits.memory = 64MB")
	r := w.start(d, Options{Ready: Ready{Probe: ProbeNone}}, RunOptions{Grace: 200 * time.Millisecond, KeepGoing: true})
	result := r.wait()
	failed := map[string]bool{}
	for _, n := range result.Nodes {
		failed[n.ID] = n.Exit.Failed()
	}
	started := strings.Join(r.reported(state.Started), "\n")
	grouped := strings.Count(started, "its memory limited by a control group")
	if each := strings.Count(started, "the memory of each process limited by ulimit"); grouped+each != 2 {
		t.Errorf("it is not said what limits them: %s", started)
	}
	if !failed["big"] || grouped == 2 && !failed["many"] {
		t.Errorf("failed %v\n%s", failed, r.story())
	}
	if left := w.groups(r.dir); left != "" {
		t.Errorf("its control group is left: %s", left)
	}
}

// groups returns the existing control groups of a run.
func (w *workshop) groups(d *state.Dir) string {
	found, _ := exec.Command("find", "/sys/fs/cgroup", "-name", "pentode-"+d.Run.ID).Output() // a machine may have none
	return string(found)
}
