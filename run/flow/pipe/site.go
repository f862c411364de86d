package pipe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Sites returns the sites on which the process runs. There are several only if its replicas are
// distributed.
func (n *Node) Sites() []string {
	list := strings.FieldsFunc(n.Config[SiteKey].Value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if len(list) == 0 {
		return []string{MainSite}
	}
	return list
}

// Site returns the site on which the process runs, the first one if there are several.
func (n *Node) Site() string { return n.Sites()[0] }

// Sites returns the sites of all processes, in the order in which the plan first uses them.
func (p *Plan) Sites() []string {
	var list []string
	for i := range p.Nodes {
		for _, site := range p.Nodes[i].Sites() {
			if !slices.Contains(list, site) {
				list = append(list, site)
			}
		}
	}
	return list
}

// Crosses reports whether an edge leads from one site to another.
func (p *Plan) Crosses(e *PlanEdge) bool {
	return p.Nodes[e.FromNode].Site() != p.Nodes[e.ToNode].Site()
}

// Hash returns a text that is equal for two plans if they have the same processes with the same
// configurations, connected by the same edges.
func (p *Plan) Hash() string {
	h := sha256.New()
	for i := range p.Nodes {
		n := &p.Nodes[i]
		fmt.Fprintf(h, "process %q %q\n", n.Name, n.Node.Type)
		folder := ""
		if file := n.Span.File; file != nil {
			folder = filepath.Dir(file.Path()) + string(filepath.Separator)
		}
		for _, key := range slices.Sorted(maps.Keys(n.Config)) {
			// leave out the folder, because the file may be in another one on another machine
			fmt.Fprintf(h, "%q %q\n", key, strings.TrimPrefix(n.Config[key].Value, folder))
		}
	}
	for i := range p.Edges {
		e := &p.Edges[i]
		fmt.Fprintf(h, "edge %q %q %q %d %t %t\n", e.From, e.To, e.Type, e.Capacity, e.Blocking, e.Compress)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A Part is the part of a pipeline that one site runs.
//
//	site a                          site b
//	process ─edge─▶ Send  ┄┄┄┄┄┄▶  Receive ─edge─▶ process
//
// An edge between two sites becomes two edges. The first leads from the producer to a process that
// Send makes, the second from a process that Receive makes to the consumer. Both edges keep the
// capacity and the names of the original. Send and Receive are called with the index of the
// original edge in the whole plan. A sender takes everything from its input `data`, including
// flushes and the end, and a receiver forwards it to its output `data`.
type Part struct {
	Site    string
	Send    func(edge int) Process
	Receive func(edge int) Process
}

// receiveCapacity limits the number of data that wait on the consumer's site if the edge is
// unlimited. Further data wait on the producer's site.
const receiveCapacity = 4096

// Cut returns the part of the plan that this site runs.
func (part *Part) Cut(whole *Plan) *Plan {
	own := &Plan{clusters: whole.clusters, Parts: whole.Parts, whole: whole}
	at := make([]int, len(whole.Nodes)) // maps the index of a node in whole to its index in the result
	for i := range whole.Nodes {
		at[i] = -1
		if whole.Nodes[i].Site() == part.Site {
			n := whole.Nodes[i]
			n.In, n.Out = unconnected(n.In), unconnected(n.Out)
			at[i] = len(own.Nodes)
			own.Nodes, own.from = append(own.Nodes, n), append(own.from, i)
		}
	}
	var sends []int
	for i := range whole.Edges {
		e := whole.Edges[i]
		from, to := at[e.FromNode], at[e.ToNode]
		if from < 0 && to < 0 {
			continue
		}
		e.FromNode, e.ToNode = from, to
		switch {
		case from < 0:
			e.FromNode, e.FromPort, e.Blocking = len(own.Nodes), 0, true
			if e.Capacity == 0 {
				e.Capacity = receiveCapacity
			}
			own.Order = append(own.Order, e.FromNode)
			own.Nodes = append(own.Nodes, linkNode(&e, true, func() Process { return part.Receive(i) }))
			own.from = append(own.from, whole.Edges[i].FromNode)
		case to < 0:
			e.ToNode, e.ToPort = len(own.Nodes), 0
			sends = append(sends, e.ToNode)
			own.Nodes = append(own.Nodes, linkNode(&e, false, func() Process { return part.Send(i) }))
			own.from = append(own.from, whole.Edges[i].FromNode)
		}
		n := len(own.Edges)
		own.Edges = append(own.Edges, e)
		out, in := &own.Nodes[e.FromNode].Out[e.FromPort], &own.Nodes[e.ToNode].In[e.ToPort]
		out.Edges, in.Edges = append(out.Edges, n), append(in.Edges, n)
	}
	for _, i := range whole.Order {
		if at[i] >= 0 {
			own.Order = append(own.Order, at[i])
		}
	}
	own.Order = append(own.Order, sends...)
	return own
}

func unconnected(ports []PlanPort) []PlanPort {
	ports = slices.Clone(ports)
	for i := range ports {
		ports[i].Edges = nil
	}
	return ports
}

// linkNode returns the process at one end of an edge between sites.
func linkNode(e *PlanEdge, receives bool, make func() Process) PlanNode {
	port := Port{Name: "data", Type: e.Type, Flags: Required}
	n := PlanNode{Node: Node{Name: e.String(), Type: "edge between sites", Span: e.Span}, Link: true}
	n.Type = &Type{Name: n.Node.Type, Level: CheckSync, New: make}
	ports := []PlanPort{planPort(&port, "", port.Name)}
	if receives {
		n.Type.Out, n.Out = []Port{port}, ports
	} else {
		n.Type.In, n.In = []Port{port}, ports
	}
	return n
}
