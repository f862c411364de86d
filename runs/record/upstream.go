package record

import "strings"

// Step is a process on the path of data.
type Step struct {
	Process string
	Edges   int // the number of edges between it and the end of the path
}

// Upstream returns the processes from which data reach a process, the nearest first; the first is the process itself.
func Upstream(edges []Edge, process string) []Step {
	from := map[string][]string{}
	for _, e := range edges {
		to := ProcessOf(e.To)
		from[to] = append(from[to], ProcessOf(e.From))
	}
	seen := map[string]bool{process: true}
	way := []Step{{Process: process}}
	for i := 0; i < len(way); i++ {
		for _, p := range from[way[i].Process] {
			if !seen[p] {
				seen[p] = true
				way = append(way, Step{p, way[i].Edges + 1})
			}
		}
	}
	return way
}

// ProcessOf returns the process of a port such as `heat.pipe/solver.field`.
func ProcessOf(port string) string {
	if i := strings.LastIndexByte(port, '.'); i > strings.LastIndexByte(port, '/') {
		return port[:i]
	}
	return port
}
