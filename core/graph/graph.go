// Package graph holds pictures of a run, nodes with ports, edges and nested
// groups, and writes them as text for people and for other programs.
//
// Every language draws something: a pipeline, a launch order, a tree of
// includes or of types, a whole run. They all describe it as one plain value;
// how it looks is decided here and in package svg, once.
//
//	Graph ──Index──▶ numbers ──▶ DOT, Mermaid, text
//	                    └──────▶ package svg: layout ──▶ SVG
//
// A graph need not be consistent. A node or group that is only mentioned, by
// an edge or as a parent, is drawn under its id, because the picture of a
// broken configuration is the one a user needs most.
package graph

import "github.com/pentode-dev/pentode/core/source"

// Graph is a picture. Its zero value is empty and usable.
type Graph struct {
	Title     string
	Direction Direction
	Width     float64 // in pixels: what is longer gets several rows; 0: as long as is easy to follow
	Nodes     []*Node
	Edges     []*Edge
	Groups    []*Group
	// Lines says what the looks of lines mean in this picture, for its legend.
	Lines map[Style]string
}

// Direction is where edges run to.
type Direction int

const (
	Right Direction = iota // sources at the left: pipelines
	Down                   // sources at the top: trees
)

// Node is one box.
type Node struct {
	ID     string
	Label  string   // the ID where empty
	Kind   string   // what it is an instance of; equal kinds get equal colours
	Group  string   // the group's ID, empty for none
	In     []Port   // in the order they are drawn
	Out    []Port   // in the order they are drawn
	Detail []string // small lines under the label
	Wrong  bool     // nothing declares it, or what it is an instance of
	Closed bool     // stands for a group and what is in it, see Fold

	At       source.Span // where it is declared; zero where no file does
	Settings string      // what the keys of its settings begin with, empty for none
}

// Port is a named place on a node where edges end.
type Port struct {
	Name string
	Type string // what flows through it, may be empty
}

// Edge leads from one node to another. An empty port, or one that the node
// does not have, means the node itself.
type Edge struct {
	From, FromPort string
	To, ToPort     string
	Label          string
	Style          Style
	At             source.Span // where it is declared; zero where no file does
}

// Style is the look of an edge's line.
type Style int

const (
	Solid Style = iota
	Dashed
	Dotted
	Thick
)

// Group is a labelled box around nodes and other groups.
type Group struct {
	ID     string
	Label  string // the ID where empty
	Parent string // the ID of the group around it, empty for none
}

// Name is the label, or the ID where there is none.
func (n *Node) Name() string {
	if n.Label != "" {
		return n.Label
	}
	return n.ID
}

// Name is the label, or the ID where there is none.
func (g *Group) Name() string {
	if g.Label != "" {
		return g.Label
	}
	return g.ID
}
