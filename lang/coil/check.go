package coil

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/schema"
)

// check goes through the rules: what must be there, what names and values
// may be, and what goes together.
func (m *Model) check() {
	if !m.opts.Fragment && !m.partial {
		m.complete()
	}
	m.names()
	for _, sec := range m.Sections {
		if sec.keys == nil {
			continue
		}
		for _, s := range sec.settings {
			if s.key != nil && s.Value.OK {
				m.form(s)
			}
		}
	}
	m.checkTarget()
	m.checkOptimization()
	m.checkMemory()
	m.checkABI()
	m.checkExtensions()
	m.checkPreprocessor()
	m.checkLinker()
	m.checkVendors()
}

// complete looks for required sections and keys in what all files say
// together. Where something unknown is spelt nearly so, that is the one finding.
func (m *Model) complete() {
	for i := range m.schema.Sections {
		table := &m.schema.Sections[i]
		sec := m.section(table.Name)
		if sec != nil {
			m.completeKeys(table, sec)
			continue
		}
		if !table.Required || slices.ContainsFunc(table.KeyNames(), func(k string) bool { return m.strays[k] }) {
			continue
		}
		if near := m.misspeltSection(table.Name); near != nil {
			near.named = true
			m.report(missingSection, near.At, "the required section `[%s]` is missing; `[%s]` is not it", table.Name, clip(near.Name)).
				Suggest(true, table.Name)
			continue
		}
		if below := m.misplaced(table.KeyNames()); below != nil {
			m.report(missingSection, below[0].Name, "the required section `[%s]` is missing above this line", table.Name).
				Helped("write `[%s]` above it; now it stands below `[%s]`", table.Name, clip(below[0].Section.Name))
			continue
		}
		end := m.tree.File().Len()
		m.report(missingSection, m.tree.File().Span(end, end), "the required section `[%s]` is missing", table.Name).
			Helped("its required keys: %s. A file that is only included is checked by those that include it", and(required(table)))
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

func (m *Model) completeKeys(table *schema.Section, sec *Section) {
	for i := range table.Keys {
		k := &table.Keys[i]
		if !k.Required || sec.get(k.Name) != nil || sec.lost[k.Name] || m.strays[k.Name] {
			continue
		}
		if near := m.misspeltKey(sec, table, k.Name); near != nil {
			near.named = true
			m.report(missingKey, near.Name, "the required key `%s` is missing; `%s` is not it", k.Name, clip(near.Key)).
				Suggest(true, k.Name)
			continue
		}
		if below := m.misplaced([]string{k.Name}); below != nil {
			m.report(missingKey, below[0].Name, "`[%s]` lacks the required key `%s`; this one stands below `[%s]`", sec.Name, k.Name, clip(below[0].Section.Name)).
				Helped("move the line below `[%s]`", sec.Name)
			continue
		}
		d := m.report(missingKey, sec.At, "`[%s]` lacks the required key `%s`", sec.Name, k.Name)
		switch {
		case len(k.Enum) > 0 && k.Type == schema.Enum:
			d.Helped("it is one of %s", and(k.Enum))
		case k.Example != "":
			d.Helped("for instance `%s = %s`", k.Name, k.Example)
		}
	}
}

// misplaced are the settings with one of the names that stand in another known
// section. They are said with what is missing, not again.
func (m *Model) misplaced(keys []string) []*Setting {
	var list []*Setting
	for _, sec := range m.Sections {
		for _, s := range sec.settings {
			if sec.keys != nil && s.key == nil && !s.override && !s.named && slices.Contains(keys, s.Key) {
				s.named = true
				list = append(list, s)
			}
		}
	}
	return list
}

// maxSearched is how many sections, or keys of one, are searched for a
// misspelt name: a file with more was not written by hand.
const maxSearched = 1000

// misspeltSection is an unknown section whose name is near a known one's.
func (m *Model) misspeltSection(name string) *Section {
	names := m.schema.SectionNames()
	for _, s := range m.Sections[:min(len(m.Sections), maxSearched)] {
		if s.keys == nil && !s.At.IsZero() && m.meant(s.Name, names) == name {
			return s
		}
	}
	return nil
}

func (m *Model) misspeltKey(sec *Section, table *schema.Section, name string) *Setting {
	for _, s := range sec.settings[:min(len(sec.settings), maxSearched)] {
		if s.key == nil && !s.override && m.homeOf(s.Key) == "" && m.meant(s.Key, table.KeyNames()) == name {
			return s
		}
	}
	return nil
}

// meant is the one of some names that another is a misspelling of, or "".
func (m *Model) meant(name string, names []string) string {
	if m.crowded() {
		return ""
	}
	near, _ := problem.Nearest(name, names)
	return near
}

// names checks how sections and keys are called.
func (m *Model) names() {
	for _, sec := range m.Sections {
		if !sec.named {
			m.sectionName(sec)
		}
		for _, s := range sec.settings {
			switch {
			case s.named:
			case !isIdentifier(s.Key):
				d := m.report(badKey, s.Name, "`%s` is not a name for a key: letters, digits and `_`, not beginning with a digit", clip(s.Key))
				if sec.keys == nil {
					break
				}
				if near := m.meant(s.Key, sec.keys.KeyNames()); near != "" {
					d.Suggest(false, near)
				}
			case s.key == nil && sec.keys != nil:
				m.unknownKey(sec, s)
			}
		}
	}
}

func (m *Model) sectionName(sec *Section) {
	at := sec.At
	if at.IsZero() && len(sec.settings) > 0 {
		at = sec.settings[0].Name // the command line alone names it
	}
	switch {
	case sec.Name == "":
		m.report(badSection, at, "a section has a name between its brackets").Helped("for instance `[Target]`")
	case !isSectionName(sec.Name):
		d := m.report(badSection, at, "`%s` is not a name for a section: letters, digits, blanks and `_ . : -`, beginning with a letter", clip(sec.Name))
		if name, doubled := strings.CutPrefix(sec.Name, "["); doubled {
			d.Helped("one pair of brackets is enough: `[%s]`", clip(name))
		}
	case sec.vendor:
		if vendor, _, _ := strings.Cut(sec.Name, "_"); !m.knowsVendor(vendor) && !m.opts.Validator && !m.strange[vendor] {
			if m.strange == nil {
				m.strange = map[string]bool{}
			}
			m.strange[vendor] = true
			d := m.report(unknownVendor, at, "the vendor `%s` is not known here; the section is kept and not checked", clip(vendor))
			if near := m.meant(vendor, m.vendors()); near != "" {
				d.Helped("did you mean `%s`?", near)
			}
		}
	case sec.keys == nil:
		d := m.report(unknownSection, at, "`[%s]` is not a section of COIL; one of your own begins with your name and `_`", clip(sec.Name))
		if near := m.meant(sec.Name, m.schema.SectionNames()); near != "" {
			d.Suggest(!m.overrides(sec, near), near)
		} else {
			d.Helped("sections are %s, or for instance `[VENDOR_%s]`", and(m.schema.SectionNames()), strings.ReplaceAll(clip(sec.Name), " ", ""))
		}
	}
}

// overrides reports whether a section under another name would change a setting that
// is there already.
func (m *Model) overrides(sec *Section, name string) bool {
	return slices.ContainsFunc(sec.settings, func(s *Setting) bool { return m.get(name, s.Key) != nil })
}

func (m *Model) unknownKey(sec *Section, s *Setting) {
	d := m.report(unknownKey, s.Name, "`%s` is not a key of `[%s]`; it is kept and not checked", clip(s.Key), sec.Name)
	if home := m.homeOf(s.Key); home != "" {
		d.Helped("it belongs below `[%s]`", home)
		return
	}
	if near := m.meant(s.Key, sec.keys.KeyNames()); near != "" {
		d.Suggest(sec.get(near) == nil && !s.override, near)
		return
	}
	d.Helped("the keys are %s", and(sec.keys.KeyNames()))
}
