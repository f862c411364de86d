package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/core/graph/svg"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
)

// graphAnswer is a picture. Nodes and edges are in the order of their numbers in
// the picture.
type graphAnswer struct {
	Title string              `json:"title"`
	SVG   string              `json:"svg"`
	Parts []suite.PicturePart `json:"parts"` // of the picture of a run
	Nodes []graphNode         `json:"nodes"`
	Edges []graphEdge         `json:"edges"`
}

type graphNode struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Kind   string `json:"kind"`
	Closed bool   `json:"closed,omitempty"` // a part that can be opened
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
}

type graphEdge struct {
	From     string `json:"from"`
	FromPort string `json:"from_port"`
	To       string `json:"to"`
	ToPort   string `json:"to_port"`
	Label    string `json:"label"`
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// graphView returns the picture of a file, or of the run if no file is named. With
// live, the picture has room for the figures of a run.
func (s *Server) graphView(r *http.Request) (any, error) {
	query, o := r.URL.Query(), s.open()
	if path := query.Get("path"); path != "" {
		c, err := o.config(path)
		if err != nil {
			return nil, err
		}
		g, err := c.Graph()
		if err != nil {
			return nil, err
		}
		return drawn(g, query.Get("live") != ""), nil
	}
	if o.run == nil {
		return nil, guard.NotFound("this folder is not a run: it has neither a launch plan (.psdl) nor exactly one pipeline (.pipe)")
	}
	var open []string
	if list := query.Get("open"); list != "" {
		open = strings.Split(list, ",")
	}
	g, parts, err := suite.Picture(o.run, open)
	if err != nil {
		return nil, guard.NotFound(err.Error())
	}
	out := drawn(g, false)
	out.Parts = parts
	return out, nil
}

// The widest figures of edges and nodes during a run. The picture
// reserves room for them, so that they never overlap.
const (
	widestEdge = "0,000 of 0,000 · 000.0k/s"
	widestNode = "busy 100 % · waits 100 % for"
)

func drawn(g *graph.Graph, live bool) graphAnswer {
	out := graphAnswer{Title: g.Title, Parts: []suite.PicturePart{}, Nodes: []graphNode{}, Edges: []graphEdge{}}
	if live {
		g = withRoom(g)
	}
	x := g.Index()
	for _, n := range x.Nodes {
		node := graphNode{ID: n.ID, Label: graph.OneLine(n.Name()), Kind: n.Kind, Closed: n.Closed}
		if !n.At.IsZero() {
			node.Path, node.Line = n.At.File.Path(), n.At.Position().Line
		}
		out.Nodes = append(out.Nodes, node)
	}
	for _, e := range x.Edges {
		edge := graphEdge{From: e.Edge.From, FromPort: e.Edge.FromPort, To: e.Edge.To, ToPort: e.Edge.ToPort, Label: e.Edge.Label}
		if !e.Edge.At.IsZero() {
			edge.Path, edge.Line = e.Edge.At.File.Path(), e.Edge.At.Position().Line
		}
		out.Edges = append(out.Edges, edge)
	}
	var b strings.Builder
	_ = svg.WriteInline(&b, g) // writing to a Builder never fails
	out.SVG = b.String()
	return out
}

// withRoom returns a picture with room for figures.
func withRoom(g *graph.Graph) *graph.Graph {
	out := *g
	out.Nodes, out.Edges = nil, nil
	for _, n := range g.Nodes {
		copied := *n
		copied.Detail = append(slices.Clone(n.Detail), widestNode)
		out.Nodes = append(out.Nodes, &copied)
	}
	for _, e := range g.Edges {
		copied := *e
		copied.Label = widestEdge
		out.Edges = append(out.Edges, &copied)
	}
	return &out
}

// nodeAnswer is everything about one node.
type nodeAnswer struct {
	graphNode
	File     string              `json:"file"` // the document that its settings belong to
	Language string              `json:"language"`
	In       []portAnswer        `json:"in"`
	Out      []portAnswer        `json:"out"`
	Detail   []string            `json:"detail"`
	Settings []origin.Entry      `json:"settings"`
	Doc      suite.Documentation `json:"doc"`
	Findings []finding           `json:"findings"`
}

type portAnswer struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

func (s *Server) nodeView(r *http.Request) (any, error) {
	path, id := r.FormValue("path"), r.FormValue("node")
	o := s.open()
	var c *lang.Config
	var err error
	switch {
	case path != "":
		if c, err = o.config(path); err != nil {
			return nil, err
		}
	case o.run != nil:
		c, id = suite.PartOf(o.run, id)
	}
	if c == nil {
		return nil, guard.NotFound("the picture has no such node")
	}
	g, err := c.Graph()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(g.Nodes, func(n *graph.Node) bool { return n.ID == id })
	if i < 0 {
		return nil, guard.NotFound("the picture has no node `" + id + "`")
	}
	return o.describe(c, g.Nodes[i]), nil
}

func (o *opened) describe(c *lang.Config, n *graph.Node) nodeAnswer {
	out := nodeAnswer{
		graphNode: graphNode{ID: n.ID, Label: graph.OneLine(n.Name()), Kind: n.Kind}, File: c.Document.File.Path(), Language: c.Document.Language.Title,
		In: ports(n.In), Out: ports(n.Out), Detail: append([]string{}, n.Detail...),
		Settings: []origin.Entry{}, Doc: suite.DocumentationOf(c, n.Kind), Findings: []finding{},
	}
	if !n.At.IsZero() {
		out.Path, out.Line = n.At.File.Path(), n.At.Position().Line
	}
	for e := range c.Values() {
		if belongs(&e, n) {
			out.Settings = append(out.Settings, e)
		}
	}
	around := extent(c, n.At)
	for _, d := range o.findings(c) {
		if around.File != nil && around.Contains(d.Span) {
			out.Findings = append(out.Findings, findingOf(d))
		}
	}
	return out
}

func ports(list []graph.Port) []portAnswer {
	out := []portAnswer{}
	for _, p := range list {
		out = append(out, portAnswer{p.Name, p.Type})
	}
	return out
}

// belongs reports whether a setting belongs to a node: by its key, or, for the
// node of a file, by the place that decided it.
func belongs(e *origin.Entry, n *graph.Node) bool {
	switch {
	case n.Settings != "":
		return strings.HasPrefix(e.Key, n.Settings)
	case n.At.IsZero():
		return !e.Implicit
	}
	return !e.Implicit && e.Decided().Span.File == n.At.File
}

// extent returns the innermost entry of the outline around a place, else the
// place itself.
func extent(c *lang.Config, at source.Span) source.Span {
	var find func(list []lang.Symbol, found source.Span) source.Span
	find = func(list []lang.Symbol, found source.Span) source.Span {
		for _, s := range list {
			if s.Span.Contains(at) {
				return find(s.Children, s.Span)
			}
		}
		return found
	}
	return find(c.Document.Outline(), at)
}
