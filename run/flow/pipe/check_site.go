package pipe

import (
	"fmt"
	"strings"
	"unicode"
)

// sites checks the sites on which processes run, and their numbers of copies.
func (c *checker) sites() {
	for i := range c.plan.Nodes {
		n := &c.plan.Nodes[i]
		sites := n.Sites()
		for _, site := range sites {
			if strings.ContainsFunc(site, notInSite) {
				p := c.atKey(&n.Node, SiteKey, BadValue, "`%s` is not the name of a site", site)
				p.Expected = "use letters, digits, - and _"
			}
		}
		if len(sites) > n.Replicas() {
			p := c.atKey(&n.Node, SiteKey, BadValue, "process `%s` is on %d sites, but has %s", n.Name, len(sites), copies(n.Replicas()))
			p.Expected = fmt.Sprintf("give it `%s = %d` or more, or a single site", ReplicasKey, len(sites))
		}
		if n.Type != nil && n.Replicas() > 1 {
			c.replicas(n)
		}
	}
}

func copies(n int) string {
	if n == 1 {
		return "no copies"
	}
	return fmt.Sprintf("%d copies", n)
}

func notInSite(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
}

// replicas checks a process that runs in several copies.
func (c *checker) replicas(n *PlanNode) {
	t := n.Type
	if own := t.Runs(); own != nil {
		t = own
	}
	if !t.Stateless {
		p := c.atKey(&n.Node, ReplicasKey, StateInReplicas, "process type `%s` is not declared as stateless, so copies of `%s` may give other results", t.Name, n.Name)
		p.Expected = "remove `" + ReplicasKey + "`"
	}
}
