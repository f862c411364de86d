package sprokit

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// resolve reads a document from top to bottom, includes in their place.
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

// tidy leaves empty parts out of a key, as the names of blocks have it.
func tidy(key string) string {
	parts := slices.DeleteFunc(strings.Split(key, ":"), func(part string) bool { return part == "" })
	return strings.Join(parts, ":")
}

// resolver carries the state that runs through all files of a document.
type resolver struct {
	o      *options
	m      *Model
	env    *load.Env
	loader *load.Loader
	trees  map[*source.File]*syntax.Tree
	seen   map[finding]bool // findings in included files: one is enough

	overrides    []override
	forced       map[string]int // overrides by key, where they hold from the start
	names        map[string]int32
	keys         arena
	expanded     int  // bytes that macros made
	spent        bool // macros made so much text that no more are replaced
	advised      int  // macros without a value that advice was given for
	limited      bool // a limit of includes was reported
	misspellings int  // missing files for which a name was looked for
	placed       bool // a placeholder was reported
	staged       bool // a stage has begun
	deep         bool // blocks that make keys too long were reported
	long         bool // blocks that make all keys together too long were reported
	prefixes     prefixes

	root    string // of the current section
	inside  bool   // there is a section
	lost    bool   // the header of the section could not be read
	strayed bool   // an entry outside any section was reported
	prefix  string // root and blocks, with a colon at the end
	blocks  []block
	open    diag.List // the findings about blocks that were not closed

	head    bool         // between `cluster` and the first section
	refused bool         // the same behind a `cluster` that cannot stand there
	undoc   *describable // waits for its description
	docs    []string
	mute    bool                // what stands above was reported, so its description is not
	ports   map[clusterPort]int // by their place in the list of their side

	set *clusterSet
}

// override is a value from the command line, or what the user of a cluster gives.
type override struct {
	key, raw, value string
	from            *Setting
	flags           settingFlags
	first, count    int32 // its reads, where it was expanded at the start
	read            bool  // by a macro
}

// block is an open `block`.
type block struct {
	unit   *unit
	stmt   *syntax.Stmt
	prefix string // before it
}

type finding struct {
	file  *source.File
	start int
	code  *diag.Code
}

func newResolver(o *options, env *load.Env) *resolver {
	return &resolver{
		o: o, env: env, loader: load.NewLoader(env),
		trees: map[*source.File]*syntax.Tree{}, seen: map[finding]bool{}, names: map[string]int32{},
		m: &Model{env: env, dialect: env.Dialect, Registry: o.registry, template: o.Template, resolved: &resolved{}},
	}
}

// upstream reports whether the original program's reading is asked for.
func (r *resolver) upstream() bool { return r.env.Dialect == load.Upstream }

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

// wantsCluster reports whether the document is called a cluster.
func (r *resolver) wantsCluster() bool { return strings.HasSuffix(r.m.tree.File().Path(), ".cluster") }

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

// stage is false where the part of a file ends that is read: the first of its stages, each of which is a pipeline.
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

// placeholder is a line that a tool replaces before the file is read. It may
// declare anything, so what depends on that is not reported.
func (r *resolver) placeholder(u *unit, s *syntax.Stmt) {
	path := u.frame.File.Path()
	if !r.o.Template(path) && !r.placed {
		r.placed = true
		r.report(placeholder, u, u.tree.StmtSpan(s), "`%s` is no statement, but a placeholder that a tool replaces", u.tree.StmtSpan(s).Text()).
			Helped("for a file that is a template, write `templates = [\"%s\"]` below `[sprokit]` in pentode.toml", filepath.Base(path))
	}
	r.m.partial = true
}

// process declares a process. One whose header lacks its type is only known
// by name.
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

func port(u *unit, r syntax.Ref) Port {
	return Port{Process: u.tree.Join(r.Process), Port: u.tree.Join(r.Port)}
}

// section begins what a `config` or `process` header names.
func (r *resolver) section(u *unit, s *syntax.Stmt) {
	r.endSection()
	r.head, r.refused = false, false
	r.root = u.tree.Name(s)
	r.inside, r.lost = true, s.Name.Empty()
	r.prefix = r.root + ":"
}

// leaveSection is for statements that end a section without beginning one.
func (r *resolver) leaveSection() {
	r.endSection()
	r.head, r.refused = false, false
	r.root, r.prefix, r.inside, r.lost = "", "", false, false
}

// endSection complains about blocks that are still open.
func (r *resolver) endSection() {
	for i := len(r.blocks) - 1; i >= 0; i-- {
		b := r.blocks[i]
		d := r.report(unclosedBlock, b.unit, b.unit.tree.Head(b.stmt), "block `%s` is not closed in its section", b.unit.tree.Of(b.stmt.Name)).
			Helped("write `endblock` before the section ends")
		r.open = append(r.open, d)
	}
	r.blocks = r.blocks[:0]
}

func (r *resolver) block(u *unit, s *syntax.Stmt) {
	if r.head {
		r.report(blockInHead, u, u.tree.Head(s), "a block cannot stand in the head of a cluster").
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
		r.report(tooLong, u, u.tree.Head(s), "blocks nested so deep make keys longer than %d bytes", maxKey).
			Helped("what is deeper is read as if it stood here")
	}
	r.prefix = below
}

// prefixBelow is the prefix of the keys in a block, or false where it is too long, and
// stays as it is.
func prefixBelow(prefix, block string) (string, bool) {
	path := tidy(block)
	if len(prefix)+len(path) >= maxKey {
		return prefix, false
	}
	if path == "" {
		return prefix, true
	}
	return prefix + path + ":", true
}

// maxKey bounds what nested blocks can make of a key, and maxPrefixes what they can
// make of all keys of a document. Prefixes that people write cost nothing.
const (
	maxKey      = 4 << 10
	freePrefix  = 256
	maxPrefixes = 64 << 20
)

// prefixes are the bytes of long prefixes that keys have been given.
type prefixes int

// take reports whether a key may have a prefix.
func (p *prefixes) take(prefix string) bool {
	if len(prefix) <= freePrefix {
		return true
	}
	*p = min(*p+prefixes(len(prefix)), maxPrefixes+1)
	return *p <= maxPrefixes
}

func (r *resolver) endblock(u *unit, s *syntax.Stmt) {
	if len(r.blocks) == 0 {
		if s.Has(syntax.Incomplete) {
			return // it was reported
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

// stray is an entry or block outside any section, which only the documented dialect has.
func (r *resolver) stray(u *unit, s *syntax.Stmt, what string) {
	path := u.frame.File.Path()
	if r.strayed || !r.upstream() && !strings.Contains(path, ".pipe") && !strings.HasSuffix(path, ".cluster") {
		return // once is enough, and nothing new where the file is a fragment
	}
	r.strayed = true
	r.differs(upstreamStray, u, u.tree.Head(s), "%s outside any section", what).
		Helped("put it below the `config` or `process` that it belongs to")
}

// differs reports what the original program refuses: an info in the documented
// dialect, an error in its own.
func (r *resolver) differs(code *diag.Code, u *unit, at source.Span, format string, args ...any) *diag.Diagnostic {
	d := r.report(code, u, at, format, args...)
	if r.upstream() {
		d.As(diag.Error)
	}
	return d
}

// report adds a finding; one in an included file notes where it is included.
// The same finding in a file that is included twice is reported once.
func (r *resolver) report(code *diag.Code, u *unit, at source.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, at, format, args...)
	if u == nil || u.frame.Parent == nil {
		r.m.problems.Add(d)
	} else {
		r.once(d.Note("%s is included from %s", u.frame.File.Path(), u.frame.At))
	}
	return d
}

// once adds a finding that may come again with another include of its file.
func (r *resolver) once(d *diag.Diagnostic) {
	key := finding{d.Span.File, d.Span.Start, d.Code}
	if !r.seen[key] {
		r.seen[key] = true
		r.m.problems.Add(d)
	}
}
