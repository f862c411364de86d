package sprokit

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// flatten writes one file without includes, macros, blocks and clusters; a
// comment behind every entry names where it comes from.
func flatten(_ *syntax.Tree, m *Model, out io.Writer) diag.List {
	f := flattener{m: m, w: bufio.NewWriter(out), roots: map[string]bool{}}
	f.bare()
	if o := m.openClusters(); o != nil {
		f.opened(o)
		_ = f.w.Flush() // a broken writer is the caller's to see
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
		if m.process(p.Name) == p { // one that is declared twice has its entries once
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
	_ = f.w.Flush() // a broken writer is the caller's to see
	return f.lost
}

type flattener struct {
	m       *Model
	w       *bufio.Writer
	lost    diag.List
	written bool
	roots   map[string]bool // whether a section can have the name
}

func (f *flattener) gap() {
	if f.written {
		_ = f.w.WriteByte('\n')
	}
	f.written = true
}

// sectioned reports whether a key can stand in a section of its root.
func (f *flattener) sectioned(root string) bool {
	can, known := f.roots[root]
	if !known {
		can = isSection(root)
		f.roots[root] = can
	}
	return can
}

// bare are the entries outside any section: keys of one part, and those whose
// first part cannot name a section.
func (f *flattener) bare() {
	for s := range f.m.each {
		if root, _, ok := strings.Cut(s.Key, ":"); !ok || !f.sectioned(root) {
			f.written = true
			f.entry("", s.Key, s)
		}
	}
}

// head is the head of a cluster.
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

// sections are the roots that are no processes, in order.
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

// entries are the settings of a section.
func (f *flattener) entries(root string) {
	for key, s := range f.m.of(root) {
		f.entry("  ", key, s)
	}
}

// entry writes a setting with its value as it is now.
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

// reads reports whether a setting depends on a key of the cluster: its value is
// another one for every user, so the macro stays.
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

// blocked writes a key whose parts only a block can have.
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
