package web

import "github.com/pentode-dev/pentode/run/flow"

// point is one second of the curves of a pipeline.
type point struct {
	Rate float64 `json:"rate"` // data a second over all edges
	Busy float64 `json:"busy"` // share of the time of the busiest process
	Fill float64 `json:"fill"` // share of its capacity that the fullest edge holds
}

// pointOf is what happened between two looks at a pipeline; before is the zero Stats
// at its beginning.
func pointOf(before, now *flow.Stats) point {
	took := float64(max(now.Wall-before.Wall, 1))
	var p point
	for i := range now.Edges {
		e := &now.Edges[i]
		taken := e.Taken
		if i < len(before.Edges) {
			taken -= min(taken, before.Edges[i].Taken)
		}
		p.Rate += float64(taken) * 1e9 / took
		if e.Capacity > 0 {
			p.Fill = max(p.Fill, float64(e.Left)/float64(e.Capacity))
		}
	}
	for i := range now.Processes {
		busy := now.Processes[i].Busy
		if i < len(before.Processes) {
			busy -= min(busy, before.Processes[i].Busy)
		}
		p.Busy = max(p.Busy, float64(busy)/took)
	}
	return p
}
