package graph

// maxDepth bounds the nesting of groups; deeper ones are drawn in the last
// group that still counts, so that an edge crosses few borders.
const maxDepth = 32

// index is a graph with its names replaced by numbers, closed over everything
// that is only mentioned.
type index struct {
	nodes  []*Node
	node   map[string]int
	edges  []arc
	out    lists // arc numbers by their source node
	in     lists // arc numbers by their target node
	groups []*Group
	parent []int // of each group, -1 at the top
	depth  []int // of each group, 0 at the top
	group  []int // of each node, -1 at the top
	nodeIn lists // nodes by group, the top level first
	kids   lists // groups by parent, the top level first
	ports  map[portKey]int
}

// arc is an edge between node numbers.
type arc struct {
	from, to int
	edge     *Edge
}

// lists is a list of small lists in two slices.
type lists struct{ start, all []int }

func (l lists) of(i int) []int { return l.all[l.start[i]:l.start[i+1]] }

// listsBy sorts the numbers below count into n lists, keeping their order.
func listsBy(n, count int, key func(int) int) lists {
	l := lists{make([]int, n+1), make([]int, count)}
	for i := range count {
		l.start[key(i)+1]++
	}
	for i := range n {
		l.start[i+1] += l.start[i]
	}
	next := append([]int(nil), l.start[:n]...)
	for i := range count {
		k := key(i)
		l.all[next[k]] = i
		next[k]++
	}
	return l
}

// arcs numbers the nodes and edges, which is all that orders need.
func (g *Graph) arcs() *index {
	x := &index{node: make(map[string]int, len(g.Nodes))}
	for _, n := range g.Nodes {
		if n == nil {
			continue
		}
		if _, ok := x.node[n.ID]; !ok {
			x.node[n.ID] = len(x.nodes)
			x.nodes = append(x.nodes, n)
		}
	}
	at := func(id string) int {
		i, ok := x.node[id]
		if !ok {
			i = len(x.nodes)
			x.node[id] = i
			x.nodes = append(x.nodes, &Node{ID: id})
		}
		return i
	}
	x.edges = make([]arc, 0, len(g.Edges))
	for _, e := range g.Edges {
		if e != nil {
			x.edges = append(x.edges, arc{at(e.From), at(e.To), e})
		}
	}
	x.out = listsBy(len(x.nodes), len(x.edges), func(i int) int { return x.edges[i].from })
	return x
}

// index numbers everything.
func (g *Graph) index() *index {
	x := g.arcs()
	x.in = listsBy(len(x.nodes), len(x.edges), func(i int) int { return x.edges[i].to })
	at := make(map[string]int, len(g.Groups))
	add := func(group *Group) int {
		i, ok := at[group.ID]
		if !ok {
			i = len(x.groups)
			at[group.ID] = i
			x.groups = append(x.groups, group)
		}
		return i
	}
	for _, group := range g.Groups {
		if group != nil && group.ID != "" {
			add(group)
		}
	}
	for i := 0; i < len(x.groups); i++ { // grows while parents are only mentioned
		p := -1
		if id := x.groups[i].Parent; id != "" {
			p = add(&Group{ID: id})
		}
		x.parent = append(x.parent, p)
	}
	x.group = make([]int, len(x.nodes))
	for i, n := range x.nodes {
		x.group[i] = -1
		if n.Group != "" {
			x.group[i] = add(&Group{ID: n.Group})
		}
	}
	for len(x.parent) < len(x.groups) {
		x.parent = append(x.parent, -1)
	}
	x.nest()
	x.mapPorts()
	x.nodeIn = listsBy(len(x.groups)+1, len(x.nodes), func(i int) int { return x.group[i] + 1 })
	x.kids = listsBy(len(x.groups)+1, len(x.groups), func(i int) int { return x.parent[i] + 1 })
	return x
}

// nest computes depths, cuts groups that contain themselves loose and lifts
// those that lie too deep.
func (x *index) nest() {
	const unknown, open = -1, -2
	x.depth = make([]int, len(x.groups))
	for i := range x.depth {
		x.depth[i] = unknown
	}
	var chain []int
	for i := range x.groups {
		chain = chain[:0]
		j := i
		for j >= 0 && x.depth[j] == unknown {
			x.depth[j] = open
			chain = append(chain, j)
			j = x.parent[j]
		}
		if j >= 0 && x.depth[j] == open {
			x.parent[chain[len(chain)-1]] = -1
		}
		for k := len(chain) - 1; k >= 0; k-- {
			c := chain[k]
			for x.parent[c] >= 0 && x.depth[x.parent[c]] >= maxDepth-1 {
				x.parent[c] = x.parent[x.parent[c]]
			}
			x.depth[c] = 0
			if p := x.parent[c]; p >= 0 {
				x.depth[c] = x.depth[p] + 1
			}
		}
	}
}

// manyPorts is where looking a port up by name starts to need a map.
const manyPorts = 16

type portKey struct {
	node int
	out  bool
	name string
}

// outPort returns the number of the port an edge leaves by, or -1.
func (x *index) outPort(a arc) int {
	return x.port(portKey{a.from, true, a.edge.FromPort}, x.nodes[a.from].Out)
}

// inPort returns the number of the port an edge arrives at, or -1.
func (x *index) inPort(a arc) int {
	return x.port(portKey{a.to, false, a.edge.ToPort}, x.nodes[a.to].In)
}

func (x *index) port(key portKey, ports []Port) int {
	if key.name == "" {
		return -1
	}
	if len(ports) > manyPorts {
		if i, ok := x.ports[key]; ok {
			return i
		}
		return -1
	}
	for i, p := range ports {
		if p.Name == key.name {
			return i
		}
	}
	return -1
}

// mapPorts fills the map for nodes with many ports; the first of two equal
// names counts, as it does for few.
func (x *index) mapPorts() {
	x.ports = make(map[portKey]int)
	for n, node := range x.nodes {
		for _, side := range []struct {
			out   bool
			ports []Port
		}{{false, node.In}, {true, node.Out}} {
			if len(side.ports) <= manyPorts {
				continue
			}
			for i, p := range side.ports {
				key := portKey{n, side.out, p.Name}
				if _, ok := x.ports[key]; !ok {
					x.ports[key] = i
				}
			}
		}
	}
}
