package sprokit

import (
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// resolve reads a document from top to bottom, and each included file at its include.
func (o *options) resolve(env *load.Env, tree *syntax.Tree) *Model {
	r := newResolver(o, env)
	for _, s := range env.Overrides {
		r.overrides = append(r.overrides, override{key: tidy(s.Key), raw: trim(s.Value)})
	}
	r.run(tree)
	if r.m.Cluster != nil {
		r.m.mapKeys()
	}
	r.instances(nil)
	return r.m
}

func (r *resolver) run(tree *syntax.Tree) {
	r.m.tree = tree
	r.m.fragment = r.o.Fragment(tree.File().Path())
	r.m.partial = r.m.fragment
	n := 0
	for i := range tree.Stmts {
		if tree.Stmts[i].Kind == syntax.EntryStmt {
			n++
		}
	}
	r.m.settings = make([]Setting, 0, n+len(r.overrides))
	r.m.last = make(map[string]int32, n+len(r.overrides))
	r.force()
	r.file(&unit{frame: r.env.Root(tree.File()), tree: tree})
	r.endSection()
	r.endCluster()
	r.applyOverrides()
	r.m.index()
	if r.m.Cluster == nil && r.wantsCluster() {
		r.m.partial = true
		r.m.problems.Report(noCluster, tree.File().Span(0, 0), "a cluster file begins with `cluster NAME`").
			Helped("write `cluster NAME` and a description after `--` first")
	}
}

// file reads the statements of one file.
func (r *resolver) file(u *unit) {
	r.m.units = append(r.m.units, u)
	for i := 0; i < len(u.tree.Stmts); i++ {
		s := &u.tree.Stmts[i]
		if r.upstream() && s.Has(syntax.Split) && i+1 < len(u.tree.Stmts) && u.tree.Stmts[i+1].Kind == syntax.IncludeStmt {
			i++
			r.include(u, &u.tree.Stmts[i], u.tree.Words(s))
			continue
		}
		if s.Kind != syntax.DescStmt && s.Kind != syntax.IncludeStmt {
			if r.undoc != nil {
				r.described()
			}
			r.mute = s.Has(syntax.Incomplete)
		}
		if s.Kind == syntax.StageStmt && !r.stage(u, s) {
			return
		}
		r.statement(u, s)
	}
}

// stage reports whether reading continues after a stage line. Each stage is a pipeline of its own, and only the first one in a file is
// read.
func (r *resolver) stage(u *unit, s *syntax.Stmt) bool {
	if r.staged {
		return false
	}
	r.staged = true
	r.report(stages, u, u.tree.StmtSpan(s), "`%s` is for VIAME's program, which runs each stage as a pipeline of its own", u.tree.StmtSpan(s).Text()).
		Note("only the first stage is checked").Helped("give each stage a file of its own")
	return true
}

func (r *resolver) statement(u *unit, s *syntax.Stmt) {
	switch s.Kind {
	case syntax.EntryStmt:
		r.entry(u, s)
	case syntax.IncludeStmt:
		r.include(u, s, "")
	case syntax.BlockStmt:
		r.block(u, s)
	case syntax.EndblockStmt:
		r.endblock(u, s)
	case syntax.ConfigStmt:
		r.section(u, s)
	case syntax.ProcessStmt:
		r.section(u, s)
		r.process(u, s)
	case syntax.ConnectStmt:
		r.leaveSection()
		if refs := u.tree.Refs(s); len(refs) == 2 {
			r.m.Connections = append(r.m.Connections, Connection{From: port(u, refs[0]), To: port(u, refs[1]), unit: u, stmt: s})
		}
	case syntax.ClusterStmt:
		r.cluster(u, s)
	case syntax.ImapStmt, syntax.OmapStmt:
		r.mapping(u, s)
	case syntax.DescStmt:
		r.describe(u, s)
	case syntax.PlaceholderStmt:
		r.placeholder(u, s)
	}
}

// placeholder handles a line `[-NAME-]`, which a tool replaces before the file is read. The replacement may declare anything, so findings
// that depend on it are suppressed.
func (r *resolver) placeholder(u *unit, s *syntax.Stmt) {
	path := u.frame.File.Path()
	if !r.o.Template(path) && !r.placed {
		r.placed = true
		r.report(placeholder, u, u.tree.StmtSpan(s), "`%s` is not a statement, but a placeholder that a tool replaces", u.tree.StmtSpan(s).Text()).
			Helped("for a file that is a template, write `templates = [\"%s\"]` below `[sprokit]` in pentode.toml", filepath.Base(path))
	}
	r.m.partial = true
}

// process declares a process. If its type is missing from the header, only its name is known.
func (r *resolver) process(u *unit, s *syntax.Stmt) {
	name := u.tree.Of(s.Name)
	if s.Value.Empty() {
		if r.m.headless == nil {
			r.m.headless = map[string]bool{}
		}
		r.m.headless[name] = true
		return
	}
	r.m.Processes = append(r.m.Processes, Process{Name: name, Type: u.tree.Of(s.Value), unit: u, stmt: s})
}

// section begins the section of a `config` or `process` header.
func (r *resolver) section(u *unit, s *syntax.Stmt) {
	r.endSection()
	r.head, r.refused = false, false
	r.root = u.tree.Name(s)
	r.inside, r.lost = true, s.Name.Empty()
	r.prefix = r.root + ":"
}

func (r *resolver) block(u *unit, s *syntax.Stmt) {
	if r.head {
		r.report(blockInHead, u, u.tree.Head(s), "a block is not allowed in the head of a cluster").
			Helped("write the whole key: `%s:KEY = VALUE`", u.tree.Of(s.Name))
	} else if !r.inside {
		r.stray(u, s, "a block")
	}
	r.blocks = append(r.blocks, block{u, s, r.prefix})
	name := u.tree.Of(s.Name)
	if strings.ContainsAny(name, " \t") {
		r.report(blankInBlock, u, u.tree.Span(s.Name), "the name `%s` has blanks in it, and so has every key in this block", name).
			Helped("write the parts with `:` between them and no blanks")
	}
	below, ok := prefixBelow(r.prefix, name)
	if !ok && !r.deep {
		r.deep = true
		r.report(tooLong, u, u.tree.Head(s), "blocks nested this deep make keys longer than %d bytes", maxKey).
			Helped("deeper blocks are read as if they were here")
	}
	r.prefix = below
}

func (r *resolver) endblock(u *unit, s *syntax.Stmt) {
	if len(r.blocks) == 0 {
		if s.Has(syntax.Incomplete) {
			return // already reported
		}
		if n := len(r.open) - 1; n >= 0 {
			r.open[n].At(u.tree.Head(s), "this `endblock` comes too late")
			r.open = r.open[:n]
			return
		}
		r.report(unopenedBlock, u, u.tree.Head(s), "there is no block to end here").
			Helped("remove this `endblock`, or write `block NAME` before it in the same section")
		return
	}
	last := r.blocks[len(r.blocks)-1]
	r.blocks = r.blocks[:len(r.blocks)-1]
	r.prefix = last.prefix
}
