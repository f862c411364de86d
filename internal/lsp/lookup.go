package lsp

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
)

// index returns the lookup tables of a configuration, which are made on first use.
func (s *session) index(c *lang.Config) *index {
	if x := s.indexes[c]; x != nil {
		return x
	}
	if len(s.indexes) > maxIndexes {
		clear(s.indexes)
	}
	x := &index{byPath: map[string][]lang.Occurrence{}, bySymbol: map[string][]lang.Occurrence{}, values: map[string]*origin.Entry{}}
	last, path := (*source.File)(nil), ""
	for _, o := range c.Occurrences() {
		if o.Span.File != last {
			last, path = o.Span.File, filepath.Clean(o.Span.File.Path())
		}
		x.byPath[path] = append(x.byPath[path], o)
		if o.Symbol != "" {
			x.bySymbol[o.Symbol] = append(x.bySymbol[o.Symbol], o)
		}
	}
	for _, list := range x.byPath {
		slices.SortStableFunc(list, func(a, b lang.Occurrence) int { return a.Span.Start - b.Span.Start })
	}
	s.indexes[c] = x
	return x
}

// exactly returns the occurrences that have exactly this start and end.
func (x *index) exactly(at place) []lang.Occurrence {
	list := x.byPath[at.path]
	first, _ := slices.BinarySearchFunc(list, at.start, func(o lang.Occurrence, start int) int { return o.Span.Start - start })
	var found []lang.Occurrence
	for _, o := range list[first:] {
		if o.Span.Start != at.start {
			break
		}
		if o.Span.End == at.end {
			found = append(found, o)
		}
	}
	return found
}

// maxIndexes is the maximum number of tables kept.
const maxIndexes = 400

// entry returns a setting of a configuration.
func (s *session) entry(c *lang.Config, key string) (origin.Entry, bool) {
	if key == "" {
		return origin.Entry{}, false
	}
	x := s.index(c)
	e, asked := x.values[key]
	if !asked {
		if found, ok := c.Value(key); ok {
			e = &found
		}
		x.values[key] = e
	}
	if e == nil {
		return origin.Entry{}, false
	}
	return *e, true
}

// found is an occurrence and the configuration that has it.
type found struct {
	config *lang.Config
	lang.Occurrence
}

// at returns the occurrences at an offset of a file in one configuration, the
// innermost first.
func (s *session) at(c *lang.Config, path string, offset int) []found {
	var list []found
	all := s.index(c).byPath[path]
	for i := range all {
		o := &all[i] // copying would cost more than the lookup
		if o.Span.Start > offset {
			break
		}
		if offset <= o.Span.End {
			list = append(list, found{c, *o})
		}
	}
	slices.Reverse(list) // of two occurrences with the same range, the later one is the inner one
	slices.SortStableFunc(list, func(a, b found) int { return a.Span.Len() - b.Span.Len() })
	return list
}

// under returns the innermost occurrence at an offset that has a symbol or leads to another place,
// for each configuration that contains the file.
func (s *session) under(path string, offset int) []found {
	path = filepath.Clean(path)
	var list []found
	for _, c := range s.contexts(path) {
		for _, f := range s.at(c, path, offset) {
			if f.Symbol != "" || !f.Target.IsZero() || !f.Declared.IsZero() {
				list = append(list, f)
				break
			}
		}
	}
	return list
}

// uses returns all places of the things at an offset: in every configuration that
// has them, through included files, and in the other languages of a run.
func (s *session) uses(path string, offset int) []found {
	c := closure{session: s, seen: map[place]bool{}, asked: map[thing]bool{}, parts: map[string][]*lang.Config{}}
	path = filepath.Clean(path)
	for _, f := range s.under(path, offset) {
		c.visit(f)
	}
	if len(c.list) == 0 { // a value may be linked to another language even if it is no symbol here
		for _, config := range s.contexts(path) {
			if all := s.at(config, path, offset); len(all) > 0 && len(s.links(placeOf(all[0].Span))) > 0 {
				c.visit(all[0])
			}
		}
	}
	for len(c.things) > 0 {
		t := c.things[0]
		c.things = c.things[1:]
		for _, o := range s.index(t.config).bySymbol[t.symbol] {
			c.visit(found{t.config, o})
		}
	}
	slices.SortStableFunc(c.list, func(a, b found) int {
		x, y := placeOf(a.Span), placeOf(b.Span)
		return cmp.Or(cmp.Compare(x.path, y.path), cmp.Compare(x.start, y.start))
	})
	return c.list
}

// thing is a symbol of one configuration.
type thing struct {
	config *lang.Config
	symbol string
}

// closure collects all places of the same thing.
type closure struct {
	*session
	list   []found
	seen   map[place]bool
	asked  map[thing]bool
	things []thing
	parts  map[string][]*lang.Config // the configurations that each file is a part of
}

// visit adds a place, and queues everything else at that place: in other
// configurations that have the file, and in other languages.
func (c *closure) visit(f found) {
	at := placeOf(f.Span)
	c.ask(f)
	if c.seen[at] {
		return
	}
	c.seen[at] = true
	c.list = append(c.list, f)
	for _, p := range append(c.links(at), at) {
		if c.parts[p.path] == nil {
			c.parts[p.path] = c.contexts(p.path)
		}
		for _, config := range c.parts[p.path] {
			for _, other := range c.index(config).exactly(p) {
				c.visit(found{config, other})
			}
		}
	}
}

func (c *closure) ask(f found) {
	if t := (thing{f.config, f.Symbol}); f.Symbol != "" && !c.asked[t] {
		c.asked[t] = true
		c.things = append(c.things, t)
	}
}

// links returns the places in other languages that mean the same thing.
func (s *session) links(at place) []place {
	r := s.runOf(filepath.Dir(at.path))
	if r == nil {
		return nil
	}
	if r.joined == nil {
		r.joined = map[place][]place{}
		for _, l := range s.runLinks(at.path) {
			if a, b := placeOf(l.A), placeOf(l.B); !l.Leads {
				r.joined[a] = append(r.joined[a], b)
				r.joined[b] = append(r.joined[b], a)
			}
		}
	}
	return slices.Clone(r.joined[at])
}

// leads returns the places in other languages that the place at an offset leads to.
func (s *session) leads(path string, offset int) []source.Span {
	var list []source.Span
	for _, l := range s.runLinks(path) {
		if a := placeOf(l.A); l.Leads && a.path == path && a.start <= offset && offset <= a.end {
			list = append(list, l.B)
		}
	}
	return list
}

// runLinks returns the links of the run that a file belongs to.
func (s *session) runLinks(path string) []suite.Link {
	r := s.runOf(filepath.Dir(path))
	if r == nil {
		return nil
	}
	if !r.linked {
		r.links, r.linked = suite.Links(r.run), true
	}
	return r.links
}
