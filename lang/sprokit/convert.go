package sprokit

import (
	"io"
	"sort"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// The JSON form of a pipeline after everything is resolved.
type (
	jsonPipeline struct {
		Cluster     *jsonCluster      `json:"cluster,omitempty"`
		Processes   []jsonProcess     `json:"processes"`
		Connections []jsonConnection  `json:"connections"`
		Config      map[string]string `json:"config"`
	}
	jsonCluster struct {
		Name   string     `json:"name"`
		Doc    string     `json:"doc"`
		Keys   []jsonPart `json:"keys"`
		Inputs []jsonPart `json:"inputs"`
		Output []jsonPart `json:"outputs"`
	}
	jsonPart struct {
		Name  string   `json:"name"`
		Doc   string   `json:"doc"`
		Value string   `json:"value,omitempty"`
		Inner []string `json:"inner,omitempty"`
	}
	jsonProcess struct {
		Name   string            `json:"name"`
		Type   string            `json:"type"`
		Config map[string]string `json:"config"`
		Inside *jsonPipeline     `json:"inside,omitempty"`
	}
	jsonConnection struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
)

func toJSON(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	_ = jsontext.Write(w, m.json()) // writing errors are reported by the caller's writer
	return nil
}

func (m *Model) json() *jsonPipeline {
	out := &jsonPipeline{Processes: []jsonProcess{}, Connections: []jsonConnection{}, Config: map[string]string{}}
	if c := m.Cluster; c != nil {
		out.Cluster = &jsonCluster{Name: c.Name, Doc: c.Doc, Keys: []jsonPart{}, Inputs: []jsonPart{}, Output: []jsonPart{}}
		for _, k := range c.Keys {
			part := jsonPart{Name: k.Name, Doc: k.Doc}
			if s, ok := m.Lookup(c.Name + ":" + k.Name); ok {
				part.Value = s.Value
			}
			out.Cluster.Keys = append(out.Cluster.Keys, part)
		}
		out.Cluster.Inputs = append(out.Cluster.Inputs, jsonPorts(c.In)...)
		out.Cluster.Output = append(out.Cluster.Output, jsonPorts(c.Out)...)
	}
	for i := range m.Processes {
		p := &m.Processes[i]
		process := jsonProcess{Name: p.Name, Type: p.Type, Config: map[string]string{}}
		for key, s := range m.of(p.Name) {
			process.Config[key] = s.Value
		}
		if p.Inside != nil {
			process.Inside = p.Inside.json()
		}
		out.Processes = append(out.Processes, process)
	}
	for i := range m.Connections {
		c := &m.Connections[i]
		out.Connections = append(out.Connections, jsonConnection{c.From.Process + "." + c.From.Port, c.To.Process + "." + c.To.Port})
	}
	for s := range m.each {
		if root, _, _ := strings.Cut(s.Key, ":"); m.process(root) == nil && (m.Cluster == nil || root != m.Cluster.Name) {
			out.Config[s.Key] = s.Value
		}
	}
	return out
}

func jsonPorts(list []Mapping) []jsonPart {
	var parts []jsonPart
	for _, p := range list {
		part := jsonPart{Name: p.Port, Doc: p.Doc}
		for _, in := range p.Inner {
			part.Inner = append(part.Inner, in.Process+"."+in.Port)
		}
		parts = append(parts, part)
	}
	return parts
}

// toNewStyle rewrites `:key value` as `key = value` and leaves the rest of the document unchanged.
func toNewStyle(t *syntax.Tree, _ *Model, w io.Writer) diag.List {
	var edits []source.Edit
	var kept diag.List
	for i := range t.Stmts {
		s := &t.Stmts[i]
		if s.Kind != syntax.EntryStmt || !s.Has(syntax.OldStyle) || s.Has(syntax.Incomplete) {
			continue
		}
		colon := source.Span{File: t.File(), Start: int(s.Name.Start) - 1, End: int(s.Name.Start)}
		if t.Join(s.Name) == "include" || colon.Text() != ":" {
			kept.Report(cannotWrite, t.StmtSpan(s), "this entry can only be written in the older style")
			continue
		}
		blank := "" // a blank that separates the key from the text before it, if needed
		if i := colon.Start; i > 0 && !strings.ContainsRune(" \t\n", rune(t.File().Text()[i-1])) {
			blank = " "
		}
		value := t.Span(s.Value)
		edits = append(edits, source.Edit{Span: colon, Text: blank}, source.Edit{Span: t.File().Span(keyEnd(t, s), value.Start), Text: " = "})
	}
	text, err := source.Apply(t.File(), edits)
	if err != nil {
		text = t.File().Text()
	}
	_, _ = io.WriteString(w, text)
	return kept
}

// keyEnd returns the end of the key, with its attributes.
func keyEnd(t *syntax.Tree, s *syntax.Stmt) int {
	if s.Attrs.Empty() {
		return int(s.Name.End)
	}
	toks := t.Tokens().Tokens
	i := sort.Search(len(toks), func(i int) bool { return toks[i].Start >= s.Attrs.End })
	for toks[i].Kind != syntax.Close {
		i++
	}
	return int(toks[i].End)
}
