package pdi

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
)

type checker struct {
	*Model
	env       *data.Env
	damage    damage
	found     diag.List
	reported  map[place]*diag.Diagnostic // findings in declarations; these are read again at each use
	used      map[string]bool            // names that the tree reads
	provided  map[string]bool            // names that plugins declare
	read      map[string]*reading
	shapes    map[string]*expr.Type
	seen      map[*data.Node]bool       // anchored nodes that have been checked
	fatal     map[*diag.Diagnostic]bool // findings that are errors for the original program too
	suggest   []string                  // names for suggestions
	suggested int                       // how many suggestions were made
	blind     bool                      // a part was not read that may use names
	code      *program                  // the program that reads the tree; nil if unknown
}

// maxFindings limits the work on a file with very many mistakes; far fewer findings are shown.
const maxFindings = 1000

// full reports whether further findings would be dropped.
func (c *checker) full() bool { return len(c.found) >= 2*maxFindings }

// report adds a finding about a value.
func (c *checker) report(code *diag.Code, v value, format string, args ...any) *diag.Diagnostic {
	return c.reportAt(code, v.span(), format, args...)
}

func (c *checker) reportAt(code *diag.Code, at source.Span, format string, args ...any) *diag.Diagnostic {
	return c.add(diag.New(code, at, format, args...))
}

// add keeps a finding, unless it is only a consequence of damage. If the finding is in an included file, add says where that file is included.
func (c *checker) add(d *diag.Diagnostic) *diag.Diagnostic {
	if c.damage.at(d.Span) {
		return d
	}
	if len(c.found) < maxFindings || d.Severity == diag.Error && len(c.found) < 2*maxFindings {
		c.found = append(c.found, d)
	}
	for _, f := range c.Files {
		if f.Tree.File() == d.Span.File {
			return included(d, f)
		}
	}
	return d
}

// end marks a finding as an error at which the original program would stop during its start.
func (c *checker) end(d *diag.Diagnostic) *diag.Diagnostic {
	c.fatal[d] = true
	return d
}

// duplicates reports keys that a mapping has twice.
func (c *checker) duplicates(v value) {
	if v.Node == nil || len(v.Pairs) < 2 {
		return
	}
	first := make(map[string]value, len(v.Pairs))
	for key := range v.pairs() {
		if !key.is(data.ScalarNode) {
			continue
		}
		if have, ok := first[key.Text]; ok {
			c.report(duplicate, key, "the key `%s` is there twice", key.Text).At(have.span(), "first here").
				Helped("keep one of them; the original program takes the first")
			continue
		}
		first[key.Text] = key
	}
}

// mergeWord is the key `<<`. Other readers of YAML replace it with the keys of another mapping.
const mergeWord = "<<"

// mergeKeys warns of `<<` and returns the finding, or nil if there is no such key. Keys that seem to be missing from the mapping are meant to come
// through it.
func (c *checker) mergeKeys(v value) *diag.Diagnostic {
	key, _, ok := v.find(mergeWord)
	if !ok {
		return nil
	}
	return c.report(mergeKey, key, "`<<` merges nothing: to PDI it is a key like any other").
		Helped("write the keys out, or use an alias for the whole value")
}

// damage lists the parts of the trees that could not be read. A finding that is only a consequence of damage is not reported: the damage has its own
// finding.
type damage struct {
	places  []source.Span   // where the syntax is wrong
	texts   []string        // of files with such a place: their declarations may be lost
	keys    map[string]bool // words in those texts that may be names; filled at first use
	partial bool            // a file is missing, and with it all that it declares

	misplaced map[string]*diag.Diagnostic // names declared in a misspelt section
}

// at reports whether a place is inside a damaged part or contains one.
func (x *damage) at(span source.Span) bool {
	for _, place := range x.places {
		if span.Contains(place) || place.Contains(span) {
			return true
		}
	}
	return false
}

// place identifies a finding: its code, its span and its key.
type place struct {
	code *diag.Code
	span source.Span
	key  string
}

// reading is a compiled expression. Each text is compiled only once, because it means the same everywhere in a tree.
type reading struct {
	program *expr.Program
	err     *expr.Error
	refs    []expr.Ref
	kind    expr.Kind
	static  []*expr.Error
	lints   []expr.Lint
}

// shape returns the type of a declared name as far as the tree defines it, or nil if it is unknown.
func (c *checker) shape(name string) *expr.Type {
	if name == data.RankName && c.plugins["mpi"] != nil {
		return expr.Scalar(expr.Int32)
	}
	d, ok := c.names[name]
	if !ok || d.template == nil {
		return nil
	}
	t, ok := c.shapes[name]
	if !ok {
		t = d.template.Shape()
		c.shapes[name] = t
	}
	return t
}
