package guard

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/launch/state"
)

func TestGroupFolder(t *testing.T) {
	const mounts = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
	for _, c := range []struct{ groups, mounts, want string }{
		{"9:cpu:/a\n0::/user.slice/x\n", mounts, "/sys/fs/cgroup/unified/user.slice/x"},
		{"0::/\n", mounts, "/sys/fs/cgroup/unified"},
		{"9:cpu:/a\n", mounts, ""},
		{"0::/\n", "cgroup /sys/fs/cgroup/cpu cgroup rw 0 0\n", ""},
		{"", "", ""},
	} {
		if got := groupFolder(c.groups, c.mounts); got != c.want {
			t.Errorf("%q: %q, want %q", c.groups, got, c.want)
		}
	}
}

// A guard belongs to no run, so a run cannot end it.
func TestUnmarked(t *testing.T) {
	got := unmarked([]string{"A=1", "PENTODE_RUN=x", Variable + "=y", "PENTODE_NODE=z", "PENTODE_OUT=o"})
	if !slices.Equal(got, []string{"A=1", "PENTODE_OUT=o"}) {
		t.Errorf("got %q, want %v", got, []string{"A=1", "PENTODE_OUT=o"})
	}
}

// A program that could enter a control group moves back to the parent group; a program that could not enter stays where it is. Folders and files
// replace those of the system.
func TestEnter(t *testing.T) {
	above := t.TempDir()
	group := filepath.Join(above, "group")
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Fatal(err)
	}
	members := func(dir string) string {
		text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	for _, dir := range []string{above, group} {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, group := range []string{"", filepath.Join(above, "none")} {
		enter(group)()
		if got := members(above); got != "" {
			t.Errorf("the program has left %q, where it was not", group)
		}
	}
	pid := fmt.Sprint(os.Getpid())
	leave := enter(group)
	if members(group) != pid || members(above) != "" {
		t.Error("the program has not entered")
	}
	if leave(); members(above) != pid {
		t.Error("the program has not left")
	}
}

// From the start to the release of its guard, a program carries the mark, and is in the control group if the system has one. It leaves nothing.
func TestStart(t *testing.T) {
	t.Setenv(Variable, "") // the test restores it
	t.Chdir(t.TempDir())
	heard := filepath.Join(t.TempDir(), "heard")
	home := ownGroup()
	var w Watched
	release, err := Start(Watched{Mark: fmt.Sprintf("test-%d", os.Getpid())}, func(with Watched) *exec.Cmd {
		w = with
		return exec.Command("sh", "-c", `cat > "$0"`, heard)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := os.Getenv(Variable); got != w.Mark {
		t.Errorf("the mark is %q, want %v", got, w.Mark)
	}
	if w.Group != "" && ownGroup() == home && join(w.Group) == nil {
		t.Error("the program has not joined its control group")
	}
	release()
	w.leaveGroup() // as the guard does
	if text, err := os.ReadFile(heard); string(text) != over {
		t.Errorf("the guard has heard %q, %v", text, err)
	}
	if mark, set := os.LookupEnv(Variable); set {
		t.Errorf("the mark %q is left", mark)
	}
	if got := ownGroup(); got != home {
		t.Errorf("the control group is %s, was %s; want %v", got, home, home)
	}
	if files, err := os.ReadDir("."); len(files) > 0 || err != nil {
		t.Errorf("left are %v, %v", files, err)
	}
}

// If no guard can be started, the program is unchanged.
func TestStartFails(t *testing.T) {
	t.Setenv(Variable, "before")
	home := ownGroup()
	var w Watched
	_, err := Start(Watched{Mark: fmt.Sprintf("test-%d", os.Getpid())}, func(with Watched) *exec.Cmd {
		w = with
		return exec.Command(filepath.Join(t.TempDir(), "none"))
	})
	if err == nil || !strings.HasPrefix(err.Error(), "start the guard of the run: ") {
		t.Errorf("%v", err)
	}
	if got := os.Getenv(Variable); got != "before" {
		t.Errorf("the mark is %q, want %q", got, "before")
	}
	if got := ownGroup(); got != home {
		t.Errorf("the control group is %s, was %s; want %v", got, home, home)
	}
	if w.Group != "" {
		if _, err := os.Stat(w.Group); err == nil {
			t.Errorf("%s is left", w.Group)
		}
	}
}

// sleeper starts a process with a mark, and returns a channel that is closed when
// it has ended.
func sleeper(t *testing.T, mark string) <-chan struct{} {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	cmd.Env = append(os.Environ(), Variable+"="+mark)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return ended
}

// Marked processes are ended when the run is over and when the pipe ends; processes with another mark are not touched. The guard removes the folder
// if the run was killed; otherwise the run removes it.
func TestWatch(t *testing.T) {
	mark := t.Name() + time.Now().Format(time.RFC3339Nano)
	other := sleeper(t, mark+"-other")
	w := Watched{Mark: mark, Grace: time.Minute, Scratch: t.TempDir()}
	for _, line := range []string{over, ""} {
		mine := sleeper(t, mark)
		Watch(strings.NewReader(line), w)
		<-mine // or the test does not end
		if _, err := os.Stat(w.Scratch); (err == nil) != (line == over) {
			t.Errorf("after %q the folder: %v", line, err)
		}
	}
	select {
	case <-other:
		t.Error("a process of another run was ended")
	default:
	}
}

// Without a control group and a mark, descendants of the program are ended when the run is over. After the end of the program, its process ID means
// nothing.
func TestWatchDescent(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 600 & wait")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	w := Watched{Mark: t.Name(), Pid: os.Getpid(), Grace: time.Minute}
	var found []state.Process
	for len(found) < 2 {
		found = w.left()
		for _, p := range found {
			if p.Parent != os.Getpid() && p.Parent != cmd.Process.Pid {
				t.Fatalf("%+v is not of this program", p)
			}
		}
	}
	Watch(strings.NewReader(""), w)
	for _, p := range found {
		if !p.Alive() {
			t.Errorf("%s was ended by the number of a program that has ended", p.Name)
		}
	}
	Watch(strings.NewReader(over), w)
	<-ended // or the test does not end
	// Unlike in a run, no program adopts what the shell started: it may still be ending.
	golden.Until(t, fmt.Sprintf("none of %+v lives", found), func() bool { return !slices.ContainsFunc(found, state.Process.Alive) })
	if old := (state.Process{Identity: state.Identity{Pid: 1, Start: state.Self().Start - 1}, Parent: w.Pid}); w.descends(old, state.Self()) {
		t.Error("a process that is older than the guard counts as one of the run")
	}
}

// A group is killed at once, or frozen while its processes are killed; a group that the program could not leave is not touched. Folders and files
// replace those of the system.
func TestKillGroup(t *testing.T) {
	for _, c := range []struct {
		files, want, after string
	}{
		{"cgroup.kill cgroup.freeze", "cgroup.kill=1 cgroup.freeze=", "cgroup.kill=1 cgroup.freeze="},
		{"cgroup.freeze", "cgroup.freeze=1", "cgroup.freeze=0"},
		{"cgroup.procs", "cgroup.procs=", "cgroup.procs="},
		{"cgroup.kill cgroup.procs=7", "cgroup.kill= cgroup.procs=7", "cgroup.kill= cgroup.procs=7"},
	} {
		w := Watched{Group: t.TempDir(), Pid: 7}
		var names []string
		for file := range strings.FieldsSeq(c.files) {
			name, text, _ := strings.Cut(file, "=")
			names = append(names, name)
			if err := os.WriteFile(filepath.Join(w.Group, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		seen := func() string {
			var words []string
			for _, name := range names {
				text, err := os.ReadFile(filepath.Join(w.Group, name))
				if err != nil {
					t.Error(err)
				}
				words = append(words, name+"="+string(text))
			}
			return strings.Join(words, " ")
		}
		thaw := w.killGroup()
		if got := seen(); got != c.want {
			t.Errorf("%s: %s, want %s", c.files, got, c.want)
		}
		if thaw(); seen() != c.after {
			t.Errorf("%s: after it %s, want %s", c.files, seen(), c.after)
		}
	}
}

// Old empty groups are removed; new groups, groups with processes and foreign groups stay.
func TestRemoveOld(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"pentode-old", "pentode-full", "pentode-new", "other"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "pentode-full", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{"pentode-old", "pentode-full", "other"} {
		if err := os.Chtimes(filepath.Join(dir, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	removeOld(dir)
	var left []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"other", "pentode-full", "pentode-new"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

// A node that cleared its environment is found through the journal of its run.
func TestWatchJournal(t *testing.T) {
	d, err := state.Create(t.TempDir(), state.Run{ID: "r", Nodes: []state.Node{{ID: "n"}}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "600")
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	j, err := d.Journal()
	if err != nil {
		t.Fatal(err)
	}
	j.Append(state.Event{Node: "n", What: state.Started, Process: state.Identify(cmd.Process.Pid)})
	j.Close()
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	Watch(strings.NewReader(""), Watched{Mark: t.Name(), State: d.Path, Grace: time.Minute})
	select {
	case <-ended:
	case <-time.After(golden.Patience):
		_ = cmd.Process.Kill()
		t.Error("the node lives")
	}
}
