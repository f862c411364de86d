package coil

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil/preset"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
)

// edit sets a key on the line that decides its value. If there is none, it
// adds a line to the key's section, or to a new section at the end. If a
// preset decides the value, the file gets a line that overrides it.
func edit(t *syntax.Tree, m *Model, path, value string) ([]source.Edit, error) {
	if strings.ContainsAny(value, "\r\n") {
		return nil, fmt.Errorf("the value of `%s` has a line break; a value is one line", problem.Clip(path, problem.Short))
	}
	section, key, ok := cutKey(path)
	if !ok {
		return nil, m.unknownSetting(path)
	}
	table := m.schema.Section(section)
	if table == nil && m.section(section) == nil && !isVendor(section) || table != nil && table.Key(key) == nil && m.Lookup(section, key) == nil {
		return nil, m.unknownSetting(path)
	}
	return m.place(t, section, key, m.written(section, key, value)), nil
}

// written returns a value as it is written in a file: a text gets quotes if it
// needs them.
func (m *Model) written(section, key, value string) string {
	table := m.schema.Section(section)
	if table == nil || table.Key(key) == nil {
		return value
	}
	k := table.Key(key)
	if k.Type == schema.List && value == "" {
		return `""`
	}
	isText := k.Type == schema.String || k.Type == schema.Path
	if isText && !strings.Contains(value, `"`) && (strings.ContainsAny(value, " \t#;,") || value == "") {
		return `"` + value + `"`
	}
	return value
}

// place returns the edits that add a setting to a file.
func (m *Model) place(t *syntax.Tree, section, key, text string) []source.Edit {
	s := m.Lookup(section, key)
	for s != nil && s.override {
		s = s.prev
	}
	if s != nil && s.Text.Text() == text {
		return nil
	}
	if s != nil && !isPreset(s) {
		if s.Text.Len() == 0 {
			text = " " + text
		}
		return []source.Edit{{Span: s.Text, Text: text}}
	}
	line := key + " = " + text + "\n"
	for i := len(t.Sections) - 1; i >= 0; i-- {
		syn := &t.Sections[i]
		if collapse(t.Of(syn.Name)) != section {
			continue
		}
		last := syn.Line
		if n := len(syn.Entries); n > 0 {
			last = syn.Entries[n-1].Line
		}
		return []source.Edit{m.insert(t, last, line)}
	}
	end := t.File().Len()
	text = fmt.Sprintf("[%s]\n%s", section, line)
	if end > 0 {
		text = "\n" + text
		if last := t.File().Text()[end-1]; last != '\n' && last != '\r' {
			text = "\n" + text
		}
	}
	return []source.Edit{{Span: t.File().Span(end, end), Text: text}}
}

// isPreset reports whether a preset decides a setting.
func isPreset(s *Setting) bool {
	_, is := preset.ByPath(s.Text.File.Path())
	return is
}

// insert returns the edit that puts a line below another.
func (m *Model) insert(t *syntax.Tree, below syntax.Range, line string) source.Edit {
	end := t.RangeSpan(below).End
	if t.Tokens().Kind(int(below.End)) == syntax.Newline {
		end = t.Tokens().Span(int(below.End)).End
	} else {
		line = "\n" + line
	}
	return source.Edit{Span: t.File().Span(end, end), Text: line}
}

func (m *Model) unknownSetting(path string) error {
	var all []string
	for _, sec := range m.schema.Sections {
		for _, k := range sec.Keys {
			all = append(all, sec.Name+"."+k.Name)
		}
	}
	for e := range m.values {
		all = append(all, e.Key)
	}
	if near, ok := problem.Nearest(path, all); ok {
		return fmt.Errorf("there is no setting `%s`; did you mean `%s`?", problem.Clip(path, problem.Short), near)
	}
	return fmt.Errorf("there is no setting `%s`; write `SECTION.KEY`, for instance `Target.Mode`", problem.Clip(path, problem.Short))
}
