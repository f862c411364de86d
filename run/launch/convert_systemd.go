package launch

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// systemd writes units for `systemctl --user`: a target for the run and a service for
// each node. They follow one another, each under a comment with its file name, as
// `systemctl cat` shows them. Paths of programs and folders are absolute: systemd
// refuses relative paths, searches its own folders instead of PATH, and starts a
// service in the home directory if the unit names no folder.
func (p *Plan) systemd(at Place, w io.Writer) (problem.List, error) {
	var l problems
	l.tunables(p)
	l.lose(source.Span{}, "", "daemons keep running after the last process has ended, and a failure does not end the run: `systemctl --user stop` ends it")
	var b strings.Builder
	run := "pentode-" + unitName(p.Run)
	target := run + ".target"
	unit := func(id string) string { return run + "-" + unitName(id) + ".service" }
	fmt.Fprintf(&b, "# %s\n[Unit]\nDescription=run %s\n", target, strings.ReplaceAll(p.Run, "%", "%%"))
	for _, n := range p.Nodes {
		if !n.OnRequest {
			fmt.Fprintf(&b, "Wants=%s\n", unit(n.ID))
		}
	}
	for _, n := range p.Nodes {
		c := foreignCommand(n, &l)
		fmt.Fprintf(&b, "\n# %s\n[Unit]\nDescription=%s %s\nPartOf=%s\n", unit(n.ID), n.Kind, oneLine(n.ID), target)
		for _, e := range n.After {
			fmt.Fprintf(&b, "After=%s\n", unit(e.ID))
			switch {
			case e.Until == UntilFinished || e.Until == UntilSucceeded:
				l.lose(n.Span, n.ID, "node `%s` starts without waiting for the end of `%s`", n.ID, e.ID)
			case n.Kind == KindProcess && e.Until == UntilDefault:
				fmt.Fprintf(&b, "BindsTo=%s\n", unit(e.ID))
			}
		}
		if n.Restart.Limit > 0 {
			fmt.Fprintf(&b, "StartLimitIntervalSec=infinity\nStartLimitBurst=%d\n", n.Restart.Limit+1)
		}
		b.WriteString("\n[Service]\nType=exec\n")
		at := Place{cmp.Or(c.Dir, at.Dir), at.LookPath}
		if at.Dir != "" {
			fmt.Fprintf(&b, "WorkingDirectory=%s\n", strings.ReplaceAll(at.Dir, "%", "%%"))
		}
		for _, v := range c.Env {
			fmt.Fprintf(&b, "Environment=%s\n", unitQuote(v.Name+"="+v.Value))
		}
		fmt.Fprintf(&b, "ExecStart=%s\n", unitWords(at.absolute(c.Argv, n, &l)))
		systemdReady(&b, n, at, &l)
		fmt.Fprintf(&b, "KillMode=control-group\nTimeoutStopSec=%d\n", wholeSeconds(cmp.Or(n.Grace, defaultGrace)))
		if len(n.Stop.Command) > 0 {
			fmt.Fprintf(&b, "ExecStop=%s\n", unitWords(at.absolute(n.Stop.Command, n, &l)))
		} else if n.Stop.Signal != 0 {
			fmt.Fprintf(&b, "KillSignal=%d\n", n.Stop.Signal)
		}
		if n.Restart.When != RestartNever {
			l.lose(n.Span, n.ID, "the pause before a restart does not grow")
			fmt.Fprintf(&b, "Restart=%s\nRestartSec=%g\n", [...]string{"no", "on-failure", "always"}[n.Restart.When], n.Restart.pause(0).Seconds())
		}
	}
	_, err := io.WriteString(w, b.String())
	return l.list, err
}

// systemdReady writes a wait loop into ExecStartPost, because systemd treats a service as started only when ExecStartPost has ended.
func systemdReady(b *strings.Builder, n *Node, at Place, l *problems) {
	wait := n.Ready.alive()
	switch n.Ready.Probe {
	case ProbeNone:
		return
	case ProbeDefault:
		l.lose(n.Span, n.ID, "daemon `%s`: it counts as ready after one second: the line `PARADYND` is not waited for", n.ID)
	case ProbeLine:
		l.lose(n.Span, n.ID, "daemon `%s`: it counts as ready after one second: systemd does not wait for the line `%s`", n.ID, n.Ready.Line)
		wait = defaultAlive
	case ProbeTCP, ProbeExec:
		test, _ := n.untilReady()
		fmt.Fprintf(b, "ExecStartPost=%s\nTimeoutStartSec=%g\n",
			unitWords(at.absolute([]string{"bash", "-c", "until " + test + "; do sleep 0.2; done"}, n, l)), n.Ready.timeout().Seconds())
		return
	}
	fmt.Fprintf(b, "ExecStartPost=%s\n", unitWords(at.absolute([]string{"sleep", fmt.Sprintf("%g", wait.Seconds())}, n, l)))
}

// absolute returns the command with the absolute path of its program. A program that is not found keeps its name, and is reported.
func (at Place) absolute(argv []string, n *Node, l *problems) []string {
	program := argv[0]
	switch {
	case path.IsAbs(program):
		return argv
	case strings.Contains(program, "/"):
		if at.Dir == "" {
			l.lose(n.Span, n.ID, "node `%s`: systemd refuses the relative command `%s`: write its whole path", n.ID, program)
			return argv
		}
		program = path.Join(at.Dir, program)
	case at.LookPath != nil:
		found, err := at.LookPath(program)
		if err != nil {
			l.lose(n.Span, n.ID, "node `%s`: program `%s` was not found in any directory of PATH, and systemd searches only its own directories: write its whole path", n.ID, program)
			return argv
		}
		program = found
	}
	return append([]string{program}, argv[1:]...)
}

// unitName escapes text so that it can be part of a unit's name; `@` is escaped too, because it would make the unit a template.
func unitName(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' && i > 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String()
}

// unitQuote writes one word for a unit file, where `%` begins a specifier.
func unitQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "%", "%%").Replace(s) + `"`
}

// unitWords writes a command line, in which `$` also begins a variable.
func unitWords(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = strings.ReplaceAll(unitQuote(a), "$", "$$")
		if i == 0 {
			words[i] = unitQuote(a) // systemd expands no variables in the program's name
		}
	}
	return strings.Join(words, " ")
}

func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "%", "%%", `\`, `\\`).Replace(s)
}
