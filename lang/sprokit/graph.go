package sprokit

import "github.com/pentode-dev/pentode/core/graph"

func (m *Model) graph() *graph.Graph { return &graph.Graph{} }
