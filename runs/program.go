package runs

import (
	"errors"
	"os/exec"
	"strconv"

	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/guard"
)

// Program is a program with the command line of package cli: it can be started again for a part of a run. The zero value cannot be started.
type Program struct {
	Path   string   // its executable file
	Name   string   // what it was called
	Args   []string // the arguments of its command
	Guards bool     // it also ends processes that a run has left
}

// command starts the program again.
func (p Program) command(args ...string) (*exec.Cmd, error) {
	if p.Path == "" {
		return nil, errors.New("this program cannot be started again: its file is not known")
	}
	cmd := exec.Command(p.Path)
	cmd.Args = append([]string{p.Name}, args...)
	return cmd, nil
}

// guard watches the programs that this program starts from now on. The returned function ends those that are left. A run without a guard ends only
// the processes that it knows.
func (p Program) guard(w guard.Watched) (release func()) {
	if !p.Guards || p.Path == "" {
		return func() {}
	}
	end, err := guard.Start(w, func(w guard.Watched) *exec.Cmd {
		cmd, _ := p.command("guard", "--mark", w.Mark, "--pid", strconv.Itoa(w.Pid), "--group", w.Group, "--state", w.State, "--grace", w.Grace.String(), "--scratch", w.Scratch)
		return cmd
	})
	if err != nil {
		return func() {}
	}
	if w.State != "" { // a launch adopts orphans itself
		return end
	}
	orphans, err := launch.System().Adopt(w.Mark)
	if err != nil {
		return end
	}
	return func() {
		end()
		orphans()
	}
}
