package suite

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// maxRanks limits how many processes of a plan are checked one by one; the last is always checked.
const maxRanks = 64

// everyRank checks pipelines as every process of the plan sees them: a variable such as the rank can make settings wrong in one process that are
// right in the first.
func (c *checker) everyRank() {
	for _, p := range c.Pipelines {
		if len(p.By) < 2 || !c.sound(p.Config) {
			continue
		}
		seen := map[string]bool{c.environment(p, p.By[0]): true}
		reported := map[source.Span]bool{}
		for i, by := range p.By[1:] {
			env := c.environment(p, by)
			if seen[env] || len(seen) > maxRanks && i+2 < len(p.By) {
				continue
			}
			seen[env] = true
			c.rank(p, by, reported)
		}
	}
}

// environment returns the values of the variables that a pipeline reads in a process of the plan.
func (c *checker) environment(p *Pipeline, by *Program) string {
	lookup := c.lookup(by.Node, func(string) (string, bool) { return "", false })
	var b strings.Builder
	for _, v := range p.Model.Variables() {
		value, _ := lookup(v.Name)
		b.WriteString(v.Name + "\x00" + value + "\x00")
	}
	return b.String()
}

// rank reports the errors of a pipeline in one process of the plan.
func (c *checker) rank(p *Pipeline, by *Program, reported map[source.Span]bool) {
	for _, d := range c.seenBy(p, by).Found() {
		if d.Severity != diag.Error || reported[d.Span] {
			continue
		}
		reported[d.Span] = true
		c.report(otherRank, d.Span, "%s `%s` cannot run the pipeline: %s", by.Node.Kind, by.Node.ID, d.Message).
			At(by.field("name"), "in this process").At(p.By[0].field("name"), "there is no error in this one")
	}
}

// seenBy returns a pipeline in the environment of a process of the plan.
func (c *checker) seenBy(p *Pipeline, by *Program) *lang.Config {
	env := c.workspace.EnvOf(p.Config.Document)
	env.Lookup = c.lookup(by.Node, env.Lookup)
	return p.Config.Document.Resolve(env)
}
