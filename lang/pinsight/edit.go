package pinsight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// edit sets a key on the line that decides its value. If there is none, it adds a line to the key's section, or to a new section at the end.
func edit(t *syntax.Tree, m *Model, key, value string) ([]source.Edit, error) {
	if strings.ContainsAny(value, "\r\n") {
		return nil, fmt.Errorf("the value of `%s` has a line break; a value is one line", key)
	}
	section, name, ok := splitKey(m, key)
	if !ok {
		return nil, unknownSetting(m, key)
	}
	if m.overridden(section, name) {
		return nil, fmt.Errorf("`%s` is set on the command line; leave the -s out", key)
	}
	return m.place(t, section, name, value), nil
}

// overridden reports whether the command line decides a setting.
func (m *Model) overridden(section, name string) bool {
	for _, s := range m.sections {
		if have := s.get(name); s.Name == section && have != nil && have.Span.File != m.tree.File() {
			return true
		}
	}
	return false
}

// place returns the edits that put a setting into the file.
func (m *Model) place(t *syntax.Tree, section, name, value string) []source.Edit {
	line := func(text string) string { return fmt.Sprintf("    %s = %s\n", name, text) }
	for _, s := range m.sections {
		if s.Name != section {
			continue
		}
		if name == "units" && len(s.Units) > 0 {
			return []source.Edit{{Span: s.Units[0].Place.To(s.Units[len(s.Units)-1].Place), Text: value}}
		}
		if have := s.get(name); have != nil && have.kind != resetSetting {
			for _, e := range entries(t) {
				if span := t.Span(e.Key).To(t.Span(e.Value)); span == have.Span {
					return []source.Edit{{Span: t.Span(e.Value), Text: value}}
				}
			}
		}
		if end, ok := m.endOf(t, s); ok {
			return []source.Edit{{Span: t.File().Span(end, end), Text: atLine(t, end, line(value))}}
		}
	}
	end := t.File().Len()
	text := fmt.Sprintf("[%s]\n%s", section, line(value))
	if end > 0 {
		text = "\n" + text
	}
	return []source.Edit{{Span: t.File().Span(end, end), Text: atLine(t, end, text)}}
}

// atLine adds a line break before a text that is inserted, unless the insertion is at the start of a line.
func atLine(t *syntax.Tree, at int, text string) string {
	if at > 0 && t.File().Text()[at-1] != '\n' {
		return "\n" + text
	}
	return text
}

func entries(t *syntax.Tree) []syntax.Entry {
	var all []syntax.Entry
	for i := range t.Sections {
		all = append(all, t.Sections[i].Entries...)
	}
	return all
}

// endOf returns the position for a new key of the section: after the last key of its last header. It ignores headers that name other sections too,
// and headers before a RESET or REMOVE of the section.
func (m *Model) endOf(t *syntax.Tree, s *Section) (int, bool) {
	for i := len(t.Sections) - 1; i >= 0; i-- {
		syn := &t.Sections[i]
		if syn.Broken || s.reset.Start > int(syn.Target.Start) {
			continue
		}
		act := strings.ToUpper(t.Of(syn.Action))
		if act != "" && act != "SET" || t.Span(syn.Target) != s.At && t.Of(syn.Target) != s.Name {
			continue
		}
		line := syn.Line
		if n := len(syn.Entries); n > 0 {
			line = syn.Entries[n-1].Line
		}
		end := t.RangeSpan(line).End
		if end < t.File().Len() {
			end++ // move past the line break
		}
		return end, len(slices.Collect(t.Items(syn.Target))) == 1 || s.Match.Address == 0 && s.Match.Name == ""
	}
	return 0, false
}

func unknownSetting(m *Model, key string) error {
	var keys []string
	for e := range m.values {
		keys = append(keys, e.Key)
	}
	const shapes = "keys look like `OpenMP.default.omp_work` or `Lexgion(0x400500).tracing_rate`"
	return fmt.Errorf("there is no setting `%s`; %s", key, problem.Advise(key, keys, shapes))
}

// Address is a region's address in a file.
type Address struct {
	Span  source.Span
	Value uint64
}

// Addresses returns the addresses of regions in a file, in order.
func Addresses(c *lang.Config) []Address {
	m, ok := lang.Model[*Model](c)
	if !ok {
		return nil
	}
	var list []Address
	for i := range m.tree.Sections {
		s := &m.tree.Sections[i]
		for _, ref := range s.Targets {
			if m.tree.Of(ref.Name) != "Lexgion" || !ref.Member.Empty() {
				continue
			}
			for item := range m.tree.Items(ref.Args) {
				if value, ok := parseAddress(m.tree.Of(item)); ok {
					list = append(list, Address{m.tree.Span(item), value})
				}
			}
		}
	}
	return list
}

// Edit returns the edit that replaces the address.
func (a Address) Edit(value uint64) source.Edit {
	return source.Edit{Span: a.Span, Text: fmt.Sprintf("0x%x", value)}
}
