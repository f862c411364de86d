package pipe

import (
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// A Graph describes a pipeline: its processes and connections. Check checks it, and a flow.Pipeline
// runs it.
type Graph struct {
	Processes   []Node
	Connections []Connection
	Edges       EdgeRules
}

// AddProcess adds a process.
func (g *Graph) AddProcess(name, typ string, config Config) {
	g.Processes = append(g.Processes, Node{Name: name, Type: typ, Config: config})
}

// Connect connects an output to an input, each written `process.port`. Later options override
// earlier ones.
func (g *Graph) Connect(from, to string, options ...EdgeOptions) {
	c := Connection{From: ParsePortRef(from), To: ParsePortRef(to)}
	for _, o := range options {
		c.Edge = o.over(c.Edge)
	}
	g.Connections = append(g.Connections, c)
}

// A Node is one process of a graph. A process inside a cluster has the name `cluster/process`.
type Node struct {
	Name   string
	Type   string
	Config Config
	Span   source.Span // place in the file; zero if a Go program made the graph
}

// Folder returns the folder of the file that declares the process, or "".
func (n *Node) Folder() string {
	if file := n.Span.File; file != nil && file.Path() != "" && file.Path() != "-" {
		return filepath.Dir(file.Path())
	}
	return ""
}

// A Connection connects an output port to an input port.
type Connection struct {
	From, To PortRef
	Edge     EdgeOptions // these options override Graph.Edges; NonBlockingKey overrides these
	Span     source.Span
}

// A PortRef names a port of a process.
type PortRef struct{ Process, Port string }

// String returns `process.port`.
func (r PortRef) String() string { return r.Process + "." + r.Port }

// Length returns the length of the text that String returns.
func (r PortRef) Length() int { return len(r.Process) + 1 + len(r.Port) }

// ParsePortRef parses `process.port`; the process is the text before the first dot.
func ParsePortRef(text string) PortRef {
	process, port, _ := strings.Cut(text, ".")
	return PortRef{process, port}
}

// A Config is the configuration of one process. It maps keys, without the name of the process, to
// settings.
type Config map[string]Setting

// A Setting is the value of a key, with its place and properties.
type Setting struct {
	Value    string
	Span     source.Span
	ReadOnly bool // Reconfigure cannot change it
	Tunable  bool // marked as tunable in the file; its type may also declare the key tunable
	// Symbolic has the pieces of the value if a part of it depends on the machine or process that
	// reads it. It is nil if the value is the same everywhere.
	Symbolic []Piece
}

// A Piece is a piece of a value: either a known text, or a symbol that stands for an unknown text.
type Piece struct {
	Symbol string // a symbol such as `SYSENV{hostname}`; empty: Text is the text
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

// A Cluster defines a process type that consists of other processes.
type Cluster struct {
	Processes   []Node
	Connections []Connection
	In          map[string][]PortRef // maps a port of the cluster to ports of inner processes
	Out         map[string]PortRef
	Keys        map[string][]KeyRef // maps a key of the cluster to keys of inner processes
}

// A KeyRef names a key of a process.
type KeyRef struct{ Process, Key string }
