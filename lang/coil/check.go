package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
)

// check returns the findings of resolving and of the rules: what is required,
// which names and values are allowed, and which values contradict each other.
func check(m *Model) diag.List {
	if isOlder(m.tree) {
		return nil // report only that the file is in an older format
	}
	c := &checker{Model: m, found: slices.Clone(m.problems), sections: map[*Section]bool{}, settings: map[*Setting]bool{}, vendors: map[string]bool{}}
	if !m.opts.Fragment && !m.partial {
		c.complete()
	}
	c.names()
	for _, sec := range m.Sections {
		for _, s := range sec.settings {
			c.form(s)
		}
	}
	c.target()
	c.optimization()
	c.memory()
	c.abi()
	c.extensions()
	c.preprocessor()
	c.linker()
	c.platform()
	c.vendorSections()
	m.noteIncludes(c.found[len(m.problems):])
	return c.found
}

// isOlder reports whether the file is in an older format.
func isOlder(t *syntax.Tree) bool {
	return len(t.Problems()) == 1 && t.Problems()[0].Code == syntax.OlderFormat
}

// complete looks for required sections and keys in all files together. If an
// unknown name is a misspelling of a missing one, only that is reported.
func (c *checker) complete() {
	for i := range c.schema.Sections {
		table := &c.schema.Sections[i]
		sec := c.section(table.Name)
		if sec != nil {
			c.completeKeys(table, sec)
			continue
		}
		if !table.Required || slices.ContainsFunc(table.KeyNames(), func(k string) bool { return c.strays[k] }) {
			continue
		}
		if near := c.misspeltSection(table.Name); near != nil {
			c.sections[near] = true
			c.report(missingSection, near.At, "the required section `[%s]` is missing, but there is a section `[%s]`", table.Name, near.Name).
				Suggest(true, table.Name)
			continue
		}
		if below := c.misplaced(table.KeyNames()); below != nil {
			c.report(missingSection, below[0].Name, "the required section `[%s]` is missing above this line", table.Name).
				Helped("write `[%s]` above it; it is now below `[%s]`", table.Name, below[0].Section.Name)
			continue
		}
		end := c.tree.File().Len()
		c.report(missingSection, c.tree.File().Span(end, end), "the required section `[%s]` is missing", table.Name).
			Helped("its required keys: %s. A file that is only included is checked with the files that include it", and(required(table)))
	}
}

func required(s *schema.Section) []string {
	var names []string
	for _, k := range s.Keys {
		if k.Required {
			names = append(names, k.Name)
		}
	}
	return names
}

func (c *checker) completeKeys(table *schema.Section, sec *Section) {
	for i := range table.Keys {
		k := &table.Keys[i]
		if !k.Required || sec.get(k.Name) != nil || sec.lost[k.Name] || c.strays[k.Name] {
			continue
		}
		if near := c.misspeltKey(sec, table, k.Name); near != nil {
			c.settings[near] = true
			c.report(missingKey, near.Name, "the required key `%s` is missing, but there is a key `%s`", k.Name, near.Key).
				Suggest(true, k.Name)
			continue
		}
		if below := c.misplaced([]string{k.Name}); below != nil {
			c.report(missingKey, below[0].Name, "`[%s]` lacks the required key `%s`; this one is below `[%s]`", sec.Name, k.Name, below[0].Section.Name).
				Helped("move the line below `[%s]`", sec.Name)
			continue
		}
		d := c.report(missingKey, sec.At, "`[%s]` lacks the required key `%s`", sec.Name, k.Name)
		switch {
		case len(k.Enum) > 0 && k.Type == schema.Enum:
			d.Helped("it is one of %s", and(k.Enum))
		case k.Example != "":
			d.Helped("for instance `%s = %s`", k.Name, k.Example)
		}
	}
}

// misplaced returns the settings with one of these names that are in another
// known section. They are reported together with the missing key and not again.
func (c *checker) misplaced(keys []string) []*Setting {
	var list []*Setting
	for _, sec := range c.Sections {
		for _, s := range sec.settings {
			if sec.keys != nil && s.key == nil && !s.override && !c.settings[s] && slices.Contains(keys, s.Key) {
				c.settings[s] = true
				list = append(list, s)
			}
		}
	}
	return list
}

// maxSpelt is how many names are compared with a missing one to find a
// misspelling. A file with more was not written by hand.
const maxSpelt = 1000

// misspeltSection returns an unknown section whose name is a misspelling of
// name.
func (c *checker) misspeltSection(name string) *Section {
	names := c.schema.SectionNames()
	for _, s := range c.Sections[:min(len(c.Sections), maxSpelt)] {
		if s.keys == nil && !s.At.IsZero() && c.nearest(s.Name, names) == name {
			return s
		}
	}
	return nil
}

func (c *checker) misspeltKey(sec *Section, table *schema.Section, name string) *Setting {
	for _, s := range sec.settings[:min(len(sec.settings), maxSpelt)] {
		if s.key == nil && !s.override && c.homeOf(s.Key) == "" && c.nearest(s.Key, table.KeyNames()) == name {
			return s
		}
	}
	return nil
}

// names checks the names of sections and keys.
func (c *checker) names() {
	for _, sec := range c.Sections {
		if !c.sections[sec] {
			c.sectionName(sec)
		}
		for _, s := range sec.settings {
			switch {
			case c.settings[s]:
			case !isIdentifier(s.Key):
				d := c.report(badKey, s.Name, "`%s` is not a name for a key: letters, digits and `_`, not beginning with a digit", s.Key)
				if sec.keys == nil {
					break
				}
				if near := c.nearest(s.Key, sec.keys.KeyNames()); near != "" {
					d.Suggest(false, near)
				}
			case s.key == nil && sec.keys != nil:
				c.unknownKey(sec, s)
			}
		}
	}
}

func (c *checker) sectionName(sec *Section) {
	at := sec.At
	if at.IsZero() && len(sec.settings) > 0 {
		at = sec.settings[0].Name // only the command line mentions the section
	}
	switch {
	case sec.Name == "":
		c.report(badSection, at, "a section has a name between its brackets").Helped("for instance `[Target]`")
	case !isSectionName(sec.Name):
		d := c.report(badSection, at, "`%s` is not a name for a section: letters, digits, blanks and `_ . : -`, beginning with a letter", sec.Name)
		if name, doubled := strings.CutPrefix(sec.Name, "["); doubled {
			d.Helped("one pair of brackets is enough: `[%s]`", name)
		}
	case strings.HasPrefix(sec.Name, ownVendor+"_") && sec.keys == nil && !c.opts.Validator:
		c.report(unknownSection, at, "`[%s]` is not a section that this program adds to COIL", sec.Name).Suggest(true, platformSect)
	case sec.vendor:
		if vendor, _, _ := strings.Cut(sec.Name, "_"); !c.knowsVendor(vendor) && !c.opts.Validator && !c.vendors[vendor] {
			c.vendors[vendor] = true
			d := c.report(unknownVendor, at, "the vendor `%s` is not known here; the section is kept and not checked", vendor)
			if near := c.nearest(vendor, c.vendorNames()); near != "" {
				d.Helped("%s", problem.DidYouMean(near))
			}
		}
	case sec.keys == nil:
		d := c.report(unknownSection, at, "`[%s]` is not a section of COIL; a section of your own begins with your name and `_`", sec.Name)
		if c.crowded() {
			return
		}
		if near := c.nearest(sec.Name, c.schema.SectionNames()); near != "" {
			d.Suggest(!c.overrides(sec, near), near)
		} else {
			names := slices.DeleteFunc(c.schema.SectionNames(), func(n string) bool { return n == platformSect }) // the documented language does not have the platform section
			d.Helped("sections are %s, or for instance `[VENDOR_%s]`", and(names), strings.ReplaceAll(sec.Name, " ", ""))
		}
	}
}

// overrides reports whether renaming a section would change a setting that
// exists already.
func (c *checker) overrides(sec *Section, name string) bool {
	return slices.ContainsFunc(sec.settings, func(s *Setting) bool { return c.Lookup(name, s.Key) != nil })
}

func (c *checker) unknownKey(sec *Section, s *Setting) {
	d := c.report(unknownKey, s.Name, "`%s` is not a key of `[%s]`; it is kept and not checked", s.Key, sec.Name)
	if home := c.homeOf(s.Key); home != "" {
		d.Helped("it belongs below `[%s]`", home)
		return
	}
	if near := c.nearest(s.Key, sec.keys.KeyNames()); near != "" {
		d.Suggest(sec.get(near) == nil && !s.override, near)
		return
	}
	d.Helped("the keys are %s", and(sec.keys.KeyNames()))
}
