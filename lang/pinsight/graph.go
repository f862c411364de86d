package pinsight

import (
	"slices"

	"github.com/pentode-dev/pentode/core/graph"
	"github.com/pentode-dev/pentode/run/trace"
)

// graph draws the sections, with edges to the sections whose defaults they use and to
// those from which they inherit.
func (m *Model) graph() *graph.Graph {
	g := &graph.Graph{Direction: graph.Down, Lines: map[graph.Style]string{graph.Solid: "falls back on the section above", graph.Dashed: "inherits"}}
	node := func(s *Section, kind string) {
		n := &graph.Node{ID: s.Name, Kind: kind, At: s.At, Settings: s.Name + "."}
		if len(s.Units) > 0 {
			n.Detail = append(n.Detail, "on "+s.Units.String())
		}
		for have := range s.live {
			n.Detail = append(n.Detail, have.Key+" = "+have.Value)
			if len(n.Detail) == 6 {
				n.Detail = append(n.Detail, "…")
				break
			}
		}
		if !s.Removed.IsZero() {
			n.Detail = []string{"removed"}
		}
		g.Nodes = append(g.Nodes, n)
		for _, snap := range s.inherit {
			g.Edges = append(g.Edges, &graph.Edge{From: m.Domains[snap.domain].Name, To: s.Name, Label: "inherits", Style: graph.Dashed})
		}
	}
	used := m.usedDomains()
	for _, s := range m.Domains {
		if used[s.Domain] {
			node(s, "domain")
		}
	}
	for _, s := range m.Units {
		node(s, "units")
		inherits := func(snap *snapshot) bool { return snap.domain == s.Domain }
		if !slices.ContainsFunc(s.inherit, inherits) {
			g.Edges = append(g.Edges, &graph.Edge{From: m.Domains[s.Domain].Name, To: s.Name})
		}
	}
	node(m.Default, "regions")
	for _, s := range m.PerDomain {
		if !s.At.IsZero() {
			node(s, "regions")
			g.Edges = append(g.Edges, &graph.Edge{From: m.Default.Name, To: s.Name})
		}
	}
	for _, s := range m.Regions {
		node(s, "region")
		g.Edges = append(g.Edges, &graph.Edge{From: m.Default.Name, To: s.Name})
	}
	return g
}

// usedDomains returns the domains that the file mentions.
func (m *Model) usedDomains() map[trace.DomainID]bool {
	used := map[trace.DomainID]bool{}
	for kind, s := range m.sections {
		if kind == domainDefault && !s.At.IsZero() || kind == domainUnits {
			used[s.Domain] = true
		}
		for _, snap := range s.inherit {
			used[snap.domain] = true
		}
	}
	return used
}
