package pipe

import (
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// A Graph describes a pipeline: Check judges it, and a Pipeline runs it.
type Graph struct {
	Processes   []Node
	Connections []Connection
	Edges       EdgeRules
}

// AddProcess adds a process.
func (g *Graph) AddProcess(name, typ string, config Config) {
	g.Processes = append(g.Processes, Node{Name: name, Type: typ, Config: config})
}

// Connect connects an output, `process.port`, to an input. Later options override earlier ones.
func (g *Graph) Connect(from, to string, options ...EdgeOptions) {
	c := Connection{From: ParsePortRef(from), To: ParsePortRef(to)}
	for _, o := range options {
		c.Edge = o.over(c.Edge)
	}
	g.Connections = append(g.Connections, c)
}

// A Node is one process of a graph. A process inside a cluster is called `cluster/process`.
type Node struct {
	Name   string
	Type   string
	Config Config
	Span   source.Span // where it is written; zero in a graph made by a Go program
}

// Folder returns the folder of the file that declares the process, or "".
func (n *Node) Folder() string {
	if file := n.Span.File; file != nil && file.Path() != "" && file.Path() != "-" {
		return filepath.Dir(file.Path())
	}
	return ""
}

// A Connection joins an output port to an input port.
type Connection struct {
	From, To PortRef
	Edge     EdgeOptions // overrides Graph.Edges; NonBlockingKey overrides it
	Span     source.Span
}

// A PortRef names a port of a process.
type PortRef struct{ Process, Port string }

// String returns `process.port`.
func (r PortRef) String() string { return r.Process + "." + r.Port }

// Length returns the length of String.
func (r PortRef) Length() int { return len(r.Process) + 1 + len(r.Port) }

// ParsePortRef parses `process.port`; the process is the text before the first dot.
func ParsePortRef(text string) PortRef {
	process, port, _ := strings.Cut(text, ".")
	return PortRef{process, port}
}

// A Config is the configuration of one process: its keys, without the name of the process in front.
type Config map[string]Setting

// A Setting is a value and what is known about it.
type Setting struct {
	Value    string
	Span     source.Span
	ReadOnly bool // Reconfigure refuses it
	Tunable  bool // marked as tunable in the file; a type may declare it too
	// Symbolic lists the pieces of a value of which a part depends on the machine or the process
	// that reads it; nil: it is the same everywhere.
	Symbolic []Piece
}

// A Piece is a part of a value: a text, or a symbol whose text is not known yet.
type Piece struct {
	Symbol string // such as `SYSENV{hostname}`; empty: the text is known
	Text   string
}

// Set makes a Config from alternating keys and values.
func Set(keyValues ...string) Config {
	c := make(Config, len(keyValues)/2)
	for i := 0; i+1 < len(keyValues); i += 2 {
		c[keyValues[i]] = Setting{Value: keyValues[i+1]}
	}
	return c
}

// A Cluster is a type made of other processes.
type Cluster struct {
	Processes   []Node
	Connections []Connection
	In          map[string][]PortRef // from ports of the cluster to inner ports
	Out         map[string]PortRef
	Keys        map[string][]KeyRef // from keys of the cluster to inner keys
}

// A KeyRef names a key of a process.
type KeyRef struct{ Process, Key string }
