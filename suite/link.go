package suite

import (
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/launch"
)

// Link joins two places of a run, in files of two languages, that mean the same thing.
type Link struct {
	A, B source.Span
	// Leads says that A only refers to B under another name, as a path names a file.
	Leads bool
}

// Links returns all joins between the files of a run: ports and the data of a tree that they feed, events and what triggers them, regions and
// processes, constants and their readers, and names of files.
func Links(r *Run) []Link {
	l := &linker{tables: map[*lang.Config]map[string][]source.Span{}}
	for _, p := range r.Pipelines {
		for _, e := range p.Exposes {
			l.exposed(p, e)
		}
		for _, c := range r.Policies {
			for i := range p.Model.Processes {
				name := p.Model.Processes[i].Name
				l.join(l.at(c, pinsight.RegionSymbol(name)), l.at(p.Config, sprokit.ProcessSymbol(name)))
			}
		}
		l.constants(r, p)
	}
	for _, p := range slices.Concat(r.Programs, r.Started) {
		for _, w := range []*Word{p.Pipe, p.Policy} {
			if w != nil {
				l.file(r, w.Span, r.path(w.Text))
			}
		}
		if p.Own != nil {
			for _, t := range p.Own.Trees {
				l.list = append(l.list, Link{A: t.Span, B: top(t.Config), Leads: true})
			}
		}
	}
	return l.list
}

type linker struct {
	list   []Link
	tables map[*lang.Config]map[string][]source.Span
}

// at returns the places of a symbol.
func (l *linker) at(c *lang.Config, symbol string) []source.Span {
	table := l.tables[c]
	if table == nil {
		table = map[string][]source.Span{}
		for _, o := range c.Occurrences() {
			if o.Symbol != "" {
				table[o.Symbol] = append(table[o.Symbol], o.Span)
			}
		}
		l.tables[c] = table
	}
	return table[symbol]
}

// join records that all places of two lists mean the same thing.
func (l *linker) join(a, b []source.Span) {
	if len(a) == 0 || len(b) == 0 {
		return
	}
	for _, x := range a {
		l.list = append(l.list, Link{A: x, B: b[0]})
	}
	for _, y := range b[1:] {
		l.list = append(l.list, Link{A: a[0], B: y})
	}
}

// exposed joins a process that feeds a tree to the declarations in the tree.
func (l *linker) exposed(p *Pipeline, e *Expose) {
	if e.Tree == nil {
		return
	}
	l.list = append(l.list, Link{A: e.Spec, B: top(e.Tree), Leads: true})
	name := e.Node.Name
	for i := range e.Node.In {
		port := e.Node.In[i].Name
		l.join(l.at(p.Config, sprokit.PortSymbol(name, port, false)), l.at(e.Tree, pdi.DatumSymbol(port)))
	}
	for _, constant := range constantNames(e.Node.Config) {
		l.join(l.at(p.Config, sprokit.KeySymbol(name+":"+valuesPrefix+constant)), l.at(e.Tree, pdi.DatumSymbol(constant)))
	}
	if event := e.Node.Config["event"].Value; event != "" {
		key := name + ":event"
		for _, o := range p.Config.Occurrences() {
			if o.Key == key && o.Symbol == "" && o.Span.Text() == event {
				l.join([]source.Span{o.Span}, l.at(e.Tree, pdi.EventSymbol(event)))
			}
		}
	}
}

// constants links the variables that a pipeline reads to the constants of the plan.
func (l *linker) constants(r *Run, p *Pipeline) {
	m, ok := model[*paradyn.Model](r.Configs[Launch])
	if !ok {
		return
	}
	for _, t := range m.Tunables {
		for _, at := range l.at(p.Config, "variable "+launch.TunableVariable(t.Name)) {
			l.list = append(l.list, Link{A: at, B: t.At, Leads: true})
		}
	}
}

// file links a name to the file.
func (l *linker) file(r *Run, at source.Span, path string) {
	for _, c := range r.Files() {
		if filepath.Clean(c.Document.File.Path()) == filepath.Clean(path) {
			l.list = append(l.list, Link{A: at, B: top(c), Leads: true})
		}
	}
}
