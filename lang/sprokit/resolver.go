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

// resolver holds the state that carries over between all files of a document.
type resolver struct {
	o      *options
	m      *Model
	env    *load.Env
	loader *load.Loader
	trees  map[*source.File]*syntax.Tree
	seen   map[finding]bool // findings in included files that were reported, so that each is reported once

	overrides    []override
	forced       map[string]int // indexes of the overrides by key, if they are in effect from the first line
	names        map[string]int32
	keys         arena
	expanded     int  // bytes produced by macros
	spent        bool // macros produced so much text that no more are replaced
	advised      int  // number of undefined macros for which advice was searched
	limited      bool // it was reported that there are too many includes
	misspellings int  // missing files for which similar names were searched
	placed       bool // a placeholder line was found and reported
	staged       bool // a stage line was read
	deep         bool // it was reported that blocks make a key too long
	long         bool // it was reported that blocks make all keys together too long
	prefixes     prefixes

	root    string // the name of the current section
	inside  bool   // inside a section
	lost    bool   // the header of the section could not be read
	strayed bool   // an entry outside of any section was reported
	prefix  string // the names of the section and the open blocks, with a colon at the end
	blocks  []block
	open    diag.List // the findings about blocks that were not closed

	head    bool         // reading the head of a cluster, between `cluster` and the first section
	refused bool         // the same, but the `cluster` line is misplaced
	undoc   *describable // the part that still needs a description
	docs    []string
	mute    bool                // the part before was reported, so a description below it is not reported as misplaced
	ports   map[clusterPort]int // ports by side and name: their index in Cluster.In or Cluster.Out

	set *clusterSet
}

// override is a setting from the command line or from the pipeline that uses a cluster.
type override struct {
	key, raw, value string
	from            *Setting
	flags           settingFlags
	first, count    int32 // the macros in it, if it was expanded at the start
	read            bool  // a macro has read it
}

// block is a `block` that has not ended yet.
type block struct {
	unit   *unit
	stmt   *syntax.Stmt
	prefix string // the prefix of keys outside the block
}

type finding struct {
	file  *source.File
	start int
	code  *diag.Code
}

// clusterPort is a port that the head of a cluster has declared.
type clusterPort struct{ side, name string }

// describable is a part of a cluster's head that needs a description.
type describable struct {
	unit  *unit
	stmt  *syntax.Stmt
	what  string
	index int
}

func newResolver(o *options, env *load.Env) *resolver {
	return &resolver{
		o: o, env: env, loader: load.NewLoader(env),
		trees: map[*source.File]*syntax.Tree{}, seen: map[finding]bool{}, names: map[string]int32{},
		m: &Model{env: env, dialect: env.Dialect, Registry: o.registry, template: o.Template, resolved: &resolved{}},
	}
}

// upstream reports whether the document is read in the dialect upstream.
func (r *resolver) upstream() bool { return r.env.Dialect == load.Upstream }

// wantsCluster reports whether the document has the file name of a cluster.
func (r *resolver) wantsCluster() bool { return strings.HasSuffix(r.m.tree.File().Path(), ".cluster") }

// leaveSection ends the current section at a statement that does not begin a new one.
func (r *resolver) leaveSection() {
	r.endSection()
	r.head, r.refused = false, false
	r.root, r.prefix, r.inside, r.lost = "", "", false, false
}

// stray reports an entry or block outside of any section, which only the documented dialect allows.
func (r *resolver) stray(u *unit, s *syntax.Stmt, what string) {
	path := u.frame.File.Path()
	if r.strayed || !r.upstream() && !strings.Contains(path, ".pipe") && !strings.HasSuffix(path, ".cluster") {
		return // reported once per document, and never in a fragment
	}
	r.strayed = true
	r.differs(upstreamStray, u, u.tree.Head(s), "%s outside any section", what).
		Helped("put it below the `config` or `process` that it belongs to")
}

// differs reports a form that the original program refuses. That is an info in the documented dialect and an error in upstream.
func (r *resolver) differs(code *diag.Code, u *unit, at source.Span, format string, args ...any) *diag.Diagnostic {
	d := r.report(code, u, at, format, args...)
	if r.upstream() {
		d.As(diag.Error)
	}
	return d
}

// report adds a finding. If it is in an included file, a note says where the file is included. The finding is reported once even if the file is
// included twice.
func (r *resolver) report(code *diag.Code, u *unit, at source.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, at, format, args...)
	if u == nil || u.frame.Parent == nil {
		r.m.problems.Add(d)
	} else {
		r.once(d.Note("%s is included from %s", u.frame.File.Path(), u.frame.At))
	}
	return d
}

// once adds a finding, unless an earlier include of the same file added it already.
func (r *resolver) once(d *diag.Diagnostic) {
	key := finding{d.Span.File, d.Span.Start, d.Code}
	if !r.seen[key] {
		r.seen[key] = true
		r.m.problems.Add(d)
	}
}

// real returns the absolute path of a file without symbolic links.
func (r *resolver) real(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.env.Dir, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// prefixBelow returns the prefix of the keys in a block, or false and the old prefix if the new one is too long.
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

// maxKey is the longest key that nested blocks can make. maxPrefixes is the largest total length of long prefixes. Prefixes of ordinary length are
// not counted.
const (
	maxKey      = 4 << 10
	freePrefix  = 256
	maxPrefixes = 64 << 20
)

// prefixes counts the total length of the long prefixes that were put before keys.
type prefixes int

// take counts a prefix and reports whether the total is still within the limit.
func (p *prefixes) take(prefix string) bool {
	if len(prefix) <= freePrefix {
		return true
	}
	*p = min(*p+prefixes(len(prefix)), maxPrefixes+1)
	return *p <= maxPrefixes
}

// arena concatenates short texts, with one allocation for many of them. A chunk of memory is not moved while texts point into it.
type arena struct {
	chunk strings.Builder
	size  int
}

func (a *arena) join(x, y string) string {
	n := len(x) + len(y)
	if a.chunk.Cap()-a.chunk.Len() < n {
		a.size = min(max(2*a.size, 1<<10), 64<<10)
		a.chunk = strings.Builder{}
		a.chunk.Grow(max(n, a.size))
	}
	start := a.chunk.Len()
	a.chunk.WriteString(x)
	a.chunk.WriteString(y)
	return a.chunk.String()[start:]
}

// endSection reports blocks that are still open.
func (r *resolver) endSection() {
	for i := len(r.blocks) - 1; i >= 0; i-- {
		b := r.blocks[i]
		d := r.report(unclosedBlock, b.unit, b.unit.tree.Head(b.stmt), "block `%s` is not closed in its section", b.unit.tree.Of(b.stmt.Name)).
			Helped("write `endblock` before the section ends")
		r.open = append(r.open, d)
	}
	r.blocks = r.blocks[:0]
}

// tidy removes empty parts from a key, such as those that names of blocks leave.
func tidy(key string) string {
	parts := slices.DeleteFunc(strings.Split(key, ":"), func(part string) bool { return part == "" })
	return strings.Join(parts, ":")
}
