package svg

import "math"

// part is a connected piece of a level, laid out in layers.
type part struct {
	level  *level
	border bool // it has the level's entries and exits
	items  []int
	links  []int
	layers [][]int
	segs   [][]seg // between each layer and the next
}

// lone reports whether a part is one node without links to others.
func (p *part) lone() bool {
	return len(p.items) == 1 && p.level.items[p.items[0]].kind == nodeItem
}

// seg is the piece of a link between two adjacent layers.
type seg struct {
	from, to       int // items
	fromOff, toOff float64
	weight         float64 // how important it is that the segment is straight
}

// arrange places the items, routes the links and returns the part's size.
func (p *part) arrange(simple bool, longest float64) point {
	p.rank()
	p.bend(simple || p.span() > maxBends)
	p.sweep()
	p.place()
	return p.route(longest)
}

// rank assigns a layer to every item so that links run forward, except links
// that close a cycle.
func (p *part) rank() {
	items, links := p.level.items, p.level.links
	local := make(map[int]int, len(p.items))
	for i, it := range p.items {
		local[it] = i
	}
	to := func(i int) int { return local[links[p.links[i]].to.item] }
	out := make([][]int, len(p.items)) // links by their source item
	in := make([][]int, len(p.items))  // links by their target item
	for i, n := range p.links {
		from := local[links[n].from.item]
		out[from] = append(out[from], i)
		in[to(i)] = append(in[to(i)], i)
	}
	order := p.breakCycles(out, in, to)

	layer := make([]int, len(p.items))
	last := 0
	for _, v := range order {
		for _, e := range out[v] {
			if !links[p.links[e]].back {
				layer[to(e)] = max(layer[to(e)], layer[v]+1)
			}
		}
		last = max(last, layer[v])
	}
	for i, it := range p.items {
		if items[it].kind == exitItem {
			layer[i] = last
		}
	}
	// An item with few incoming links moves towards its successors, so that
	// links get shorter.
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		if items[p.items[v]].kind == entryItem || items[p.items[v]].kind == exitItem {
			continue
		}
		nearest, balance := math.MaxInt, 0
		for _, e := range out[v] {
			if !links[p.links[e]].back {
				nearest = min(nearest, layer[to(e)])
				balance++
			}
		}
		for _, e := range in[v] {
			if !links[p.links[e]].back {
				balance--
			}
		}
		if balance > 0 && nearest < math.MaxInt {
			layer[v] = nearest - 1
		}
	}
	used := make([]int, last+1)
	for _, n := range layer {
		used[n] = 1
	}
	count := 0
	for i, u := range used {
		used[i] = count
		count += u
	}
	p.layers = make([][]int, count)
	for _, v := range order {
		n := used[layer[v]]
		items[p.items[v]].layer = n
		p.layers[n] = append(p.layers[n], p.items[v])
	}
}

// breakCycles marks the links that lead back to an item of the current walk. It
// returns the items in an order in which all other links lead forward. The walk
// begins at entries and sources.
func (p *part) breakCycles(out, in [][]int, to func(int) int) []int {
	const walking, done = 1, 2
	links := p.level.links
	state := make([]byte, len(p.items))
	next := make([]int, len(p.items))
	order := make([]int, 0, len(p.items)) // in reverse order until the end
	var path []int
	walk := func(root int) {
		if state[root] != 0 {
			return
		}
		state[root] = walking
		path = append(path[:0], root)
		for len(path) > 0 {
			v := path[len(path)-1]
			all := out[v]
			if next[v] == len(all) {
				state[v] = done
				order = append(order, v)
				path = path[:len(path)-1]
				continue
			}
			e := all[len(all)-1-next[v]] // last first: the list is reversed at the end
			next[v]++
			switch w := to(e); state[w] {
			case walking:
				links[p.links[e]].back = true
			case 0:
				state[w] = walking
				path = append(path, w)
			}
		}
	}
	for i := len(p.items) - 1; i >= 0; i-- {
		if len(in[i]) == 0 {
			walk(i)
		}
	}
	for i := range p.items { // a cycle without a source begins at its first item
		walk(i)
	}
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// maxBends is the largest number of bends in one part. Many links over many
// layers would need as many as their product.
const maxBends = 60_000

// span returns the number of layers that all links pass.
func (p *part) span() int {
	total := 0
	for _, n := range p.links {
		k := &p.level.links[n]
		a, b := p.level.items[k.from.item].layer, p.level.items[k.to.item].layer
		total += max(a-b, b-a)
	}
	return total
}

// bend adds an item for every layer that a long link passes, and cuts the links
// into segments. A link that runs back also passes next to both its ends.
func (p *part) bend(simple bool) {
	p.segs = make([][]seg, len(p.layers))
	for _, n := range p.links {
		k := &p.level.links[n]
		a, b := p.level.items[k.from.item].layer, p.level.items[k.to.item].layer
		switch {
		case k.back && simple:
			p.tie(k, k.from.item, a)
			if k.from.item != k.to.item {
				p.tie(k, k.to.item, b)
			}
		case k.back:
			p.tie(k, k.from.item, a)
			for layer := a - 1; layer > b; layer-- {
				p.bendAt(k, layer)
			}
			if k.from.item != k.to.item {
				p.tie(k, k.to.item, b)
			}
			p.level.items[k.bends[len(k.bends)/2]].size.cross = k.label.cross
			for i := 1; i < len(k.bends); i++ {
				p.segs[a-i] = append(p.segs[a-i], seg{from: k.bends[i], to: k.bends[i-1], weight: 2})
			}
		case b-a == 1 || !simple:
			for layer := a + 1; layer < b; layer++ {
				p.bendAt(k, layer)
			}
			s := seg{from: k.from.item, fromOff: k.from.off, weight: 1}
			for i, bend := range k.bends {
				s.to = bend
				p.segs[a+i] = append(p.segs[a+i], s)
				s = seg{from: bend, weight: 8}
			}
			s.to, s.toOff = k.to.item, k.to.off
			if len(k.bends) > 0 {
				s.weight = 2
			}
			p.segs[b-1] = append(p.segs[b-1], s)
		}
	}
}

func (p *part) bendAt(k *link, layer int) {
	b := p.level.add(item{kind: bendItem, layer: layer})
	p.items = append(p.items, b)
	p.layers[layer] = append(p.layers[layer], b)
	k.bends = append(k.bends, b)
}

// tie puts a bend directly after an item of the layer.
func (p *part) tie(k *link, to, layer int) {
	p.bendAt(k, layer)
	b := k.bends[len(k.bends)-1]
	p.level.items[b].tied = true
	p.level.items[to].tail = append(p.level.items[to].tail, b)
}
