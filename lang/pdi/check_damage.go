package pdi

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// damage is what could not be read of the trees. A finding that follows from it is not reported: the mistake
// is the one that is there already.
type damage struct {
	places  []source.Span                   // where the syntax is wrong
	texts   []string                        // of the files with such a place: what they declare may be lost
	partial bool                            // a file is missing, with all that it declares
	astray  map[string]*diag.Diagnostic     // names below a section that is misspelt
	types   map[*data.Node]*diag.Diagnostic // types by such a name, and others that are lost; the engine does not know them either
}

// assess finds the damage before anything is checked.
func (c *checker) assess() {
	seen := map[*syntax.Tree]bool{}
	for _, f := range c.Files {
		if seen[f.Tree] {
			continue
		}
		seen[f.Tree] = true
		before := len(c.damage.places)
		for _, d := range f.Tree.Problems() {
			if d.Severity == diag.Error {
				c.damage.places = append(c.damage.places, d.Span)
			}
		}
		if len(c.damage.places) > before {
			c.damage.texts = append(c.damage.texts, f.Tree.File().Text())
		}
	}
	for _, d := range c.problems {
		switch d.Code {
		case includeMissing, includeUnreadable, badInclude, badSubtree:
			c.damage.partial = c.damage.partial || d.Severity == diag.Error
		}
	}
}

// at tells whether a place is damaged, or has damage inside.
func (x *damage) at(span source.Span) bool {
	for _, place := range x.places {
		if span.Contains(place) || place.Contains(span) {
			return true
		}
	}
	return false
}

// lost tells whether a name is probably declared in a part that could not be read. A misspelt section that has it
// is the mistake, and then an error.
func (x *damage) lost(name string) bool {
	if section := x.astray[name]; section != nil {
		section.Severity = diag.Error
		return true
	}
	if x.partial {
		return true
	}
	for _, text := range x.texts {
		if hasKey(text, name) {
			return true
		}
	}
	return false
}

// hasKey tells whether a text has a word with a colon behind it.
func hasKey(text, name string) bool {
	for name != "" {
		i := strings.Index(text, name)
		if i < 0 {
			break
		}
		before := text[:i]
		text = text[i+len(name):]
		if strings.HasPrefix(strings.TrimLeft(text, " \t'\""), ":") && (before == "" || strings.ContainsAny(before[len(before)-1:], " \t\n'\"{[,?")) {
			return true
		}
	}
	return false
}
