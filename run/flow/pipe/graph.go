package pipe

import (
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// A Graph describes a pipeline: what Check judges and what a Pipeline runs.
type Graph struct {
	Processes   []Node
	Connections []Connection
	Edges       EdgeRules
}

// AddProcess adds a process.
func (g *Graph) AddProcess(name, typ string, config Config) {
	g.Processes = append(g.Processes, Node{Name: name, Type: typ, Config: config})
}

// Connect adds a connection from an output `process.port` to an input. Later
// options win over earlier ones.
func (g *Graph) Connect(from, to string, options ...EdgeOptions) {
	c := Connection{From: ParsePortRef(from), To: ParsePortRef(to)}
	for _, o := range options {
		c.Edge = o.over(c.Edge)
	}
	g.Connections = append(g.Connections, c)
}

// A Node is one process of a graph. Processes inside a cluster are called
// `cluster/process`.
type Node struct {
	Name   string
	Type   string
	Config Config
	Span   source.Span // where it is written; zero in a graph of a Go program
}

// Folder is the folder of the file which declares the process, or empty.
func (n *Node) Folder() string {
	if file := n.Span.File; file != nil && file.Path() != "" && file.Path() != "-" {
		return filepath.Dir(file.Path())
	}
	return ""
}

// A Connection joins an output port to an input port.
type Connection struct {
	From, To PortRef
	Edge     EdgeOptions // wins over Graph.Edges, loses against NonBlockingKey
	Span     source.Span
}

// A PortRef names a port of a process.
type PortRef struct{ Process, Port string }

// String writes `process.port`.
func (r PortRef) String() string { return r.Process + "." + r.Port }

// Length is that of String.
func (r PortRef) Length() int { return len(r.Process) + 1 + len(r.Port) }

// ParsePortRef reads `process.port`; the process is what stands before the
// first dot.
func ParsePortRef(text string) PortRef {
	process, port, _ := strings.Cut(text, ".")
	return PortRef{process, port}
}

// A Config is the configuration of one process: its keys without the name of
// the process in front.
type Config map[string]Setting

// A Setting is one value with what is known about it.
type Setting struct {
	Value    string
	Span     source.Span
	ReadOnly bool // Reconfigure refuses it
	Tunable  bool // marked so where it was written; a type may declare it too
	// Symbolic is what the value is made of where a part of it depends on the machine or
	// the process that reads it; nil: it is the same everywhere.
	Symbolic []Piece
}

// A Piece is a part of a value: a text, or what stands for it before it is known.
type Piece struct {
	Symbol string // such as `SYSENV{hostname}`; empty: the text is known
	Text   string
}

// Set makes a Config of keys and values in turn.
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
	In          map[string][]PortRef // port of the cluster to ports inside
	Out         map[string]PortRef
	Keys        map[string][]KeyRef // key of the cluster to keys inside
}

// A KeyRef names a key of a process.
type KeyRef struct{ Process, Key string }
