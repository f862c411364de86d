package pdi

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

// assess finds the parts that cannot be read, before anything is checked.
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
			if d.Code == syntax.AliasBomb { // the aliases of such a file are not expanded
				file := f.Tree.File()
				c.damage.places = append(c.damage.places, file.Span(0, file.Len()))
			}
		}
		if len(c.damage.places) > before {
			c.damage.texts = append(c.damage.texts, f.Tree.File().Text())
		}
		if inc := f.section(includeSection); !inc.absent() && f.damaged(inc.span()) {
			c.damage.partial = true
		}
	}
	for _, d := range c.problems {
		switch d.Code {
		case includeMissing, includeUnreadable, badInclude, badSubtree:
			c.damage.partial = c.damage.partial || d.Severity == diag.Error
		}
	}
}

// lost reports whether a name is probably declared in a part that could not be read. If the name is declared in a misspelt section, lost makes
// that section's finding an error; for the original program, only if the name is needed.
func (c *checker) lost(name string, needed bool) bool {
	x := &c.damage
	if section := x.misplaced[name]; section != nil {
		section.Severity = diag.Error
		if needed {
			c.end(section)
		}
		return true
	}
	if x.partial {
		return true
	}
	if x.keys == nil {
		x.keys = map[string]bool{}
		for _, text := range x.texts {
			addKeys(x.keys, text)
		}
	}
	return x.keys[name]
}

// addKeys collects the words of a text that are followed by a colon.
func addKeys(keys map[string]bool, text string) {
	const maxKeys = 1 << 20
	for len(keys) < maxKeys {
		before, after, found := strings.Cut(text, ":")
		if !found {
			return
		}
		before = strings.TrimRight(before, " \t'\"")
		keys[before[strings.LastIndexAny(before, " \t\r\n'\"{[,?")+1:]] = true
		text = after
	}
}
