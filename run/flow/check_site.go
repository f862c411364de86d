package flow

import (
	"strings"
	"unicode"
)

// sites checks where processes run, and in how many copies.
func (c *checker) sites() {
	for i := range c.plan.Nodes {
		n := &c.plan.Nodes[i]
		if strings.ContainsFunc(n.Site(), notInSite) {
			p := c.atKey(&n.Node, SiteKey, BadValue, "`%s` is not the name of a site", n.Site())
			p.Expected = "write letters, digits, - and _"
		}
		if n.Type != nil && n.Replicas() > 1 {
			c.replicas(n)
		}
	}
	for i := range c.plan.Edges {
		e := &c.plan.Edges[i]
		if e.FromPort < 0 || !c.plan.Crosses(e) {
			continue
		}
		if from := &c.plan.Nodes[e.FromNode]; from.Out[e.FromPort].Here {
			l := e.link()
			p := c.atLink(&l, true, CannotTravel, "data of type `%s` cannot travel from site `%s` to site `%s`", e.Type, from.Site(), c.plan.Nodes[e.ToNode].Site())
			p.Expected = "put `" + e.From.Process + "` and `" + e.To.Process + "` on one site"
		}
	}
}

func notInSite(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
}

// replicas checks a process that shall run in several copies.
func (c *checker) replicas(n *PlanNode) {
	t := n.Type
	if own := t.Runs(); own != nil {
		t = own
	}
	if !t.Stateless {
		p := c.atKey(&n.Node, ReplicasKey, StateInReplicas, "process type `%s` does not declare that it keeps no state, so copies of `%s` may give other results", t.Name, n.Name)
		p.Expected = "take `" + ReplicasKey + "` away"
	}
}
