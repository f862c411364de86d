package launch

import (
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// Starter makes the command that this machine executes so that a node runs on
// its host.
type Starter interface {
	Command(*Node) Command
	String() string
}

// Local starts a node on this machine, without any shell.
type Local struct{}

// inherited are the variables of a program that this machine starts.
func (n *Node) inherited() []Var { return slices.Concat(n.Env, n.Secret) }

func (Local) String() string { return "local" }

func (Local) Command(n *Node) Command {
	c := Command{Argv: n.words(), Env: n.inherited(), Dir: n.Dir, AsRoot: n.Around.User != ""}
	if n.arranged() {
		c.Program = n.Argv[0]
	}
	return c
}

// Srun starts a node as a step of the Slurm allocation this program is in.
type Srun struct {
	Program []string // nil: srun
}

func (Srun) String() string { return "srun" }

// Command puts the variables into srun's own environment, which `ALL` hands
// on: in `--export` a value could have no comma.
func (s Srun) Command(n *Node) Command {
	argv := s.Program
	if argv == nil {
		argv = []string{"srun"}
	}
	argv = append(argv[:len(argv):len(argv)],
		"--nodes=1", "--ntasks=1", "--nodelist="+n.Address, "--overlap", "--export=ALL",
		"--input=none", "--unbuffered", "--kill-on-bad-exit=1", "--mpi=none", "--job-name="+n.ID)
	if n.Dir != "" {
		argv = append(argv, "--chdir="+n.Dir)
	}
	argv = append(argv, "--")
	return Command{Argv: append(argv, n.words()...), Env: n.inherited()}
}

// Allocation returns the nodes of the Slurm allocation that this program is in, none
// outside of one.
func Allocation(getenv func(string) string) ([]string, error) {
	list := getenv("SLURM_JOB_NODELIST")
	if list == "" {
		return nil, nil
	}
	out, err := exec.Command("scontrol", "show", "hostnames", list).Output()
	if err != nil {
		return nil, fmt.Errorf("the nodes `%s` of the Slurm allocation cannot be listed by `scontrol`", list)
	}
	return strings.Fields(string(out)), nil
}

// Template starts a node through any command. Its words may contain {host},
// {dir}, {id}, {run}; the words {argv} and {env} stand for several words, and
// {argv:q}, {env:q} and {dir:q} for the same as text for a POSIX shell.
type Template struct{ Words []string }

// parseTemplate splits a template into words and checks its names.
func parseTemplate(s string) (Template, error) {
	words, err := splitCommand(s)
	if err != nil {
		return Template{}, err
	}
	hasArgv := false
	for _, w := range words {
		for rest := w; ; {
			_, after, ok := strings.Cut(rest, "{")
			if !ok {
				break
			}
			name, tail, closed := strings.Cut(after, "}")
			if !closed {
				break
			}
			switch name {
			case "host", "dir", "dir:q", "id", "run", "env:q":
			case "argv:q":
				hasArgv = true
			case "argv", "env":
				if w != "{"+name+"}" {
					return Template{}, fmt.Errorf("`{%s}` in the template word `%s` stands for several words: write it as a word of its own, or `{%s:q}`", name, w, name)
				}
				hasArgv = hasArgv || name == "argv"
			default:
				return Template{}, fmt.Errorf("`{%s}` is not known in a launch template: expected {host}, {dir}, {dir:q}, {id}, {run}, {argv}, {argv:q}, {env} or {env:q}", name)
			}
			rest = tail
		}
	}
	if !hasArgv {
		return Template{}, fmt.Errorf("the launch template `%s` never says what to run: add `{argv}` or `{argv:q}`", s)
	}
	return Template{words}, nil
}

func (t Template) String() string { return "template " + QuoteAll(t.Words) }

// Command gives the variables to the template's program as well, for those
// that hand their environment on.
func (t Template) Command(n *Node) Command {
	run := ""
	env := make([]string, len(n.Env))
	for i, v := range n.Env {
		env[i] = v.Name + "=" + v.Value
		if v.Name == "PENTODE_RUN" {
			run = v.Value
		}
	}
	fill := strings.NewReplacer("{host}", n.Address, "{dir}", n.Dir, "{dir:q}", Quote(n.Dir), "{id}", n.ID, "{run}", run,
		"{argv:q}", QuoteAll(n.words()), "{env:q}", quoteEach(env))
	var argv []string
	for _, w := range t.Words {
		switch w {
		case "{argv}":
			argv = append(argv, n.words()...)
		case "{env}":
			argv = append(argv, env...)
		default:
			argv = append(argv, fill.Replace(w))
		}
	}
	return Command{Argv: argv, Env: n.inherited()}
}

// quoteEach is QuoteAll for assignments, whose `=` must stay bare.
func quoteEach(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		quoted[i] = name + "=" + Quote(value)
	}
	return strings.Join(quoted, " ")
}

// ParseLauncher reads `local`, `ssh`, `srun` or a launch template. shell are
// the words of PARADYN_RSH, or nil.
func ParseLauncher(s string, shell []string) (Starter, error) {
	switch {
	case s == "local":
		return Local{}, nil
	case s == "ssh", s == "":
		return SSH{Program: shell}, nil
	case s == "srun":
		return Srun{}, nil
	case strings.Contains(s, "{"):
		return parseTemplate(s)
	}
	return nil, fmt.Errorf("launcher `%s` is not known: expected `local`, `ssh`, `srun` or a template such as `rsh {host} {argv:q}`", path.Base(s))
}
