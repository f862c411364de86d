package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/launch"
)

// Self is the name of this program in a plan.
const Self = launch.Self

// Program is one node of the plan, with the files that its arguments name.
type Program struct {
	Node  *launch.Node
	Block *paradyn.Block
	Local bool
	// The arguments of this program itself: the pipeline that it runs, its trace, the configuration that filters the trace, its results folder, and
	// its site; nil if there is none.
	Pipe, Trace, Policy, Out, Site *Word
	// Variable is the environment variable that names Policy; empty: an argument names it.
	Variable string
	// Own is the program of the user that it starts; nil: none.
	Own *Own
	// In is the pipeline whose process starts it, at the position of the command; nil: the plan starts it, in Block.
	In *Pipeline
	at source.Span
}

// Word is an argument and its position.
type Word struct {
	Text string
	Span source.Span
}

// OurOwn reports whether the plan starts Pentode itself.
func (p *Program) OurOwn() bool { return p.Node.Argv[0] == Self }

// field returns the position of the value that sets a field of the program's block, or else of the block's head.
func (p *Program) field(name string) source.Span {
	if p.Block == nil {
		return p.at
	}
	for _, f := range p.Block.Fields {
		if n := len(f.Values); f.Name == name && n > 0 {
			return f.Values[n-1].Place.Span
		}
	}
	return p.Block.Head
}

// undeclared reports whether this is a daemon that only a process names.
func (p *Program) undeclared() bool {
	return p.Node.Kind == launch.KindDaemon && p.Block.Kind == "process"
}

// command returns the position of the command that is started.
func (p *Program) command() source.Span {
	if p.undeclared() {
		return p.field("daemon")
	}
	return p.field("command")
}

// arguments returns the arguments of the program. For a daemon or a process of a pipeline they are part of the command, whose position they all get.
func (p *Program) arguments() []Word {
	if p.Block != nil && p.Node.Kind == launch.KindProcess {
		return words(p.Block)
	}
	var list []Word
	for _, text := range p.Node.Argv[1:] {
		list = append(list, Word{text, p.command()})
	}
	return list
}

// plan makes the plan of a launch configuration as it is declared, without asking the network which hosts are local.
func (r *Run) plan() {
	c := r.Configs[Launch]
	if c == nil {
		return
	}
	m, ok := lang.Model[*paradyn.Model](c)
	if !ok {
		return
	}
	decls, err := m.Decls()
	if err != nil {
		return
	}
	here := "localhost"
	if !r.workspace.Confined(c.Document.File.Path()) {
		here = thisHostName()
	}
	local := func(host string) bool {
		return host == here || slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, host)
	}
	plan, _ := launch.NewPlan(decls, launch.Options{Host: launch.Host{
		Name: func() string { return here }, IsLocal: local, Find: func(string, string) error { return nil }, ReadFile: func(string) ([]byte, error) { return nil, nil },
	}})
	blocks := map[source.Span]*paradyn.Block{}
	for _, list := range [][]*paradyn.Block{m.Daemons, m.Processes, m.Visis} {
		for _, b := range list {
			blocks[b.Head] = b
		}
	}
	for _, n := range plan.Nodes {
		p := &Program{Node: n, Block: blocks[n.Span], Local: local(n.Host)}
		if p.Block == nil {
			continue
		}
		if p.OurOwn() {
			p.words()
		}
		p.own()
		p.configured(r.workspace.EnvOf(c.Document).Lookup, r.path(DefaultPolicy))
		r.Programs = append(r.Programs, p)
		if n.Kind == launch.KindProcess {
			r.Processes = append(r.Processes, p)
		}
	}
}

// words finds the files among the arguments of `pentode run`.
func (p *Program) words() {
	args := words(p.Block)
	if len(args) == 0 || args[0].Text != "run" || p.Node.Kind != launch.KindProcess {
		return
	}
	for i := 1; i < len(args); i++ {
		text := args[i].Text
		flag, value, joined := strings.Cut(text, "=")
		word := map[string]**Word{"--policy": &p.Policy, "--trace": &p.Trace, "-o": &p.Out, "--output": &p.Out, "--site": &p.Site}[flag]
		switch {
		case word != nil && joined:
			*word = &Word{value, args[i].Span}
		case word != nil && i+1 < len(args):
			i++
			*word = &args[i]
		case !strings.HasPrefix(text, "-") && filepath.Ext(text) == ".pipe" && p.Pipe == nil:
			p.Pipe = &args[i]
		}
	}
}

func words(b *paradyn.Block) []Word {
	for _, f := range b.Fields {
		if n := len(f.Values); f.Name == "args" && n > 0 {
			var list []Word
			for _, it := range f.Values[n-1].Items {
				list = append(list, Word{it.Text, it.Place.Span})
			}
			return list
		}
	}
	return nil
}

// policies opens the trace configurations of the run, each once.
func (r *Run) policies() {
	seen := map[string]bool{}
	if c := r.Configs[Trace]; c != nil {
		seen[filepath.Clean(c.Document.File.Path())] = true
		r.Policies = append(r.Policies, c)
	}
	for _, p := range slices.Concat(r.Programs, r.Started) {
		if p.Policy == nil {
			continue
		}
		path := filepath.Clean(r.path(p.Policy.Text))
		if seen[path] {
			continue
		}
		seen[path] = true
		if c, err := r.open(path, "pinsight"); err == nil {
			r.Policies = append(r.Policies, c)
		}
	}
}

func thisHostName() string {
	if name, err := os.Hostname(); err == nil && name != "" {
		return name
	}
	return "localhost"
}
