package coil

import (
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
)

// maxDepth is how deep includes may nest.
const maxDepth = 64

// maxHistory is how many earlier values a setting remembers.
const maxHistory = 64

// resolver merges the files of a document.
type resolver struct {
	*Model
	loader   *load.Loader
	trees    map[*source.File]*syntax.Tree
	seen     map[*source.File]bool // files whose own mistakes have been reported
	room     room                  // for the file that is being merged
	finished bool                  // a limit was reached: no more files are included
}

// resolve returns what a tree means: first the files it includes, in the order
// they are written, then the file's own settings, then the command line's.
func resolve(o Options, env *load.Env, t *syntax.Tree) *Model {
	m := &Model{opts: o, tables: o.tables(), schema: keyTable(), env: env, tree: t, byName: map[string]*Section{}}
	limited := *env
	limited.Opener = withPresets{env}
	if limited.Limits.Depth == 0 {
		limited.Limits.Depth = maxDepth
	}
	r := &resolver{Model: m, loader: load.NewLoader(&limited), trees: map[*source.File]*syntax.Tree{}, seen: map[*source.File]bool{}}
	r.trees[t.File()] = t
	m.root = r.file(env.Root(t.File()))
	r.overrides()
	m.noteIncludes(m.problems)
	for _, sec := range m.Sections {
		for _, s := range sec.settings {
			s.read()
		}
	}
	m.findMachine()
	return m
}

// findMachine looks up the machine in the tables, as far as the file names it.
func (m *Model) findMachine() {
	m.machine.pu = m.processor()
	arch, mode := m.good(targetSection, "Architecture"), m.good(targetSection, "Mode")
	if m.machine.pu == "" || arch == nil {
		return
	}
	if isWord(arch.Value.Text) { // only a plain word is looked up, since the tables ignore punctuation in names
		m.machine.arch, m.machine.hint = m.tables.Arch(m.machine.pu, arch.Value.Text)
	}
	if m.machine.arch != nil && mode != nil {
		m.machine.isa, m.machine.mode = m.machine.arch.Mode(int(mode.Value.Int))
	}
}

// processor returns the value of PU. It also accepts the wrong case, so that
// everything else can still be checked.
func (m *Model) processor() string {
	if s := m.Lookup(targetSection, "PU"); s != nil {
		for _, pu := range s.key.Enum {
			if strings.EqualFold(pu, s.Value.Text) {
				return pu
			}
		}
	}
	return ""
}

// file merges a file and its includes.
func (r *resolver) file(frame *load.Frame) *include {
	t := r.trees[frame.File]
	if t == nil {
		t = syntax.Parse(frame.File)
		r.trees[frame.File] = t
		r.problems = append(r.problems, t.Problems()...)
	}
	r.partial = r.partial || t.Partial
	node := &include{frame: frame}
	first := !r.seen[frame.File]
	r.seen[frame.File] = true
	for i := range t.Includes {
		if r.finished {
			break
		}
		if child := r.include(frame, t, &t.Includes[i]); child != nil {
			node.includes = append(node.includes, r.file(child))
		}
		if inc := &t.Includes[i]; first && inc.Late {
			r.problems.Report(includeLate, t.RangeSpan(inc.Line), "this include is read first, although it is not at the top").
				Helped("move it to the top: the file's own settings win over included ones")
		}
	}
	if first {
		r.outside(t)
	}
	r.reserve(t, first)
	for i := range t.Sections {
		s := &t.Sections[i]
		sec := r.open(collapse(t.Of(s.Name)), t.Span(s.Name))
		if first {
			r.repeatedSection(sec, t.Span(s.Name))
		}
		for _, word := range s.Lost {
			if sec.lost == nil {
				sec.lost = map[string]bool{}
			}
			sec.lost[t.Of(word)] = true
		}
		for j := range s.Entries {
			e := &s.Entries[j]
			set := take(&r.room.settings)
			*set = Setting{
				Section: sec, Key: t.Of(e.Key), Name: t.Span(e.Key), Text: t.Span(e.Value), broken: e.Broken, frame: frame,
			}
			if first {
				r.repeatedKey(sec, set)
			}
			sec.set(set)
			node.keys++
		}
	}
	return node
}

// room is preallocated memory for the sections and settings of one file. It
// reduces allocations and garbage collection for a file with a million of them.
type room struct {
	sections []Section
	settings []Setting
}

// reserve allocates memory for a file's sections and settings. A file that was
// merged before adds no sections.
func (r *resolver) reserve(t *syntax.Tree, first bool) {
	entries := 0
	for i := range t.Sections {
		entries += len(t.Sections[i].Entries)
	}
	r.room = room{settings: make([]Setting, entries)}
	if !first {
		return
	}
	r.room.sections = make([]Section, len(t.Sections))
	if len(r.Sections) == 0 {
		r.byName = make(map[string]*Section, len(t.Sections))
		r.Sections = make([]*Section, 0, len(t.Sections))
	}
}

// take returns the next preallocated element, or a new one if none is left.
func take[T any](room *[]T) *T {
	if len(*room) == 0 {
		return new(T)
	}
	next := &(*room)[0]
	*room = (*room)[1:]
	return next
}

// include opens an included file: in the folder of the including file, then on
// the include path, then among the presets.
func (r *resolver) include(frame *load.Frame, t *syntax.Tree, inc *syntax.Include) *load.Frame {
	path := t.Of(inc.Path)
	candidates := []string{path}
	if !filepath.IsAbs(path) {
		candidates = candidates[:0]
		for _, dir := range append([]string{filepath.Dir(frame.File.Path())}, r.env.Include...) {
			candidates = append(candidates, filepath.Join(dir, path))
		}
	}
	if f, ok := preset.File(path); ok {
		candidates = append(candidates, f.Path()) // presets come last, so they are used if no file has the name
	}
	child, wrong := r.loader.Include(frame, t.Span(inc.Path), candidates...)
	if wrong == nil {
		return child
	}
	r.partial = true
	r.problems.Add(wrong.Diagnostic(includeCodes))
	r.finished = wrong.Kind == load.Limit
	return nil
}

// withPresets opens files, and presets by their paths.
type withPresets struct{ files *load.Env }

func (o withPresets) Open(path string) (*source.File, error) {
	if f, ok := preset.ByPath(path); ok {
		return f, nil
	}
	return o.files.Open(path)
}

// open returns the section of a name, and adds it if it does not exist.
func (r *resolver) open(name string, at source.Span) *Section {
	s := r.byName[name]
	if s == nil {
		s = take(&r.room.sections)
		*s = Section{Name: name, At: at, keys: r.schema.Section(name)}
		s.vendor = s.keys == nil && isVendor(name)
		// A placeholder in the table is not the name of a section, and the
		// validator treats the platform extension as a vendor's section.
		if s.keys != nil && (s.keys.Pattern != "" || name == platformSect && r.opts.Validator) {
			s.keys, s.vendor = nil, true
		}
		r.byName[name] = s
		r.Sections = append(r.Sections, s)
	}
	return s
}

// set stores a setting, which overrides an earlier one of the same key.
func (s *Section) set(n *Setting) {
	if s.keys != nil {
		n.key = s.keys.Key(n.Key)
	}
	i := s.find(n.Key)
	if i < 0 {
		s.add(n)
		return
	}
	old := s.settings[i]
	n.prev, n.depth = old, old.depth+1
	if old.Name == n.Name || n.depth > maxHistory { // skip a line that is included twice, and history beyond the limit
		n.prev, n.depth = old.prev, old.depth
	}
	s.settings[i] = n
}

// outside reports once that a file has keys before its first section.
func (r *resolver) outside(t *syntax.Tree) {
	if len(t.Stray) == 0 {
		return
	}
	if r.strays == nil {
		r.strays = map[string]bool{}
	}
	var keys []string
	for i := range t.Stray {
		key := t.Of(t.Stray[i].Key)
		r.strays[key] = true
		if i <= maxListed+1 { // keep the first ones, and enough to show that the list was cut
			keys = append(keys, "`"+problem.Clip(key, problem.Short)+"`")
		}
	}
	d := r.problems.Report(keyOutside, t.Span(t.Stray[0].Key), "%s comes before the first section", keys[0])
	if len(keys) > 1 {
		d.Note("so do %s", and(keys[1:]))
	}
	if home := r.homeOf(t.Of(t.Stray[0].Key)); home != "" {
		d.Helped("it belongs below `[%s]`", home)
	} else {
		d.Helped("write the section it belongs to above it, for instance `[Target]`")
	}
}

// homeOf returns the section in which a key belongs, or "".
func (m *Model) homeOf(key string) string {
	for i := range m.schema.Sections {
		if m.schema.Sections[i].Key(key) != nil {
			return m.schema.Sections[i].Name
		}
	}
	return ""
}

// repeatedSection reports a section that a file writes twice.
func (r *resolver) repeatedSection(sec *Section, at source.Span) {
	if sec.opened.File != at.File {
		sec.opened = at
		return
	}
	if sec.Name != "" {
		r.problems.Report(repeatedSection, at, "`[%s]` is written again; both count as one section", sec.Name).At(sec.opened, "first written here")
	}
}

// repeatedKey reports a key that a file sets twice.
func (r *resolver) repeatedKey(sec *Section, s *Setting) {
	if old := sec.get(s.Key); old != nil && old.Name.File == s.Name.File {
		r.problems.Report(repeatedKey, s.Name, "`%s` is set again; this line wins", s.Key).At(old.Name, "set here before")
	}
}

// overrides applies each `-s Section.Key=VALUE` as if it were a file of one
// line.
func (r *resolver) overrides() {
	for _, o := range r.env.Overrides {
		text := o.Key + " = " + o.Value
		f := source.NewFile("command line", text)
		section, key, ok := cutKey(o.Key)
		if !ok {
			r.problems.Report(badOverride, f.Span(0, len(o.Key)), "`%s` does not name a setting; write `SECTION.KEY`", o.Key).
				Helped("for instance `-s Target.Mode=32`")
			continue
		}
		t := syntax.Parse(f)
		r.problems = append(r.problems, t.Problems()...)
		if len(t.Stray) != 1 {
			r.problems.Report(badOverride, f.Span(0, len(o.Key)), "the value of `%s` must be one line", o.Key)
			continue
		}
		entry := &t.Stray[0]
		sec := r.open(section, source.Span{})
		sec.set(&Setting{
			Section: sec, Key: key, override: true, broken: entry.Broken,
			Name: f.Span(len(o.Key)-len(key), len(o.Key)), Text: t.Span(entry.Value),
		})
	}
}

// noteIncludes adds a note to findings in included files that says how the file
// was included.
func (m *Model) noteIncludes(list diag.List) {
	if len(list) == 0 || m.root.includes == nil {
		return
	}
	frames := map[*source.File]*load.Frame{}
	var walk func(*include)
	walk = func(n *include) {
		if frames[n.frame.File] == nil {
			frames[n.frame.File] = n.frame
		}
		for _, c := range n.includes {
			walk(c)
		}
	}
	walk(m.root)
	for _, d := range list {
		f := frames[d.Span.File]
		if f == nil || f.Parent == nil || isIncludeCode(d.Code) {
			continue
		}
		d.Note("%s is %s", f.File.Path(), f.Chain())
	}
}

func isIncludeCode(c *diag.Code) bool {
	return c == includeCodes.Missing || c == includeCodes.Unreadable || c == includeCodes.Cycle || c == includeCodes.Limit
}
