package launch

import (
	"cmp"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
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

// SSH starts a node through the system's ssh, so that its configuration,
// agents and jump hosts apply. No terminal is asked for: it would merge the
// two output streams.
type SSH struct {
	Program []string      // nil: ssh; PARADYN_RSH goes here
	Grace   time.Duration // between TERM and KILL when the connection ends; 0: 10 s
}

func (SSH) String() string { return "ssh" }

// sshWrapper runs on the other machine, in whatever sh is there. Its
// arguments are a grace time in seconds, a directory, and the command.
//
// The command gets a session of its own, reports its process id, and has no
// standard input: that is the lifeline. Each line read from it is a signal
// for the command's group; its end, whether the run is over, this program
// was killed or the network is gone, ends the group. The command runs in the
// foreground of a pipeline, because a shell makes background commands ignore
// SIGINT; the pipeline carries first its process id, then its exit code. What
// the shell itself has to say about signals is not part of the log.
// Everything is on one line: csh allows no newline in quotes.
const sshWrapper = `grace=$1 dir=$2; shift 2; ` +

	`[ -z "$dir" ] || cd -- "$dir" || exit 126; ` +
	`session=; command -v setsid >/dev/null 2>&1 && session=setsid; ` +
	`exec 3<&0 5>&1 6>&2 </dev/null; ` +
	`{ exec 2>/dev/null; ( exec $session "$@" 3<&- 4>&1 >&5 2>&6 5>&- 6>&- ); echo $?; } | { ` +
	`read -r pid || exit 127; ` +
	`group() { kill -s "$1" -- "-$pid" 2>/dev/null; }; ` +
	`( while read -r signal <&3; do group "$signal" || kill -s "$signal" "$pid"; done; ` +
	`group TERM || kill -s TERM "$pid"; group CONT; sleep "$grace"; group KILL || kill -s KILL "$pid" ` +
	`) >/dev/null 2>&1 5>&- 6>&- & watch=$!; ` +
	`exec 3<&- 5>&- 6>&-; ` +
	`read -r code || code=137; ` +
	`if group TERM; then while [ "$grace" -gt 0 ] && group 0; do sleep 1; grace=$((grace - 1)); done; group KILL; fi; ` +
	`kill "$watch" 2>/dev/null; exit "$code"; }`

// sshSecret takes one variable from the first line of the lifeline: what is on
// a command line can be read by every user of the machine.
const sshSecret = `read -r secret && export "$secret"; unset secret; `

// sshReport is the last shell before the program: same process id, so what
// it reports is the program's. The time is that of the other machine, where its date
// knows fractions of a second.
const sshReport = `echo "$0 $$ $(date +%s.%N 2>/dev/null)"; echo $$ >&4; exec "$@" 4>&-`

// client is the program that reaches other hosts. Only ssh itself knows its
// options.
func (s SSH) client(options ...string) []string {
	argv := s.Program
	if argv == nil {
		argv = []string{"ssh"}
	}
	argv = argv[:len(argv):len(argv)]
	if path.Base(argv[0]) == "ssh" {
		argv = append(append(argv, "-o", "BatchMode=yes"), options...)
	}
	return argv
}

func (s SSH) Command(n *Node) Command {
	mark := "PENTODE"
	env := []string{"env"}
	for _, v := range n.Env {
		env = append(env, v.Name+"="+v.Value)
		if v.Name == "PENTODE_RUN" {
			mark += "-" + v.Value
		}
	}
	grace := cmp.Or(n.Grace, s.Grace, defaultGrace)
	seconds := strconv.Itoa(int((grace + time.Second - 1) / time.Second))
	wrapper, secret := sshWrapper, ""
	for _, v := range n.Secret {
		wrapper = sshSecret + wrapper
		secret += v.Name + "=" + v.Value + "\n"
	}
	remote := append([]string{"sh", "-c", wrapper, "sh", seconds, n.Dir}, env...)
	remote = append(remote, "sh", "-c", sshReport, mark)
	remote = append(remote, n.words()...)
	return Command{Argv: append(s.client("-o", "ConnectTimeout=10"), n.Address, "exec "+QuoteAll(remote)), Lifeline: true, Secret: secret, Mark: mark + " "}
}
