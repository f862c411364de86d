package sprokit

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// flatten writes one file without includes, macros, blocks and clusters. A comment after every entry names its origin.
func flatten(_ *syntax.Tree, m *Model, out io.Writer) diag.List {
	f := flattener{m: m, w: bufio.NewWriter(out), roots: map[string]bool{}}
	f.bare()
	if o := m.openClusters(); o != nil {
		f.opened(o)
		_ = f.w.Flush() // writing errors are reported by the caller's writer
		return f.lost
	}
	if m.Cluster != nil {
		f.head()
	}
	for _, root := range f.sections() {
		f.header("config " + root)
		f.entries(root)
	}
	for i := range m.Processes {
		p := &m.Processes[i]
		f.header("process " + p.Name + "\n  :: " + p.Type + "  # " + p.Span().String())
		if m.process(p.Name) == p { // if a process is declared twice, write its entries once
			f.entries(p.Name)
		}
	}
	for i := range m.Connections {
		if i == 0 {
			f.gap()
		}
		c := &m.Connections[i]
		fmt.Fprintf(f.w, "connect from %s.%s  # %s\n        to   %s.%s\n", c.From.Process, c.From.Port, c.unit.tree.Head(c.stmt), c.To.Process, c.To.Port)
	}
	_ = f.w.Flush() // writing errors are reported by the caller's writer
	return f.lost
}

type flattener struct {
	m       *Model
	w       *bufio.Writer
	lost    diag.List
	written bool
	roots   map[string]bool // whether a section can have this name
}

func (f *flattener) gap() {
	if f.written {
		_ = f.w.WriteByte('\n')
	}
	f.written = true
}

// sectioned reports whether a key can be written in a section of its root.
func (f *flattener) sectioned(root string) bool {
	can, known := f.roots[root]
	if !known {
		can = isSection(root)
		f.roots[root] = can
	}
	return can
}

// bare writes the entries outside any section: keys of a single part, and keys whose first part cannot be the name of a section.
func (f *flattener) bare() {
	for s := range f.m.each {
		if root, _, ok := strings.Cut(s.Key, ":"); !ok || !f.sectioned(root) {
			f.written = true
			f.entry("", s.Key, s)
		}
	}
}

// head writes the head of a cluster file: its keys and ports.
func (f *flattener) head() {
	c := f.m.Cluster
	fmt.Fprintf(f.w, "cluster %s\n", c.Name)
	f.doc(c.Doc)
	for _, k := range c.Keys {
		if s, ok := f.m.Lookup(c.Name + ":" + k.Name); ok {
			fmt.Fprintln(f.w)
			f.entry("  ", k.Name, s)
			f.doc(k.Doc)
		}
	}
	for _, p := range c.In {
		fmt.Fprintf(f.w, "\n  imap from %s\n", p.Port)
		for _, in := range p.Inner {
			fmt.Fprintf(f.w, "       to   %s.%s\n", in.Process, in.Port)
		}
		f.doc(p.Doc)
	}
	for _, p := range c.Out {
		fmt.Fprintf(f.w, "\n  omap from %s.%s\n       to   %s\n", p.Inner[0].Process, p.Inner[0].Port, p.Port)
		f.doc(p.Doc)
	}
	f.written = true
}

func (f *flattener) doc(text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		fmt.Fprintln(f.w, strings.TrimRight("  -- "+line, " "))
	}
}

// sections returns the first parts of keys that do not name a process, in order.
func (f *flattener) sections() []string {
	var list []string
	seen := map[string]bool{}
	for s := range f.m.each {
		root, _, ok := strings.Cut(s.Key, ":")
		if !ok || seen[root] || !f.sectioned(root) || f.m.process(root) != nil || f.m.Cluster != nil && root == f.m.Cluster.Name {
			continue
		}
		seen[root] = true
		list = append(list, root)
	}
	return list
}

func (f *flattener) header(text string) {
	f.gap()
	fmt.Fprintln(f.w, text)
}

// entries writes the settings of a section.
func (f *flattener) entries(root string) {
	for key, s := range f.m.of(root) {
		f.entry("  ", key, s)
	}
}

// entry writes a setting with its current value.
func (f *flattener) entry(indent, key string, s *Setting) {
	if !isKey(key) {
		f.blocked(indent, key, s)
		return
	}
	f.line(indent, key, s)
}

func (f *flattener) line(indent, key string, s *Setting) {
	var flags []string
	if s.is(readOnly) {
		flags = append(flags, "ro")
	}
	if s.is(tunable) {
		flags = append(flags, "tunable")
	}
	if len(flags) > 0 {
		key += "[" + strings.Join(flags, ", ") + "]"
	}
	value := s.Value
	if f.reads(s) {
		value = s.Raw
	} else if err := f.m.writable(value); err != nil {
		f.lost.Report(cannotWrite, s.Span(), "the value of `%s` cannot be written: %s", s.Key, err)
	}
	place := s.Span().String()
	if s.unit == nil {
		place = "-s " + problem.Clip(s.Key, problem.Short)
	}
	assign := " = "
	if s.is(localName) {
		assign = " := "
	}
	fmt.Fprintf(f.w, "%s%s%s%s  # %s\n", indent, key, assign, strings.ReplaceAll(value, "\n", " "), place)
}

// reads reports whether a setting depends on a key of the cluster. Such a value differs for every user of the cluster, so its macro is kept.
func (f *flattener) reads(s *Setting) bool {
	if f.m.Cluster == nil {
		return false
	}
	for _, r := range f.m.reads[s.first : s.first+s.count] {
		if r.provider == fromConfig && strings.HasPrefix(r.name, f.m.Cluster.Name+":") {
			return true
		}
	}
	return s.is(mapped)
}

// blocked writes a key as a block, if its parts are not allowed in a plain key.
func (f *flattener) blocked(indent, key string, s *Setting) {
	i := strings.LastIndexByte(key, ':')
	if i < 0 || !isKey(key[i+1:]) || strings.ContainsAny(key[:i], "\n#") || trim(key[:i]) != key[:i] {
		f.lost.Report(cannotWrite, s.Span(), "the key `%s` cannot be written", s.Key)
		return
	}
	fmt.Fprintf(f.w, "%sblock %s\n", indent, key[:i])
	f.line(indent+"  ", key[i+1:], s)
	fmt.Fprintf(f.w, "%sendblock\n", indent)
}

// An opened pipeline is a pipeline in which each cluster is replaced by the processes in it, which get names that are valid in a pipeline.
type opened struct {
	root      *Model
	names     map[string]string // the new name of each process, by its path `cluster/process`
	taken     map[string]bool
	processes []openedProcess
}

// openedProcess is a process that is not a cluster.
type openedProcess struct {
	*Process
	model *Model // the model that declares it
	name  string
	site  *Setting // the setting `site` of the enclosing clusters; nil if they have none
}

// openClusters opens the clusters of a pipeline, or returns nil if it has none.
func (m *Model) openClusters() *opened {
	if m.Cluster != nil || m.unbounded || !slices.ContainsFunc(m.Processes, func(p Process) bool { return p.Inside != nil }) {
		return nil
	}
	o := &opened{root: m, names: map[string]string{}, taken: map[string]bool{}}
	for i := range m.Processes {
		o.taken[m.Processes[i].Name] = true
	}
	for root := range m.byRoot { // a process must not have the name of a section, which would configure it
		o.taken[root] = true
	}
	o.open(m, "", "", nil)
	return o
}

// open adds the processes of a model. way and prefix are put before their old and new names. site says where they run unless they say so themselves.
func (o *opened) open(m *Model, way, prefix string, site *Setting) {
	for i := range m.Processes {
		p := &m.Processes[i]
		name := p.Name
		if prefix != "" {
			name = prefix + "__" + name
			for o.taken[name] {
				name += "_"
			}
			o.taken[name] = true
		}
		if p.Inside != nil {
			inner := site
			if own, ok := m.Lookup(p.Name + ":" + pipe.SiteKey); ok {
				inner = own
			}
			o.open(p.Inside, way+p.Name+"/", name, inner)
			continue
		}
		if m.process(p.Name) == p { // of two processes with the same name, only the first is connected
			o.names[way+p.Name] = name
		}
		o.processes = append(o.processes, openedProcess{p, m, name, site})
	}
}

// ends returns the ports to which a port leads after all clusters are replaced.
func (o *opened) ends(m *Model, way string, at Port, output bool) []Port {
	p := m.process(at.Process)
	if p == nil || p.Inside == nil {
		name, ok := o.names[way+at.Process]
		if !ok {
			name = at.Process
		}
		return []Port{{name, at.Port}}
	}
	list := p.Inside.Cluster.In
	if output {
		list = p.Inside.Cluster.Out
	}
	var ends []Port
	for _, mapping := range list {
		if mapping.Port == at.Port {
			for _, inner := range mapping.Inner {
				ends = append(ends, o.ends(p.Inside, way+p.Name+"/", inner, output)...)
			}
		}
	}
	return ends
}

// settings yields the settings of a process, from its own section and from `_global`.
func (p *openedProcess) settings(yield func(string, *Setting) bool) {
	set := map[string]bool{}
	for key, s := range p.model.of(p.Name) {
		set[key] = true
		if !s.is(localName) || hasKey(p.model.typeOf(p.Process, nil), key) {
			if !yield(key, s) {
				return
			}
		}
	}
	if p.site != nil && !set[pipe.SiteKey] && !yield(pipe.SiteKey, p.site) {
		return
	}
	typ := p.model.typeOf(p.Process, p.model.flowConfig(p.Process))
	for key, s := range p.model.of("_global") {
		if !set[key] && hasKey(typ, key) && !yield(key, s) {
			return
		}
	}
}

// opened writes a pipeline with its clusters replaced.
func (f *flattener) opened(o *opened) {
	for _, root := range f.sections() {
		switch root {
		case "_global": // its entries are written in the processes that they apply to
		case "_pipeline":
			f.header("config _pipeline")
			f.edges(o)
		default:
			f.header("config " + root)
			f.entries(root)
		}
	}
	for i := range o.processes {
		p := &o.processes[i]
		f.header("process " + p.name + "\n  :: " + p.Type + "  # " + p.Span().String())
		if p.model.process(p.Name) == p.Process {
			for key, s := range p.settings {
				f.entry("  ", key, s)
			}
		}
	}
	f.gap()
	f.connections(o, o.root, "")
}

// connections writes the connections of a model, and of the clusters in it.
func (f *flattener) connections(o *opened, m *Model, way string) {
	for i := range m.Connections {
		c := &m.Connections[i]
		from, to := o.ends(m, way, c.From, true), o.ends(m, way, c.To, false)
		if len(from) == 0 || len(to) == 0 {
			f.lost.Report(cannotWrite, c.head(), "the connection from `%s.%s` to `%s.%s` leads to no port inside its cluster", c.From.Process, c.From.Port, c.To.Process, c.To.Port)
		}
		for _, a := range from {
			for _, b := range to {
				fmt.Fprintf(f.w, "connect from %s.%s  # %s\n        to   %s.%s\n", a.Process, a.Port, c.head(), b.Process, b.Port)
			}
		}
	}
	for i := range m.Processes {
		if p := &m.Processes[i]; p.Inside != nil {
			f.connections(o, p.Inside, way+p.Name+"/")
		}
	}
}

// edges writes the configuration of edges with the new names of ports. If several rules now apply to one port, the rule of the innermost cluster is
// written.
func (f *flattener) edges(o *opened) {
	holds := map[string]*Setting{}
	for key, s := range f.m.of("_pipeline") {
		for _, now := range o.rules(key) {
			if by := holds[now]; by == nil || depth(by.Key) <= depth(s.Key) {
				holds[now] = s
			}
		}
	}
	for key, s := range f.m.of("_pipeline") {
		for _, now := range o.rules(key) {
			if holds[now] == s {
				f.entry("  ", now, s)
			}
		}
	}
}

// depth returns how many clusters enclose the process in the key of an edge rule, `_pipeline:_edge_by_conn:PROCESS:…`.
func depth(key string) int {
	part := strings.SplitN(key, ":", 4)
	return strings.Count(part[min(2, len(part)-1)], "/")
}

// rules returns the keys of the opened pipeline that replace a key of `_pipeline`.
func (o *opened) rules(key string) []string {
	part := strings.Split(key, ":")
	if len(part) != 5 || part[0] != "_edge_by_conn" {
		return []string{key}
	}
	m, way, process := o.inside(part[1])
	var rules []string
	for _, end := range o.ends(m, way, Port{process, part[3]}, part[2] == "up") {
		rules = append(rules, strings.Join([]string{part[0], end.Process, part[2], end.Port, part[4]}, ":"))
	}
	return rules
}

// inside returns the model that contains the process `cluster/process`, with the path of that model and the name of the process in it.
func (o *opened) inside(name string) (m *Model, way, process string) {
	m, process = o.root, name
	for {
		first, rest, ok := strings.Cut(process, "/")
		p := m.process(first)
		if !ok || p == nil || p.Inside == nil {
			return m, way, process
		}
		m, way, process = p.Inside, way+first+"/", rest
	}
}
