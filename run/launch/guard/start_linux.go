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

// Start starts a guard of this program. command makes the process that calls Watch with the pipe as its
// standard input. From now on the program and the processes that it starts carry the mark and are in the
// control group. release tells the guard that the run is over, and returns when the guard has ended the
// remaining processes.
func Start(w Watched, command func(Watched) *exec.Cmd) (release func(), err error) {
	w.Group, w.Pid = makeGroup(w.Mark), os.Getpid()
	r, pipe, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := command(w)
	cmd.Stdin = r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // so that it gets no signals from the terminal
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

// unmarked returns an environment without the marks of runs: a guard belongs to no run.
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

// makeGroup makes a control group below the group of this program, or returns "".
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

// removeOld removes control groups of runs whose guard was killed too. It removes only groups older than the time that any run needs between making
// its group and entering it. A group with processes cannot be removed.
func removeOld(below string) {
	groups, _ := filepath.Glob(filepath.Join(below, "pentode-*")) // the pattern is valid
	for _, dir := range groups {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(dir)
		}
	}
}

// ownGroup returns the folder of this program's control group, or "".
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

// groupFolder finds the folder of a control group of version 2 from the content of /proc/self/cgroup and /proc/self/mounts.
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

// enter moves this program into a control group, and returns a function that moves it back. If there is no group, or the system refuses, the program
// stays where it is, and only the mark identifies its processes.
func enter(group string) (leave func()) {
	if group == "" || join(group) != nil {
		return func() {}
	}
	return func() { _ = join(filepath.Dir(group)) } // a failure leaves at most an empty folder
}

// join moves this program into a control group.
func join(dir string) error { return set(dir, "cgroup.procs", strconv.Itoa(os.Getpid())) }

// set writes to a file of a control group; not every group has the file.
func set(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(value)
	return err
}

// members returns the processes of the control group.
func (w *Watched) members() []int {
	if w.Group == "" {
		return nil
	}
	var pids []int
	for _, dir := range w.groups() {
		text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err != nil {
			continue // the group has just been removed
		}
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// groups returns the control group and the groups below it, which other guards have made.
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

// killGroup kills all processes of the control group at once. An old system cannot do that: there, killGroup freezes the group until thaw is called,
// so that no process forks while the processes are killed one by one. A program that could not leave its group is spared.
func (w *Watched) killGroup() (thaw func()) {
	if w.Group == "" || slices.Contains(w.members(), w.Pid) || set(w.Group, "cgroup.kill", "1") == nil || set(w.Group, "cgroup.freeze", "1") != nil {
		return func() {}
	}
	return func() { _ = set(w.Group, "cgroup.freeze", "0") } // the group may have just been removed
}

// leaveGroup removes the control group.
func (w *Watched) leaveGroup() {
	if w.Group == "" {
		return
	}
	for _, dir := range slices.Backward(w.groups()) {
		_ = os.Remove(dir) // fails while the group has processes, which this guard need not end
	}
}
