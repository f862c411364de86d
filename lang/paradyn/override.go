package paradyn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
)

// overrides applies the settings of the command line on top of the files.
func (m *Model) overrides(list []load.Override) {
	for _, o := range list {
		f := source.NewFile("command line", "-s "+o.Key+"="+o.Value)
		at := Place{Span: f.Span(len("-s ")+len(o.Key)+1, f.Len()), Override: true}
		if message, help := m.override(o.Key, o.Value, at); message != "" {
			m.problems.Report(badOverride, f.Span(len("-s "), f.Len()), "%s", message).Helped("%s", help)
		}
	}
}

// override sets a tunable constant or an existing field.
func (m *Model) override(text, value string, at Place) (message, help string) {
	k, ok := parseKey(text)
	if !ok {
		return m.unknownKey(text)
	}
	if help := m.refuse(k, value); help != "" {
		return fmt.Sprintf("`%s` cannot be `%s`", problem.Clip(text, problem.Short), problem.Clip(value, problem.Short)), help
	}
	if k.kind == "tunable_constant" {
		m.Tunables = append(m.Tunables, Tunable{k.name, value, at, at.Span.File.Span(len("-s "), at.Span.Start-1)})
		return "", ""
	}
	if k.item >= 0 {
		if items := m.items(k); k.item < len(items) {
			items[k.item] = Item{value, at}
			return "", ""
		}
		return m.unknownKey(text)
	}
	blocks := m.of(k.kind)
	if !k.isBlock() || k.index >= len(*blocks) || k.name == "args" {
		return m.unknownKey(text)
	}
	b := (*blocks)[k.index]
	v := Value{Text: value, Place: at}
	if f := b.field(k.name); f != nil {
		f.Values = append(f.Values, v)
	} else {
		b.Fields = append(b.Fields, Field{k.name, []Value{v}})
	}
	return "", ""
}

// items returns the list of items that k.index or k.item refers to.
func (m *Model) items(k key) []Item {
	if k.kind == "list" {
		for i := len(m.Lists) - 1; i >= 0; i-- {
			if m.Lists[i].Name == k.name {
				return m.Lists[i].Items
			}
		}
		return nil
	}
	if blocks := *m.of(k.kind); k.index < len(blocks) && k.name == "args" {
		if f := blocks[k.index].field("args"); f != nil {
			return f.last().Items
		}
	}
	return nil
}

// refuse returns the reason why a setting cannot have a value, or "".
func (m *Model) refuse(k key, value string) string {
	switch {
	case strings.ContainsAny(value, "\"\n\r\x00"):
		return "a string has no quotes and no line breaks"
	case k.kind == "tunable_constant":
		if !isNumber(value) {
			return "numbers are digits, perhaps with a dot and digits"
		}
	case k.isBlock() && section(k.kind).Key(k.name).Type == schema.Enum:
		if !slices.Contains(flavors, value) && m.pcl.IsZero() {
			return "the flavors are pvm and cm5"
		}
	case value == "" && k.item < 0:
		return "it needs at least one character"
	}
	return ""
}

// isNumber reports whether a text is a number of the language.
func isNumber(s string) bool {
	whole, part, dotted := strings.Cut(s, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return digits(whole) && (!dotted || digits(part))
}

// unknownKey returns the message for a setting that does not exist, with the nearest
// name.
func (m *Model) unknownKey(text string) (message, help string) {
	var keys []string
	for e := range m.values {
		keys = append(keys, e.Key)
	}
	message = fmt.Sprintf("there is no setting `%s`", problem.Clip(text, problem.Short))
	if near, ok := problem.Nearest(text, keys); ok {
		return message, problem.DidYouMean(near)
	}
	return message, "keys look like `tunable_constant.maxEval`, `daemon[0].host` or `process[0].args[1]`"
}
