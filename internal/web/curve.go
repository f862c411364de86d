package web

import "github.com/pentode-dev/pentode/run/flow/figures"

// point is one second of the curves of a pipeline.
type point struct {
	Rate float64 `json:"rate"` // data a second over all edges
	Busy float64 `json:"busy"` // share of the time of the busiest process
	Fill float64 `json:"fill"` // share of its capacity that the fullest edge holds
}

func pointOf(f *figures.Figures) point { return point{f.Rate, f.Busiest, f.Fullest} }
