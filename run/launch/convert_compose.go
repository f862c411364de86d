package launch

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// processCompose writes a process-compose.yaml. It writes strings as JSON, which is valid YAML.
func (p *Plan) processCompose(w io.Writer) (problem.List, error) {
	var l problems
	l.tunables(p)
	var b strings.Builder
	b.WriteString("version: \"0.5\"\ndisable_env_expansion: true\nordered_shutdown: true\nprocesses:\n")
	conditions := map[string]string{}
	for _, n := range p.Nodes {
		c := foreignCommand(n, &l)
		fmt.Fprintf(&b, "  %s:\n    command: %s\n", jsontext.Line(n.ID), jsontext.Line("exec "+QuoteAll(c.Argv)))
		if c.Dir != "" {
			fmt.Fprintf(&b, "    working_dir: %s\n", jsontext.Line(c.Dir))
		}
		if len(c.Env) > 0 {
			b.WriteString("    environment:\n")
			for _, v := range c.Env {
				fmt.Fprintf(&b, "      - %s\n", jsontext.Line(v.Name+"="+v.Value))
			}
		}
		conditions[n.ID] = composeReady(&b, n, &l)
		if len(n.After) > 0 {
			b.WriteString("    depends_on:\n")
			for _, e := range n.After {
				fmt.Fprintf(&b, "      %s:\n        condition: %s\n", jsontext.Line(e.ID), cmp.Or(composeConditions[e.Until], conditions[e.ID]))
			}
		}
		composeRestart(&b, n, &l)
		b.WriteString("    shutdown:\n")
		if len(n.Stop.Command) > 0 {
			fmt.Fprintf(&b, "      command: %s\n", jsontext.Line(QuoteAll(n.Stop.Command)))
		} else {
			fmt.Fprintf(&b, "      signal: %d\n", cmp.Or(n.Stop.Signal, syscall.SIGTERM))
		}
		fmt.Fprintf(&b, "      timeout_seconds: %d\n", wholeSeconds(cmp.Or(n.Grace, defaultGrace)))
		if n.OnRequest {
			b.WriteString("    disabled: true\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return l.list, err
}

// composeConditions are the conditions that do not depend on how a node becomes ready.
var composeConditions = map[Until]string{
	UntilStarted: "process_started", UntilFinished: "process_completed", UntilSucceeded: "process_completed_successfully",
}

// composeReady writes the readiness probe of a node and returns the condition for the nodes that come after it.
func composeReady(b *strings.Builder, n *Node, l *problems) string {
	probe := func(command string, delay time.Duration) string {
		fmt.Fprintf(b, "    readiness_probe:\n      exec:\n        command: %s\n      initial_delay_seconds: %d\n      period_seconds: 1\n      failure_threshold: %d\n",
			jsontext.Line(command), int((delay+time.Second-1)/time.Second), int(n.Ready.timeout()/time.Second))
		return "process_healthy"
	}
	switch n.Ready.Probe {
	case ProbeLine:
		text, whole := literal(n.Ready.Line)
		if text == "" {
			l.lose(n.Span, n.ID, "daemon `%s`: process-compose waits for a fixed text, not for `%s`: its processes start at once", n.ID, n.Ready.Line)
			return "process_started"
		}
		if !whole {
			l.lose(n.Span, n.ID, "daemon `%s`: process-compose waits for the text `%s`, not for `%s`", n.ID, text, n.Ready.Line)
		}
		fmt.Fprintf(b, "    ready_log_line: %s\n", jsontext.Line(text))
		return "process_log_ready"
	case ProbeDefault:
		l.lose(n.Span, n.ID, "daemon `%s`: it counts as ready after one second: the line `PARADYND` is not waited for", n.ID)
		return probe("true", defaultAlive)
	case ProbeAlive:
		return probe("true", n.Ready.alive())
	case ProbeNone:
		return "process_started"
	}
	text, _ := n.untilReady()
	return probe(text, 0)
}

func composeRestart(b *strings.Builder, n *Node, l *problems) {
	when := [...]string{"no", "on_failure", "always"}[n.Restart.When]
	if n.Restart.When == RestartNever && n.Kind != KindVisi {
		when = "exit_on_failure" // a failure ends the run
	}
	fmt.Fprintf(b, "    availability:\n      restart: %q\n", when)
	if n.Restart.When == RestartNever {
		return
	}
	l.lose(n.Span, n.ID, "the pause before a restart does not grow")
	fmt.Fprintf(b, "      backoff_seconds: %d\n", int((n.Restart.pause(0)+time.Second-1)/time.Second))
	if n.Restart.Limit > 0 {
		fmt.Fprintf(b, "      max_restarts: %d\n", n.Restart.Limit)
	}
}
