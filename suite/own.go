package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow/child"
	"github.com/pentode-dev/pentode/run/launch"
)

// Own is a program of the user that a process of the plan or of a pipeline starts, or that `trace record` starts and traces.
type Own struct {
	Argv   []Word // the program and its arguments
	Traced bool
	Out    *Word   // the folder of the trace; nil: the default folder
	Trees  []*Tree // the specification trees among its arguments
}

// Tree is a specification tree that an argument names.
type Tree struct {
	Word
	By     *Program
	Config *lang.Config
}

// own finds the program of the user that a node of the plan starts, if there is one.
func (p *Program) own() {
	switch args := p.arguments(); {
	case p.tracesProgram():
		p.traced(args[2:])
	case p.Node.Kind == launch.KindProcess && !p.OurOwn():
		p.Own = &Own{Argv: append([]Word{{p.Node.Argv[0], p.command()}}, args...)}
	}
}

// tracesProgram reports whether this program is started as `trace record`.
func (p *Program) tracesProgram() bool {
	args := p.arguments()
	return p.OurOwn() && len(args) >= 2 && args[0].Text == "trace" && args[1].Text == "record"
}

// started finds the programs that processes of a pipeline start, if they are in the folder of the run.
func (r *Run) started(p *Pipeline) {
	for i := range p.Plan.Nodes {
		n := &p.Plan.Nodes[i]
		argv, err := child.Split(n.Config["command"].Value)
		if n.Type == nil || n.Type.Name != "exec" || n.Config["dir"].Value != "" || err != nil {
			continue
		}
		own := &Program{
			Node: &launch.Node{ID: n.Name, Kind: launch.KindProcess, Argv: argv}, In: p, at: p.setting(n, "command"),
			Local: !slices.ContainsFunc(p.By, func(by *Program) bool { return !by.Local }),
		}
		if own.tracesProgram() {
			own.traced(own.arguments()[2:])
		} else if !own.OurOwn() {
			own.Own = &Own{Argv: append([]Word{{argv[0], own.at}}, own.arguments()...)}
		}
		env := r.workspace.EnvOf(p.Config.Document).Lookup
		own.configured(func(name string) (string, bool) {
			if s, ok := n.Config["env:"+name]; ok {
				return s.Value, true
			}
			return env(name)
		}, r.path(DefaultPolicy))
		r.Started = append(r.Started, own)
	}
}

// PolicyVariable names a trace configuration if the arguments of a program do not, and DefaultPolicy is the file that is used in a folder if nothing
// names one.
const (
	PolicyVariable = "PINSIGHT_TRACE_CONFIG_FILE"
	DefaultPolicy  = "pinsight_trace_config.txt"
)

// configured finds the trace configuration of a program whose arguments name none: in a variable that `env` or the environment sets for it, or else
// in the folder of the run.
func (p *Program) configured(lookup func(string) (string, bool), fallback string) {
	if p.Own == nil || p.Policy != nil {
		return
	}
	if p.Own.Argv[0].Text == "env" {
		for _, w := range p.Own.Argv[1:] {
			name, value, ok := strings.Cut(w.Text, "=")
			if !ok {
				break
			}
			if name == PolicyVariable {
				p.Policy, p.Variable = &Word{value, w.Span}, name
			}
		}
	}
	if !p.Own.Traced || p.Policy != nil || !p.Local {
		return
	}
	at := p.arguments()[1].Span
	if path, ok := lookup(PolicyVariable); ok && path != "" {
		p.Policy, p.Variable = &Word{path, at}, PolicyVariable
	} else if _, err := os.Stat(fallback); err == nil {
		p.Policy = &Word{DefaultPolicy, at}
	}
}

// owners returns the nodes that start a program of the user.
func (r *Run) owners() (list []*Program) {
	for _, p := range slices.Concat(r.Programs, r.Started) {
		if p.Own != nil {
			list = append(list, p)
		}
	}
	return list
}

// drawn returns the node of a program in the picture of the run.
func (p *Program) drawn() string {
	if p.In != nil {
		return flowPrefix(p.In) + p.Node.ID
	}
	return "launch/" + p.Node.ID
}

// traced reads the arguments of `trace record`.
func (p *Program) traced(args []Word) {
	var out *Word
	for i := 0; i < len(args); i++ {
		flag, value, joined := strings.Cut(args[i].Text, "=")
		if flag == "--" || !strings.HasPrefix(flag, "-") {
			if flag == "--" {
				i++
			}
			if i < len(args) {
				p.Own = &Own{Argv: args[i:], Traced: true, Out: out}
			}
			return
		}
		if joined || slices.Contains([]string{"--audit", "--dry-run", "--no-config"}, flag) {
			args[i].Text = value
		} else if i++; i == len(args) {
			return
		}
		switch word := &args[i]; flag {
		case "--policy":
			p.Policy = word
		case "-o", "--output":
			out = word
		}
	}
}

// owns opens the specification trees among the arguments of the user's programs.
func (r *Run) owns() {
	for _, p := range r.owners() {
		for _, w := range p.Own.Argv[1:] {
			if !looksLikeTree(w.Text) {
				continue
			}
			if c := r.treeOf(w.Text); c != nil {
				p.Own.Trees = append(p.Own.Trees, &Tree{w, p, c})
			}
		}
	}
}

// looksLikeTree reports whether an argument may name a specification tree.
func looksLikeTree(word string) bool {
	return !strings.HasPrefix(word, "-") && slices.Contains([]string{".yml", ".yaml"}, filepath.Ext(word))
}

// treeOf opens a file that is a specification tree; nil if it is not one.
func (r *Run) treeOf(name string) *lang.Config {
	path := filepath.Clean(r.path(name))
	c, err := r.open(path, "")
	if err != nil || c.Document.Language.Role != Data {
		return nil
	}
	return c
}

// tracedBy returns the programs that use a trace configuration.
func (r *Run) tracedBy(c *lang.Config) (list []*Program) {
	for _, p := range r.owners() {
		if p.Policy != nil && filepath.Clean(r.path(p.Policy.Text)) == filepath.Clean(c.Document.File.Path()) {
			list = append(list, p)
		}
	}
	return list
}

// line returns the command line that the process runs.
func (o *Own) line(policy *Word) string {
	var texts []string
	for _, w := range o.Argv {
		texts = append(texts, w.Text)
	}
	line := "runs " + launch.QuoteAll(texts)
	switch {
	case policy != nil:
		line += ", traced by " + policy.Text
	case o.Traced:
		line += ", traced"
	}
	return line
}
