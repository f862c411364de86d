package sprokit

import (
	"strings"

	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// cluster begins the head of a cluster. It must be the first statement of the file.
func (r *resolver) cluster(u *unit, s *syntax.Stmt) {
	switch {
	case r.m.Cluster != nil:
		r.report(misplacedCluster, u, u.tree.Head(s), "a file holds one cluster only").
			At(r.m.Cluster.unit.tree.Head(r.m.Cluster.stmt), "the first one begins here")
		r.refuse()
		return
	case len(r.m.settings)+len(r.m.Processes)+len(r.m.Connections) > 0 || r.inside || len(r.blocks) > 0:
		r.report(misplacedCluster, u, u.tree.Head(s), "`cluster` must be the first statement of its file")
		r.refuse()
		return
	}
	r.m.Cluster = &Cluster{Name: u.tree.Of(s.Name), unit: u, stmt: s}
	r.head, r.ports = true, map[clusterPort]int{}
	r.lost = s.Name.Empty()
	r.root, r.prefix = r.m.Cluster.Name, r.m.Cluster.Name+":"
	r.undoc = &describable{unit: u, stmt: s, what: "cluster `" + r.m.Cluster.Name + "`"}
}

// refuse skips the head of a misplaced cluster, so that its declarations are not reported too.
func (r *resolver) refuse() {
	r.leaveSection()
	r.lost, r.refused, r.m.partial = true, true, true
}

// mapping reads an imap or omap.
func (r *resolver) mapping(u *unit, s *syntax.Stmt) {
	if r.refused {
		return
	}
	word := u.tree.Head(s).Text()
	if !r.head {
		r.mute = true
		if r.m.Cluster == nil && r.wantsCluster() {
			return // reported once for the whole file
		}
		r.report(misplacedMapping, u, u.tree.Head(s), "`%s` belongs in the head of a cluster, before its processes", word)
		return
	}
	if s.Has(syntax.Incomplete) {
		return
	}
	m := Mapping{Port: u.tree.Name(s), unit: u, stmt: s}
	for _, ref := range u.tree.Refs(s) {
		m.Inner = append(m.Inner, port(u, ref))
	}
	list, side := &r.m.Cluster.In, "input"
	if s.Kind == syntax.OmapStmt {
		list, side = &r.m.Cluster.Out, "output"
	}
	p := clusterPort{side, m.Port}
	if first, twice := r.ports[p]; twice {
		r.report(duplicatePort, u, u.tree.Span(s.Name), "the %s port `%s` of the cluster is declared twice", side, m.Port).
			At((*list)[first].unit.tree.Span((*list)[first].stmt.Name), "first here")
	} else {
		r.ports[p] = len(*list)
	}
	*list = append(*list, m)
	r.undoc = &describable{unit: u, stmt: s, what: side + " port `" + m.Port + "`", index: len(*list) - 1}
}

// describe adds one line to a description.
func (r *resolver) describe(u *unit, s *syntax.Stmt) {
	if r.undoc == nil && (r.mute || r.refused) {
		return
	}
	if r.undoc == nil {
		r.report(strayDescription, u, u.tree.Head(s), "a description follows the cluster, a key or a port that it describes").
			Helped("a comment begins with `#`")
		return
	}
	text := u.tree.Of(s.Value)
	if s.Has(syntax.Glued) {
		r.report(upstreamFirstLetter, u, u.tree.Span(s.Value), "the original program drops the first character after `--`").
			Helped("put a blank after `--`")
		if r.upstream() {
			text = trim(text[1:])
		}
	}
	if s.Value.Empty() && r.upstream() {
		text = "\n"
	}
	r.docs = append(r.docs, text)
}

// described ends the description and gives it to the part that it describes.
func (r *resolver) described() {
	d := r.undoc
	r.undoc = nil
	if len(r.docs) == 0 {
		at := d.unit.tree.StmtSpan(d.stmt)
		if d.stmt.Kind == syntax.ClusterStmt || d.stmt.Kind == syntax.EntryStmt {
			at = d.unit.tree.Span(d.stmt.Name)
		}
		r.report(missingDescription, d.unit, at, "%s has no description", d.what).
			Helped("write `-- TEXT` on the line below")
		return
	}
	text := joinDoc(r.docs)
	if r.upstream() {
		text = strings.Join(r.docs, " ") + " "
	}
	r.docs = r.docs[:0]
	c := r.m.Cluster
	switch d.stmt.Kind {
	case syntax.ClusterStmt:
		c.Doc = text
	case syntax.EntryStmt:
		c.Keys[d.index].Doc = text
	case syntax.ImapStmt:
		c.In[d.index].Doc = text
	case syntax.OmapStmt:
		c.Out[d.index].Doc = text
	}
}

// joinDoc joins lines to paragraphs; an empty line separates two paragraphs.
func joinDoc(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		switch {
		case line == "" && b.Len() > 0:
			b.WriteString("\n\n")
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "\n"):
			b.WriteByte(' ')
			fallthrough
		default:
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}

// endCluster ends the description of the last part. It reports a cluster without processes or ports, which the original program
// refuses too.
func (r *resolver) endCluster() {
	if r.undoc != nil {
		r.described()
	}
	c := r.m.Cluster
	if c == nil || len(r.m.tree.Problems()) > 0 {
		return
	}
	at := c.unit.tree.Span(c.stmt.Name)
	if len(r.m.Processes) == 0 {
		r.m.problems.Report(emptyCluster, at, "cluster `%s` has no processes", c.Name).Helped("add `process NAME :: TYPE` below its head")
	}
	if len(c.In)+len(c.Out) == 0 {
		r.m.problems.Report(emptyCluster, at, "cluster `%s` has no ports, so nothing can be connected to it", c.Name).Helped("add `imap` or `omap` to its head")
	}
}
