package guard

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const sigContinue = syscall.SIGCONT

// Start starts a guard of this program: command makes the process that calls
// Watch, its standard input being the pipe. From here on the program and what it starts carry the
// mark and are in the control group. Release says that the run is over, and returns
// when the guard has ended what is left of it.
func Start(w Watched, command func(Watched) *exec.Cmd) (release func(), err error) {
	w.Group, w.Pid = makeGroup(w.Mark), os.Getpid()
	r, pipe, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := command(w)
	cmd.Stdin = r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal of the terminal is for it
	cmd.Env = unmarked(os.Environ())
	err = cmd.Start()
	r.Close()
	if err != nil {
		pipe.Close()
		w.leaveGroup()
		return nil, fmt.Errorf("start the guard of the run: %w", err)
	}
	leave := enter(w.Group)
	os.Setenv(Variable, w.Mark)
	return func() {
		os.Unsetenv(Variable)
		leave() // so that its group is empty
		_, _ = io.WriteString(pipe, over)
		pipe.Close()
		_ = cmd.Wait() // it ends now
	}, nil
}

// unmarked is an environment without the marks of runs: a guard belongs to none.
func unmarked(env []string) []string {
	var out []string
	for _, kv := range env {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case Variable, "PENTODE_RUN", "PENTODE_NODE":
		default:
			out = append(out, kv)
		}
	}
	return out
}

// makeGroup makes a control group below that of this program, or returns "".
func makeGroup(mark string) string {
	below := ownGroup()
	if below == "" {
		return ""
	}
	dir := filepath.Join(below, "pentode-"+mark)
	if os.Mkdir(dir, 0o755) != nil {
		return ""
	}
	removeOld(below)
	return dir
}

// removeOld removes control groups of runs whose guard was killed as well. Each is
// older than any run needs from making its group to entering it, and one with a process in it cannot be removed.
func removeOld(below string) {
	groups, _ := filepath.Glob(filepath.Join(below, "pentode-*")) // the pattern is right
	for _, dir := range groups {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(dir)
		}
	}
}

// ownGroup is the folder of this program's control group, or "".
func ownGroup() string {
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return ""
	}
	return groupFolder(string(groups), string(mounts))
}

// groupFolder finds the folder of a control group of version 2 in the texts of
// /proc/self/cgroup and /proc/self/mounts.
func groupFolder(groups, mounts string) string {
	for line := range strings.Lines(groups) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::")
		if !ok {
			continue
		}
		for mount := range strings.Lines(mounts) {
			if f := strings.Fields(mount); len(f) > 2 && f[2] == "cgroup2" {
				return filepath.Join(f[1], path)
			}
		}
	}
	return ""
}

// enter moves this program into a control group, and returns what moves it back.
// Where there is none, or the system refuses, it stays where it is, and the mark has to do.
func enter(group string) (leave func()) {
	if group == "" || join(group) != nil {
		return func() {}
	}
	return func() { _ = join(filepath.Dir(group)) } // a failure leaves an empty folder at most
}

// join moves this program into a control group.
func join(dir string) error { return set(dir, "cgroup.procs", strconv.Itoa(os.Getpid())) }

// set writes to a file of a control group, which may not have it.
func set(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(value)
	return err
}

// members are the processes of the control group.
func (w *Watched) members() []int {
	if w.Group == "" {
		return nil
	}
	var pids []int
	for _, dir := range w.groups() {
		text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err != nil {
			continue // it has just gone
		}
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// groups are the control group and those below it, which other guards have made.
func (w *Watched) groups() []string {
	var dirs []string
	_ = filepath.WalkDir(w.Group, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	return dirs
}

// killGroup ends everything in the control group at once. An old system cannot: there
// the group is frozen until thaw is called, so that no process forks while each is killed. A program
// that could not leave its group is spared.
func (w *Watched) killGroup() (thaw func()) {
	if w.Group == "" || slices.Contains(w.members(), w.Pid) || set(w.Group, "cgroup.kill", "1") == nil || set(w.Group, "cgroup.freeze", "1") != nil {
		return func() {}
	}
	return func() { _ = set(w.Group, "cgroup.freeze", "0") } // a group that has just gone
}

// leaveGroup removes the control group.
func (w *Watched) leaveGroup() {
	if w.Group == "" {
		return
	}
	for _, dir := range slices.Backward(w.groups()) {
		_ = os.Remove(dir) // fails while something is in it, which is then not ours to judge
	}
}
