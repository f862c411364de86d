package runs

import (
	"errors"
	"os/exec"
	"strconv"

	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/guard"
)

// Program is a program whose command line is that of package cli: it can be
// started again for a part of a run. The zero value cannot.
type Program struct {
	Path   string   // its file
	Name   string   // what it was called
	Args   []string // of the command that it carries out
	Guards bool     // it also ends what a run has left
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

// guard watches what this program starts from now on. The function that it returns
// ends what is left of it. A run without a guard ends what it knows.
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
