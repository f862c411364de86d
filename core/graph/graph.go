// Package graph holds pictures of a run, with nodes, ports, edges and nested
// groups, and writes them as text for people and other programs.
//
// Every language draws something: a pipeline, a launch order, a tree of
// includes or of types, a whole run. Each describes its picture as one plain
// value. This package and package svg decide how it looks.
//
//	Graph ──Index──▶ numbers ──▶ DOT, Mermaid, text
//	                    └──────▶ package svg: layout ──▶ SVG
//
// A graph need not be consistent. A node or group that is only mentioned, by an
// edge or as a parent, is drawn under its id, because users need the picture of
// a broken configuration most.
package graph

import "github.com/pentode-dev/pentode/core/source"

// Graph is a picture. Its zero value is empty and usable.
type Graph struct {
	Title     string
	Direction Direction
	Width     float64 // in pixels: a longer pipeline is broken into rows; 0 means a default
	Nodes     []*Node
	Edges     []*Edge
	Groups    []*Group
	// Lines maps each style of line to its meaning in this picture, for the
	// legend.
	Lines map[Style]string
}

// Direction is the direction in which edges run.
type Direction int

const (
	Right Direction = iota // sources at the left: pipelines
	Down                   // sources at the top: trees
)

// Node is one box.
type Node struct {
	ID     string
	Label  string   // if empty, the ID
	Kind   string   // the type of the node; equal kinds get equal colours
	Group  string   // the group's ID, empty for none
	In     []Port   // in drawing order
	Out    []Port   // in drawing order
	Detail []string // small lines under the label
	Wrong  bool     // the node or its kind is not declared anywhere
	Closed bool     // it stands for a closed group with its contents, see Fold

	At       source.Span // the place of its declaration; zero if it is not declared in a file
	Settings string      // the prefix of the keys of its settings, or empty
}

// Port is a named place on a node at which edges end.
type Port struct {
	Name string
	Type string // the type of the data at the port; may be empty
}

// Edge leads from one node to another. If a port is empty, or the node does not
// have it, the edge ends at the node itself.
type Edge struct {
	From, FromPort string
	To, ToPort     string
	Label          string
	Style          Style
	At             source.Span // the place of its declaration; zero if it is not declared in a file
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
	Label  string // if empty, the ID
	Parent string // the ID of the enclosing group, or empty
}

// Name returns the label, or the ID if there is no label.
func (n *Node) Name() string {
	if n.Label != "" {
		return n.Label
	}
	return n.ID
}

// Name returns the label, or the ID if there is no label.
func (g *Group) Name() string {
	if g.Label != "" {
		return g.Label
	}
	return g.ID
}
