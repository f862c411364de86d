package suite

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/launch"
)

// Own is a program of the user in a plan: one that a process starts, or that
// `trace run` starts and traces.
type Own struct {
	Argv   []Word // the program and its arguments
	Traced bool
	Out    *Word   // the folder of the trace; nil: it has one by itself
	Trees  []*Tree // the specification trees among its arguments
}

// Tree is a specification tree that an argument names.
type Tree struct {
	Word
	By     *Program
	Config *lang.Config
}

// own finds the program of the user that a node starts, if it does.
func (p *Program) own() {
	switch args := words(p.Block); {
	case p.Node.Kind != launch.KindProcess:
	case !p.OurOwn():
		p.Own = &Own{Argv: append([]Word{{p.Node.Argv[0], p.command()}}, args...)}
	case p.tracesProgram():
		p.traced(args[2:])
	}
}

// tracesProgram reports whether this program is started as `trace run`.
func (p *Program) tracesProgram() bool {
	args := words(p.Block)
	return p.OurOwn() && p.Node.Kind == launch.KindProcess && len(args) >= 2 && args[0].Text == "trace" && args[1].Text == "run"
}

// traced reads the arguments of `trace run`.
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
		if joined || slices.Contains([]string{"--audit", "--perfetto", "--list-events"}, flag) {
			args[i].Text = value
		} else if i++; i == len(args) {
			return
		}
		switch word := &args[i]; flag {
		case "--config":
			p.Policy = word
		case "--out":
			out = word
		}
	}
}

// owns opens the specification trees among the arguments of the user's programs.
func (r *Run) owns() {
	for _, p := range r.Programs {
		if p.Own == nil {
			continue
		}
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

// treeOf opens a file that is a specification tree; nil where it is none.
func (r *Run) treeOf(name string) *lang.Config {
	path := filepath.Clean(r.path(name))
	if c := r.Configs[Data]; c != nil && filepath.Clean(c.Document.File.Path()) == path {
		return c
	}
	c, err := r.workspace.Config(path)
	if err != nil || c.Document.Language.Role != Data {
		return nil
	}
	r.trees[path] = c
	return c
}

// tracedBy are the programs that a trace configuration is for.
func (r *Run) tracedBy(c *lang.Config) (list []*Program) {
	for _, p := range r.Programs {
		if p.Own != nil && p.Policy != nil && filepath.Clean(r.path(p.Policy.Text)) == filepath.Clean(c.Document.File.Path()) {
			list = append(list, p)
		}
	}
	return list
}

// line says what the process runs.
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

// program draws what a program of the user exposes.
func (d *drawing) program(p *Program) {
	id := "launch/" + p.Node.ID
	d.connect(governs(id))
	for _, t := range p.Own.Trees {
		m, ok := model[*pdi.Model](t.Config)
		if !ok {
			continue
		}
		prefix := treePrefix(t.Config)
		d.embed(t.Config, prefix)
		for _, x := range m.Data {
			d.connect(joins(id, prefix+x.Section+"."+x.Name, "exposes"))
		}
	}
}
