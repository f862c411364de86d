package launch

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// Place describes the machine on which a converted plan will run, for formats that need absolute paths. The zero value means that nothing is known
// about it.
type Place struct {
	Dir      string                               // the folder in which nodes without a folder of their own start
	LookPath func(program string) (string, error) // finds a program by its name
}

// Convert writes the plan in another format: `process-compose`, `systemd` or `slurm`. It returns what that format cannot express.
func (p *Plan) Convert(format string, at Place, w io.Writer) (lost problem.List, err error) {
	switch format {
	case "process-compose":
		return p.processCompose(w)
	case "systemd":
		return p.systemd(at, w)
	case "slurm":
		return p.slurm(w)
	}
	return nil, fmt.Errorf("a launch plan cannot be written as `%s`: expected `process-compose`, `systemd` or `slurm`", format)
}

// tunables reports that other supervisors do not write the tunables file.
func (l *problems) tunables(p *Plan) {
	if len(p.Tunables) > 0 && p.TunablesFile != "" {
		l.lose(p.Tunables[0].Span, "", "the file PARADYN_TUNABLES is not written: processes find tunables in PARADYN_TUNABLE_NAME only")
	}
}

// foreignCommand returns the command with which another supervisor starts a node: without Pentode's own variables, and over ssh without the lifeline.
func foreignCommand(n *Node, l *problems) Command {
	lean := *n
	lean.Env = nil
	for _, v := range n.Env {
		switch v.Name {
		case "PENTODE_RUN", "PENTODE_NODE", "PARADYN_TUNABLES":
		default:
			lean.Env = append(lean.Env, v)
		}
	}
	if len(n.Secret) > 0 {
		l.lose(n.Span, n.ID, "node `%s` has variables from a file: their values are not written", n.ID)
		lean.Secret = nil
	}
	if n.Around.Limits.Time > 0 {
		l.lose(n.Span, n.ID, "node `%s` is not ended after %s", n.ID, n.Around.Limits.Time)
	}
	if n.Alive.asks() {
		l.lose(n.Span, n.ID, "the health of node `%s` is not checked with `%s`", n.ID, &n.Alive)
	}
	switch s := n.Starter.(type) {
	case SSH:
		l.lose(n.Span, n.ID, "node `%s` runs on `%s`: stopping it here may leave it running there", n.ID, n.Host)
		return Command{Argv: s.plain(&lean)}
	case Template:
		l.lose(n.Span, n.ID, "node `%s` is started through `%s`: stopping it here may leave it running there", n.ID, s.Words[0])
	}
	return n.Starter.Command(&lean)
}

// plain returns the ssh command line of a node without any wrapper.
func (s SSH) plain(n *Node) []string {
	remote := []string{"env"}
	for _, v := range n.Env {
		remote = append(remote, v.Name+"="+v.Value)
	}
	text := "exec " + QuoteAll(append(remote, n.words()...))
	if n.Dir != "" {
		text = "cd " + Quote(n.Dir) + " && " + text
	}
	return append(s.client(), n.Address, text)
}

// literal returns the literal text with which a regular expression begins, and whether that is the whole expression apart from anchors.
func literal(re *regexp.Regexp) (text string, whole bool) {
	bare := strings.TrimSuffix(strings.TrimPrefix(re.String(), "^"), "$")
	inner, err := regexp.Compile(bare)
	if err != nil {
		return "", false
	}
	return inner.LiteralPrefix()
}

// untilReady returns a bash command that succeeds once a node is ready. ok is false for probes that need the node's output.
func (n *Node) untilReady() (text string, ok bool) {
	switch n.Ready.Probe {
	case ProbeTCP:
		host, port := n.Address, n.Ready.Address
		if at := strings.LastIndexByte(port, ':'); at >= 0 {
			host, port = strings.Trim(port[:at], "[]"), port[at+1:]
		}
		return fmt.Sprintf("(exec 3<>%s) 2>/dev/null", Quote("/dev/tcp/"+host+"/"+port)), true
	case ProbeHTTP:
		return "curl -fs -o /dev/null " + Quote(n.Ready.url(n)), true
	case ProbeExec:
		return QuoteAll(n.Ready.Command), true
	}
	return "", false
}
