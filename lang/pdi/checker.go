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
	reported  map[place]*diag.Diagnostic // in declarations, which are read at each of their uses
	used      map[string]bool            // names that something reads
	provided  map[string]bool            // names that plugins declare
	read      map[string]*reading
	shapes    map[string]*expr.Type
	seen      map[*data.Node]bool       // anchored nodes that are checked already
	fatal     map[*diag.Diagnostic]bool // findings that end the original program too
	suggest   []string                  // names for suggestions
	suggested int                       // how many suggestions were made
	blind     bool                      // something was not read that may use names
	code      *program                  // that reads the tree; nil: it is not known
}

// enough bounds the work on a file that is wrong everywhere; far fewer findings are shown.
const enough = 1000

// plenty reports whether further findings would not be kept.
func (c *checker) plenty() bool { return len(c.found) >= 2*enough }

// report adds a finding about a value.
func (c *checker) report(code *diag.Code, v value, format string, args ...any) *diag.Diagnostic {
	return c.reportAt(code, v.span(), format, args...)
}

func (c *checker) reportAt(code *diag.Code, at source.Span, format string, args ...any) *diag.Diagnostic {
	return c.add(diag.New(code, at, format, args...))
}

// add keeps a finding, unless it follows from damage. One in an included file says so.
func (c *checker) add(d *diag.Diagnostic) *diag.Diagnostic {
	if c.damage.at(d.Span) {
		return d
	}
	if len(c.found) < enough || d.Severity == diag.Error && len(c.found) < 2*enough {
		c.found = append(c.found, d)
	}
	for _, f := range c.Files {
		if f.Tree.File() == d.Span.File {
			return included(d, f)
		}
	}
	return d
}

// end marks a finding that ends the original program too when it starts.
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

// mergeWord is the key that other readers of YAML replace by the keys of a mapping.
const mergeWord = "<<"

// mergeKeys warns of `<<`. It returns the finding, nil where there is no such key: what seems to be missing
// in the mapping is missing for that reason.
func (c *checker) mergeKeys(v value) *diag.Diagnostic {
	key, _, ok := v.find(mergeWord)
	if !ok {
		return nil
	}
	return c.report(mergeKey, key, "`<<` merges nothing: to PDI it is a key like any other").
		Helped("write the keys out, or use an alias for the whole value")
}

// damage is what could not be read of the trees. A finding that follows from it is not reported: the mistake
// is the one that is there already.
type damage struct {
	places  []source.Span   // where the syntax is wrong
	texts   []string        // of the files with such a place: what they declare may be lost
	keys    map[string]bool // words of those texts that may be names, once they are asked for
	partial bool            // a file is missing, with all that it declares

	misplaced map[string]*diag.Diagnostic // names below a section that is misspelt
}

// at reports whether a place is damaged, or has damage inside.
func (x *damage) at(span source.Span) bool {
	for _, place := range x.places {
		if span.Contains(place) || place.Contains(span) {
			return true
		}
	}
	return false
}

// place is where a finding of a code about a key is.
type place struct {
	code *diag.Code
	span source.Span
	key  string
}

// reading is an expression as the compiler sees it. The same text means the same
// everywhere in a tree, so it is read once.
type reading struct {
	program *expr.Program
	err     *expr.Error
	refs    []expr.Ref
	kind    expr.Kind
	static  []*expr.Error
	lints   []expr.Lint
}

// shape is the type of a declared name as far as the tree tells; nil is unknown.
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
