package target

// Lattice is the order of targets by what they run: code of those of each node runs on those of
// the nodes that its edges lead to. Edges that follow from others are left out.
type Lattice struct {
	Nodes [][]int  // the targets that each run the code of the other, by number
	Edges [][2]int // from node to node
}

// Order compares targets with each other.
func (m Machines) Order(ts []Target) Lattice {
	runs := make([][]bool, len(ts)) // whether code of one runs on the other
	for a := range ts {
		runs[a] = make([]bool, len(ts))
		for b := range ts {
			runs[a][b] = m.Compat(ts[a], ts[b], Run).OK()
		}
	}
	var l Lattice
next:
	for i := range ts {
		for n, node := range l.Nodes {
			if runs[i][node[0]] && runs[node[0]][i] {
				l.Nodes[n] = append(node, i)
				continue next
			}
		}
		l.Nodes = append(l.Nodes, []int{i})
	}
	below := func(a, b int) bool { return a != b && runs[l.Nodes[a][0]][l.Nodes[b][0]] }
	for a := range l.Nodes {
		for b := range l.Nodes {
			direct := below(a, b)
			for c := 0; c < len(l.Nodes) && direct; c++ {
				direct = !(below(a, c) && below(c, b))
			}
			if direct {
				l.Edges = append(l.Edges, [2]int{a, b})
			}
		}
	}
	return l
}
