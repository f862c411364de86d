package launch

import (
	"cmp"
	"path"
	"strconv"
	"time"
)

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
