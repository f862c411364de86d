package graph

// maxDepth is how deep groups may nest. The contents of deeper groups are drawn
// in the deepest allowed group, so that an edge crosses few borders.
const maxDepth = 32

// Index is a graph with numbers instead of names. It has every node and group
// that the graph mentions, even if it is not declared.
type Index struct {
	Nodes  []*Node
	Edges  []Arc
	Groups []*Group
	Parent []int // the parent of each group, -1 at the top
	Depth  []int // the depth of each group, 0 at the top
	Group  []int // the group of each node, -1 at the top

	out    lists // edges by their source node
	in     lists // edges by their target node
	nodeIn lists // nodes by group, the top level first
	kids   lists // groups by parent, the top level first
	ports  map[portKey]int
}

// Arc is an edge between node numbers.
type Arc struct {
	From, To int
	Edge     *Edge
}

// lists is a list of small lists, stored in two slices.
type lists struct{ start, all []int }

func (l lists) of(i int) []int { return l.all[l.start[i]:l.start[i+1]] }

// listsBy sorts the numbers below count into n lists and keeps their order.
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

// Index numbers the nodes, edges and groups.
func (g *Graph) Index() *Index {
	x := &Index{}
	x.numberNodes(g)
	x.numberGroups(g)
	x.nest()
	x.mapPorts()
	x.out = listsBy(len(x.Nodes), len(x.Edges), func(i int) int { return x.Edges[i].From })
	x.in = listsBy(len(x.Nodes), len(x.Edges), func(i int) int { return x.Edges[i].To })
	x.nodeIn = listsBy(len(x.Groups)+1, len(x.Nodes), func(i int) int { return x.Group[i] + 1 })
	x.kids = listsBy(len(x.Groups)+1, len(x.Groups), func(i int) int { return x.Parent[i] + 1 })
	return x
}

// GroupsIn returns the groups directly inside a group; -1 is the top.
func (x *Index) GroupsIn(group int) []int { return x.kids.of(group + 1) }

// numberNodes numbers the nodes, and the edges between them.
func (x *Index) numberNodes(g *Graph) {
	node := make(map[string]int, len(g.Nodes))
	for _, n := range g.Nodes {
		if n == nil {
			continue
		}
		if _, ok := node[n.ID]; !ok {
			node[n.ID] = len(x.Nodes)
			x.Nodes = append(x.Nodes, n)
		}
	}
	at := func(id string) int {
		i, ok := node[id]
		if !ok {
			i = len(x.Nodes)
			node[id] = i
			x.Nodes = append(x.Nodes, &Node{ID: id, Wrong: true})
		}
		return i
	}
	x.Edges = make([]Arc, 0, len(g.Edges))
	for _, e := range g.Edges {
		if e != nil {
			x.Edges = append(x.Edges, Arc{at(e.From), at(e.To), e})
		}
	}
}

// numberGroups numbers the groups and finds the enclosing group of each node
// and group.
func (x *Index) numberGroups(g *Graph) {
	at := make(map[string]int, len(g.Groups))
	add := func(group *Group) int {
		i, ok := at[group.ID]
		if !ok {
			i = len(x.Groups)
			at[group.ID] = i
			x.Groups = append(x.Groups, group)
		}
		return i
	}
	for _, group := range g.Groups {
		if group != nil && group.ID != "" {
			add(group)
		}
	}
	for i := 0; i < len(x.Groups); i++ { // the list grows when a parent that is not declared is added
		p := -1
		if id := x.Groups[i].Parent; id != "" {
			p = add(&Group{ID: id})
		}
		x.Parent = append(x.Parent, p)
	}
	x.Group = make([]int, len(x.Nodes))
	for i, n := range x.Nodes {
		x.Group[i] = -1
		if n.Group != "" {
			x.Group[i] = add(&Group{ID: n.Group})
		}
	}
	for len(x.Parent) < len(x.Groups) {
		x.Parent = append(x.Parent, -1)
	}
}

// nest computes depths, separates groups that contain themselves, and moves
// groups that are too deep up.
func (x *Index) nest() {
	const unknown, open = -1, -2
	x.Depth = make([]int, len(x.Groups))
	for i := range x.Depth {
		x.Depth[i] = unknown
	}
	var chain []int
	for i := range x.Groups {
		chain = chain[:0]
		j := i
		for j >= 0 && x.Depth[j] == unknown {
			x.Depth[j] = open
			chain = append(chain, j)
			j = x.Parent[j]
		}
		if j >= 0 && x.Depth[j] == open {
			x.Parent[chain[len(chain)-1]] = -1
		}
		for k := len(chain) - 1; k >= 0; k-- {
			c := chain[k]
			for x.Parent[c] >= 0 && x.Depth[x.Parent[c]] >= maxDepth-1 {
				x.Parent[c] = x.Parent[x.Parent[c]]
			}
			x.Depth[c] = 0
			if p := x.Parent[c]; p >= 0 {
				x.Depth[c] = x.Depth[p] + 1
			}
		}
	}
}

// manyPorts is the number of ports from which a map is used to find ports by
// name.
const manyPorts = 16

type portKey struct {
	node int
	out  bool
	name string
}

// OutPort returns the number of the port at which an edge starts, or -1.
func (x *Index) OutPort(a Arc) int {
	return x.port(portKey{a.From, true, a.Edge.FromPort}, x.Nodes[a.From].Out)
}

// InPort returns the number of the port at which an edge ends, or -1.
func (x *Index) InPort(a Arc) int {
	return x.port(portKey{a.To, false, a.Edge.ToPort}, x.Nodes[a.To].In)
}

func (x *Index) port(key portKey, ports []Port) int {
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

// mapPorts fills the map for nodes with many ports. If two ports have the same
// name, the first one is used, as for nodes with few ports.
func (x *Index) mapPorts() {
	x.ports = make(map[portKey]int)
	for n, node := range x.Nodes {
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
