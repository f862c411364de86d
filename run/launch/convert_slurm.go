package launch

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// slurmHead defines the functions of the batch script.
const slurmHead = `logs=${PENTODE_LOGS:-pentode-${SLURM_JOB_ID:-logs}}
mkdir -p "$logs"
daemons=() processes=() code=0

# ready SECONDS PID COMMAND...: wait until the command succeeds
ready() {
  local end=$((SECONDS + $1)) pid=$2; shift 2
  until "$@"; do
    if [ "$SECONDS" -ge "$end" ] || ! kill -0 "$pid" 2>/dev/null; then
      echo "not ready: $*" >&2; finish 124
    fi
    sleep 0.2
  done
}
alive() { sleep "$2"; kill -0 "$1" 2>/dev/null; }
line() { grep -Eqs -- "$1" "$2" "$3"; }
finish() {
  trap - EXIT
  kill "${processes[@]}" 2>/dev/null; wait "${processes[@]}" 2>/dev/null
  kill "${daemons[@]}" 2>/dev/null; wait "${daemons[@]}" 2>/dev/null
  exit "$1"
}
trap 'finish 143' TERM
trap 'finish $?' EXIT
`

// slurm writes a batch script for sbatch that runs the plan, each node as a step of the job.
func (p *Plan) slurm(w io.Writer) (problem.List, error) {
	var l problems
	l.tunables(p)
	l.lose(source.Span{}, "", "standard output and error go to files named by node, not to one log")
	var b strings.Builder
	nodeIDs := p.slurmHeader(&b, &l)
	b.WriteString(slurmHead)
	for i, n := range p.Nodes {
		b.WriteString("\n")
		if n.OnRequest {
			fmt.Fprintf(&b, "# visualisation %s is declared only\n", oneLine(n.ID))
			continue
		}
		for _, e := range n.After {
			if e.Until != UntilDefault {
				l.lose(n.Span, n.ID, "node `%s` does not wait for `%s`", n.ID, e)
			}
		}
		if n.Stop.String() != "TERM" {
			l.lose(n.Span, n.ID, "node `%s` gets TERM at the end, not `%s`", n.ID, n.Stop)
		}
		if n.Restart.When != RestartNever {
			l.lose(n.Span, n.ID, "node `%s` is not started again when it ends", n.ID)
		}
		var env []string
		for _, v := range n.Env {
			switch v.Name {
			case "PENTODE_RUN", "PENTODE_NODE", "PARADYN_TUNABLES":
			default:
				env = append(env, v.Name+"="+v.Value)
			}
		}
		file := fmt.Sprintf("%d-%s", i, Word(n.ID))
		argv := []string{"srun", "--nodes=1", "--ntasks=1", "--overlap", "--export=ALL", "--input=none", "--unbuffered", "--kill-on-bad-exit=1", "--mpi=none"}
		if nodeIDs[n.Address] {
			argv = append(argv, "--nodelist="+n.Address)
		}
		if n.Dir != "" {
			argv = append(argv, "--chdir="+n.Dir)
		}
		fmt.Fprintf(&b, "%s \\\n  %s --output=\"$logs\"/%s.out --error=\"$logs\"/%s.err -- \\\n  %s &\n", quoteEach(env), QuoteAll(argv), file, file, QuoteAll(n.words()))
		if n.Kind == KindDaemon {
			b.WriteString("daemons+=($!)\n")
			b.WriteString(n.slurmReady(file, &l))
		} else {
			b.WriteString("processes+=($!)\n")
		}
	}
	b.WriteString(`
for pid in "${processes[@]}"; do
  wait "$pid"; status=$?
  if [ "$status" -ne 0 ]; then code=$status; break; fi
done
`)
	if !p.hasForeground() {
		b.WriteString("wait \"${daemons[@]}\"; code=$?\n")
	}
	b.WriteString("finish \"$code\"\n")
	l.lose(source.Span{}, "", "the script waits for processes in the order of the plan: it notices a failure only when it waits for that process")
	_, err := io.WriteString(w, b.String())
	return l.list, err
}

// slurmHeader writes the #SBATCH lines that request the machines of the plan. It does not request this machine: nodes of this machine run on the
// machines of the job.
func (p *Plan) slurmHeader(b *strings.Builder, l *problems) map[string]bool {
	var hosts []string
	remote := map[string]bool{}
	for _, n := range p.Nodes {
		if _, local := n.Starter.(Local); local {
			l.lose(n.Span, n.ID, "nodes of host `%s`, which is this machine, run on the machines that Slurm gives", n.Host)
		} else if !remote[n.Address] {
			remote[n.Address] = true
			hosts = append(hosts, n.Address)
		}
	}
	fmt.Fprintf(b, "#!/bin/bash\n#SBATCH --job-name=%s\n#SBATCH --nodes=%d\n", Word(p.Run), max(1, len(hosts)))
	if len(hosts) > 0 {
		fmt.Fprintf(b, "#SBATCH --nodelist=%s\n", strings.Join(hosts, ","))
	}
	b.WriteString("\n")
	return remote
}

func (p *Plan) hasForeground() bool {
	for _, n := range p.Nodes {
		if n.Kind != KindDaemon && !n.OnRequest {
			return true
		}
	}
	return false
}

var beyondGrep = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\[^d.\\+*?()|\[\]{}^$]|\(\?`) })

// slurmReady returns the shell text that waits until a daemon is ready.
func (n *Node) slurmReady(file string, l *problems) string {
	timeout := int(n.Ready.timeout().Seconds())
	switch n.Ready.Probe {
	case ProbeLine:
		pattern := n.Ready.Line.String()
		if beyondGrep().MatchString(pattern) {
			l.lose(n.Span, n.ID, "daemon `%s`: grep may interpret the regular expression `%s` differently", n.ID, pattern)
		}
		pattern = strings.ReplaceAll(pattern, `\d`, "[0-9]")
		return fmt.Sprintf("ready %d $! line %s \"$logs\"/%s.out \"$logs\"/%s.err\n", timeout, Quote(pattern), file, file)
	case ProbeDefault:
		l.lose(n.Span, n.ID, "daemon `%s`: it counts as ready after one second: the line `PARADYND` is not waited for", n.ID)
		return "ready 5 $! alive $! 1\n"
	case ProbeAlive:
		return fmt.Sprintf("ready 5 $! alive $! %g\n", n.Ready.alive().Seconds())
	case ProbeNone:
		return ""
	}
	test, _ := n.untilReady()
	return fmt.Sprintf("ready %d $! eval %s\n", timeout, Quote(test))
}
