package launch

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Starter makes the command that this machine executes so that a node runs on its host.
type Starter interface {
	Command(*Node) Command
	String() string
}

// Local starts a node on this machine, without any shell.
type Local struct{}

// inherited returns the variables of a program that starts on this machine.
func (n *Node) inherited() []Var { return slices.Concat(n.Env, n.Secret) }

func (Local) String() string { return "local" }

func (Local) Command(n *Node) Command {
	c := Command{Argv: n.words(), Env: n.inherited(), Dir: n.Dir, AsRoot: n.Around.User != ""}
	if n.arranged() {
		c.Program = n.Argv[0]
	}
	return c
}

// Srun starts a node as a step of the Slurm allocation in which this program runs.
type Srun struct {
	Program []string // nil: srun
}

func (Srun) String() string { return "srun" }

// Command puts the variables into srun's own environment, which `ALL` passes on: a value in `--export` could not contain a comma.
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

// Allocation returns the nodes of the Slurm allocation in which this program runs, or nil outside an allocation.
func Allocation(getenv func(string) string) ([]string, error) {
	list := getenv("SLURM_JOB_NODELIST")
	if list == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // it answers at once, from the list alone
	defer cancel()
	out, err := exec.CommandContext(ctx, "scontrol", "show", "hostnames", list).Output()
	if err != nil {
		return nil, fmt.Errorf("the nodes `%s` of the Slurm allocation cannot be listed by `scontrol`", list)
	}
	return strings.Fields(string(out)), nil
}

// Template starts a node through any command. Its words may contain {host}, {dir}, {id} and {run}. The words {argv} and {env} expand to several
// words; {argv:q}, {env:q} and {dir:q} expand to text for a POSIX shell.
type Template struct{ Words []string }

// parseTemplate splits a template into words and checks its placeholders.
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
					return Template{}, fmt.Errorf("`{%s}` in the template word `%s` expands to several words: write it as a separate word, or use `{%s:q}`", name, w, name)
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

// Command also gives the variables to the template's program, because some programs pass their environment on.
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

// quoteEach quotes each word like QuoteAll, but leaves the `=` of assignments unquoted.
func quoteEach(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		quoted[i] = name + "=" + Quote(value)
	}
	return strings.Join(quoted, " ")
}

// ParseLauncher reads `local`, `ssh`, `srun` or a launch template. shell is the value of PARADYN_RSH as words, or nil.
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

// SSH starts a node through the system's ssh, so that its configuration, agents and jump hosts apply. It requests no terminal, because a terminal
// would merge the two output streams.
type SSH struct {
	Program []string      // nil: ssh; set from PARADYN_RSH
	Grace   time.Duration // between TERM and KILL when the connection ends; 0: 10 s
}

func (SSH) String() string { return "ssh" }

// sshWrapper runs on the other machine, in whatever sh is installed there. Its
// arguments are a grace time in seconds, a directory, and the command.
//
// The command gets its own session, reports its process ID, and has no standard
// input, because the wrapper's standard input is the lifeline. Each line of the
// lifeline is a signal for the command's group. When the lifeline ends, because the
// run is over, this program was killed or the network is gone, the wrapper ends the
// group. The command runs in the foreground of a pipeline, because a shell makes
// background commands ignore SIGINT; the pipeline carries first its process ID, then
// its exit code. Messages of the shell about signals are not part of the log.
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

// sshSecret reads one variable from the first line of the lifeline, because every user of the machine can read command lines.
const sshSecret = `read -r secret && export "$secret"; unset secret; `

// sshReport is the script of the last shell, which then replaces itself with the program. The program keeps the process ID of the shell, so the
// shell can report it. The time comes from the other machine, with fractions of a second if its date command prints them.
const sshReport = `echo "$0 $$ $(date +%s.%N 2>/dev/null)"; echo $$ >&4; exec "$@" 4>&-`

// client returns the program that reaches other hosts. The options are added only for ssh itself.
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
