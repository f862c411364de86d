package sprokit

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Model is the meaning of a pipeline or a cluster: its processes and connections in file order, and every setting with all its assignments.
type Model struct {
	lang.Findings

	Processes   []Process
	Connections []Connection
	Cluster     *Cluster       // nil if the document is a pipeline
	Registry    *pipe.Registry // the process types, with the clusters that are used

	tree     *syntax.Tree
	env      *load.Env
	dialect  load.Dialect
	problems diag.List

	settings []Setting        // every assignment, in order
	last     map[string]int32 // the assignment in effect, by key
	reads    []read
	units    []*unit
	byRoot   map[string][]int32 // settings in effect, by the first part of their key

	clusters  *clusterSet     // the cluster files and the folders searched
	byName    map[string]int  // processes
	headless  map[string]bool // processes whose header could not be read
	unbounded bool            // not all clusters could be expanded
	partial   bool            // a file, or the head of a cluster, could not be read
	fragment  bool            // the document is meant only for inclusion
	displaced []*source.File  // included files that are only found elsewhere in the project; they are not read
	template  func(path string) bool
	symbols   *symbols // set while a fingerprint is computed
	resolved  *resolved
}

// unit is one reading of a file: the document, or one include of a file.
type unit struct {
	frame  *load.Frame
	tree   *syntax.Tree
	joined bool // the include interrupted a statement, whose beginning was put before the text of this file
}

// folder returns the absolute path of the folder that contains the unit's file.
func (u *unit) folder(env *load.Env) string {
	path := u.frame.File.Path()
	if !filepath.IsAbs(path) {
		path = filepath.Join(env.Dir, path)
	}
	if env.Dialect == load.Upstream {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	return filepath.Dir(path)
}

// files returns the files of the document and of the clusters that it uses. It also returns an included file that was found elsewhere in the
// project, because that is a piece of a pipeline too.
func (m *Model) files() []*source.File {
	list := slices.Clone(m.displaced)
	for _, u := range m.units {
		list = append(list, u.tree.File())
	}
	for i := range m.Processes {
		if inside := m.Processes[i].Inside; inside != nil {
			list = append(list, inside.files()...)
		}
	}
	return list
}

// Process is a declared process.
type Process struct {
	Name, Type string
	Inside     *Model // for a cluster: its content, resolved for this instance

	unit *unit
	stmt *syntax.Stmt
}

// Span returns the place of the process's name.
func (p *Process) Span() source.Span { return p.unit.tree.Span(p.stmt.Name) }

// Port is a port of a process.
type Port struct{ Process, Port string }

// Connection joins an output to an input.
type Connection struct {
	From, To Port

	unit *unit
	stmt *syntax.Stmt
}

// head returns the place of the connection's first word.
func (c *Connection) head() source.Span { return c.unit.tree.Head(c.stmt) }

// FromSpan returns the place of the connection's output.
func (c *Connection) FromSpan() source.Span {
	return c.unit.tree.Span(c.unit.tree.Refs(c.stmt)[0].Text())
}

// ToSpan returns the place of the connection's input.
func (c *Connection) ToSpan() source.Span {
	refs := c.unit.tree.Refs(c.stmt)
	return c.unit.tree.Span(refs[len(refs)-1].Text())
}

// Cluster is the head of a cluster file: its name, its keys and its ports.
type Cluster struct {
	Name, Doc string
	Keys      []ClusterKey
	In        []Mapping
	Out       []Mapping

	unit *unit
	stmt *syntax.Stmt
}

// ClusterKey is a key that users of a cluster can set.
type ClusterKey struct {
	Name, Doc string
	Tunable   bool
	setting   int32
}

// Mapping is a port of a cluster, with the ports inside to which it leads.
type Mapping struct {
	Port, Doc string
	Inner     []Port

	unit *unit
	stmt *syntax.Stmt
}

// Setting is one assignment.
type Setting struct {
	Key   string
	Value string
	Raw   string // as written

	unit  *unit        // nil for an override
	stmt  *syntax.Stmt // nil for an override
	from  *Setting     // for an override by a pipeline that uses the cluster: the setting there
	root  int32        // length of the section's name in Key
	prev  int32        // index of the assignment that it replaced, or -1
	first int32        // index of its first macro in reads
	count int32        // number of its macros in reads
	path  int32        // length of the folder that relativepath put before the value
	flags settingFlags
}

type settingFlags uint16

const (
	readOnly settingFlags = 1 << iota
	tunable
	localName  // it was assigned with `:=`
	refused    // the key was read-only, so the assignment had no effect
	wasRead    // a macro has read it
	overridden // by -s, or by the user of a cluster
	mapped     // the value comes from a key of the cluster
	replaced   // another assignment came later
	lacking    // a macro without a value is in it, or in a setting that it reads
)

func (s *Setting) is(f settingFlags) bool { return s.flags&f != 0 }

// Span returns the place of the whole entry; zero for an override.
func (s *Setting) Span() source.Span {
	if s.unit == nil {
		if s.from != nil {
			return s.from.Span()
		}
		return source.Span{}
	}
	return s.unit.tree.StmtSpan(s.stmt)
}

// keySpan returns the place of the setting's key.
func (s *Setting) keySpan() source.Span {
	if s.unit == nil {
		if s.from != nil {
			return s.from.keySpan()
		}
		return source.Span{}
	}
	return s.unit.tree.Span(s.stmt.Name)
}

// ValueSpan returns the place of the setting's value, or of its key if the value is empty.
func (s *Setting) ValueSpan() source.Span {
	if s.unit == nil || s.stmt.Value.Empty() {
		return s.keySpan()
	}
	return s.unit.tree.Span(s.stmt.Value)
}

// Root returns the section of the setting, or "".
func (s *Setting) Root() string { return s.Key[:s.root] }

// read is a macro that was replaced by its value.
type read struct {
	by       int32 // index of the setting that contains the macro
	of       int32 // index of the setting it reads, or -1
	at       int32 // offset of the macro in Raw
	len      int32 // the length of the macro in Raw
	provider provider
	name     string
	value    string
	override bool     // the value comes from an override
	given    *Setting // that override, if it comes from the user of a cluster
	missing  bool
}

// Lookup returns the setting in effect for a key.
func (m *Model) Lookup(key string) (*Setting, bool) {
	i, ok := m.last[key]
	if !ok {
		return nil, false
	}
	return &m.settings[i], true
}

// each yields the settings in effect, in the order in which their keys first occur.
func (m *Model) each(yield func(*Setting) bool) {
	for i := range m.settings {
		s := &m.settings[i]
		if s.prev >= 0 || s.is(refused) {
			continue
		}
		if !yield(&m.settings[m.last[s.Key]]) {
			return
		}
	}
}

// index groups the settings in effect by the first part of their key, and indexes the processes by their name. It is called once, after all files
// are read.
func (m *Model) index() {
	m.byName = make(map[string]int, len(m.Processes))
	for i := range m.Processes {
		if _, twice := m.byName[m.Processes[i].Name]; !twice {
			m.byName[m.Processes[i].Name] = i
		}
	}
	m.byRoot = make(map[string][]int32, len(m.Processes)+8)
	var root string
	var list []int32
	flush := func() {
		if list != nil {
			m.byRoot[root] = list
		}
	}
	for i := range m.settings {
		s := &m.settings[i]
		if s.prev >= 0 || s.is(refused) {
			continue
		}
		name, _, _ := strings.Cut(s.Key, ":")
		if name != root || list == nil {
			flush()
			root, list = name, m.byRoot[name]
		}
		list = append(list, m.last[s.Key])
	}
	flush()
}

// of yields the settings of one process, with the part of the key after the name of the process.
func (m *Model) of(process string) func(yield func(string, *Setting) bool) {
	return func(yield func(string, *Setting) bool) {
		for _, i := range m.byRoot[process] {
			s := &m.settings[i]
			if len(s.Key) > len(process) && !yield(s.Key[len(process)+1:], s) {
				return
			}
		}
	}
}

// symbols finds the parts of a model's values that depend on the machine or the process.
type symbols struct {
	model *Model
	outer *symbols // the symbols of the pipeline that uses the cluster
	known map[*Setting]symbolicValue
}

// symbolicValue is a value that is split into pieces. text is its text on this machine.
type symbolicValue struct {
	pieces []pipe.Piece
	text   string
}

func port(u *unit, r syntax.Ref) Port {
	return Port{Process: u.tree.Join(r.Process), Port: u.tree.Join(r.Port)}
}

// isPipe reports whether the document must have processes. A `.conf` or `.config` file, which others include, need not have any, and after a broken
// header of a process none may be left.
func (m *Model) isPipe() bool {
	switch filepath.Ext(m.tree.File().Path()) {
	case ".conf", ".config":
		return false
	}
	return !slices.ContainsFunc(m.tree.Stmts, func(s syntax.Stmt) bool { return s.Has(syntax.Incomplete) && s.Kind == syntax.ProcessStmt })
}
