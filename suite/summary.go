package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/launch"
)

// Part is one file of a run in a few lines.
type Part struct {
	Role  lang.Role `json:"role"`
	Path  string    `json:"path"`
	Lines []string  `json:"lines"`
}

// Summary returns the run on one screen: its files in the order from building to tracing.
func Summary(r *Run) []Part {
	var parts []Part
	add := func(role lang.Role, path string, lines []string) {
		parts = append(parts, Part{role, path, append([]string{}, bounded(lines)...)})
	}
	if m, ok := model[*coil.Model](r.Configs[Target]); ok {
		add(Target, r.Configs[Target].Document.File.Path(), targetLines(m))
	}
	if c := r.Configs[Launch]; c != nil {
		add(Launch, c.Document.File.Path(), r.launchLines())
	}
	for _, p := range r.Pipelines {
		add(Flow, p.Config.Document.File.Path(), r.flowLines(p))
	}
	for _, c := range r.Files() {
		if m, ok := model[*pdi.Model](c); ok {
			add(Data, c.Document.File.Path(), treeLines(m))
		}
	}
	for _, c := range r.Files() {
		if c.Document.Language.Role == Trace {
			add(Trace, c.Document.File.Path(), traceLines(c))
		}
	}
	return parts
}

// maxLines keeps a summary on one screen.
const maxLines = 9

func bounded(lines []string) []string {
	if len(lines) <= maxLines {
		return lines
	}
	return append(slices.Clone(lines[:maxLines-1]), fmt.Sprintf("… and %d more", len(lines)-maxLines+1))
}

func targetLines(m *coil.Model) []string {
	t := m.Target()
	lines := []string{fmt.Sprintf("%s %s with %d bits", t.PU, t.Architecture, t.Mode)}
	var memory []string
	if t.Memory.Endianness != "" {
		memory = append(memory, strings.ToLower(t.Memory.Endianness)+"-endian")
	}
	if t.Memory.Alignment > 0 {
		memory = append(memory, "aligned to "+quantity.Count(t.Memory.Alignment, "byte", "bytes"))
	}
	if t.ABI != nil {
		memory = append(memory, "ABI "+t.ABI.Name)
	}
	if len(memory) > 0 {
		lines = append(lines, strings.Join(memory, ", "))
	}
	if features := slices.Concat(t.Features, t.Extensions.SIMD, t.Extensions.Crypto); len(features) > 0 {
		lines = append(lines, "with "+listed(features))
	}
	return lines
}

// launchLines returns a line for each program, with what it runs.
func (r *Run) launchLines() []string {
	var lines []string
	rank := 0
	for _, p := range r.Programs {
		line := fmt.Sprintf("%s %s on %s: %s", p.Node.Kind, p.Node.ID, p.Node.Host, strings.Join(p.Node.Argv, " "))
		if p.Node.Kind == launch.KindProcess {
			line = fmt.Sprintf("process %s on %s, rank %d", p.Node.ID, p.Node.Host, rank)
			rank++
			switch {
			case p.Pipe != nil && p.Policy != nil:
				line += ": runs " + p.Pipe.Text + ", traced by " + p.Policy.Text
			case p.Pipe != nil:
				line += ": runs " + p.Pipe.Text
			case p.Own != nil:
				line += ": " + p.Own.line(p.Policy)
			default:
				line += ": " + strings.Join(p.Node.Argv, " ")
			}
		}
		lines = append(lines, clip(line))
	}
	return lines
}

// flowLines returns a line for each process in the order of the data, with the program that it starts and the processes it feeds.
func (r *Run) flowLines(p *Pipeline) []string {
	var lines []string
	for _, i := range p.Plan.Order {
		n := &p.Plan.Nodes[i]
		line := n.Name + " :: " + n.Node.Type
		for _, s := range r.Started {
			if s.In == p && s.Node.ID == n.Name && s.Own != nil {
				line += ", " + s.Own.line(s.Policy)
			}
		}
		var to []string
		for _, out := range n.Out {
			for _, e := range out.Edges {
				if next := p.Plan.Edges[e].To.Process; !slices.Contains(to, next) {
					to = append(to, next)
				}
			}
		}
		if len(to) > 0 {
			line += " → " + listed(to)
		}
		for _, e := range p.Exposes {
			if e.Node == n {
				line += " → " + n.Config["spec"].Value
			}
		}
		lines = append(lines, clip(line))
	}
	return lines
}

func treeLines(m *pdi.Model) []string {
	var lines []string
	for _, section := range []struct {
		name string
		list []*pdi.Declaration
	}{{"types", m.Types}, {"metadata", m.Metadata}, {"data", m.Data}} {
		var names []string
		for _, d := range section.list {
			names = append(names, d.Name)
		}
		if len(names) > 0 {
			lines = append(lines, clip(section.name+" "+listed(names)))
		}
	}
	var plugins []string
	for _, p := range m.Plugins {
		plugins = append(plugins, p.Name)
	}
	if len(plugins) > 0 {
		lines = append(lines, clip("plugins "+listed(plugins)))
	}
	return lines
}

// traceLines returns a line for each section, as in its own picture.
func traceLines(c *lang.Config) []string {
	picture, err := c.Graph()
	if err != nil {
		return nil
	}
	var lines []string
	for _, n := range picture.Nodes {
		lines = append(lines, clip(strings.TrimSpace(label(n)+"  "+strings.Join(n.Detail, ", "))))
	}
	return lines
}

func label(n *graph.Node) string {
	if n.Label != "" {
		return n.Label
	}
	return n.ID
}

// listed joins names; if there are many, only the first ones.
func listed(names []string) string {
	const limit = 8
	if len(names) > limit {
		return strings.Join(names[:limit], ", ") + fmt.Sprintf(" and %d more", len(names)-limit)
	}
	return strings.Join(names, ", ")
}

// clip cuts a line of the summary so that it fits on one line of a screen.
func clip(line string) string { return problem.Clip(line, 95) }
