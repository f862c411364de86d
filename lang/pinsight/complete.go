package pinsight

import (
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// complete lists what may be written at an offset.
func (m *Model) complete(f *source.File, offset int) []lang.Completion {
	line := lang.LineBefore(f, offset)
	text := strings.TrimLeft(line, " \t")
	c := completer{Model: m, file: f, offset: offset}
	key, value, assigned := strings.Cut(text, "=")
	switch {
	case strings.HasPrefix(text, "#"):
		return nil
	case strings.HasPrefix(text, "["):
		head, tail, closed := strings.Cut(text[1:], "]")
		if !closed {
			return c.target(head)
		}
		switch parts := strings.Split(tail, ":"); len(parts) {
		case 2:
			return c.inherited(lastItem(parts[1]))
		case 3:
			return c.unit(lastItem(parts[2]))
		}
		return nil
	case assigned:
		return c.value(strings.TrimSpace(key), strings.TrimLeft(value, " \t"))
	case strings.ContainsAny(text, " \t"):
		return nil
	}
	return c.keys(text)
}

func lastItem(text string) string {
	return strings.TrimLeft(text[strings.LastIndexByte(text, ',')+1:], " \t")
}

type completer struct {
	*Model
	file   *source.File
	offset int
}

func (c *completer) item(label string, kind lang.Kind, typed, doc string) lang.Completion {
	return lang.Completion{Label: label, Kind: kind, Doc: doc, Replace: c.file.Span(c.offset-len(typed), c.offset)}
}

// target completes the text in the brackets of a header.
func (c *completer) target(head string) []lang.Completion {
	typed := head[strings.LastIndexAny(head, " \t,")+1:]
	domain, member, dotted := strings.Cut(typed, ".")
	if _, known := c.Catalog.Domain(domain); dotted && known {
		if strings.HasPrefix(lang.LineAfter(c.file, c.offset), "(") { // the units are already written
			kinds := c.kinds(domain, member)
			for i := range kinds {
				kinds[i].Insert, kinds[i].Snippet = "", false
			}
			return kinds
		}
		item := c.item("default", lang.Section, member, domainKeys.Doc)
		return append([]lang.Completion{item}, c.kinds(domain, member)...)
	}
	if inner, ok := strings.CutPrefix(typed, "Lexgion("); ok {
		var list []lang.Completion
		for _, name := range c.Catalog.DomainNames() {
			list = append(list, c.item(name, lang.Domain, inner, "All regions of a domain: `[Lexgion("+name+").default]`."))
		}
		if c.options.Program != nil {
			kernels, _ := c.options.Program.Kernels() // the list may be incomplete: offer the kernels that are known
			for _, name := range kernels {
				list = append(list, c.item(name, lang.Type, inner, "A kernel of `"+filepath.Base(c.options.Program.Path)+"`."))
			}
		}
		return list
	}
	var list []lang.Completion
	for _, name := range c.Catalog.DomainNames() {
		list = append(list, c.item(name+".default", lang.Section, typed, domainKeys.Doc))
	}
	list = append(list, c.item("Lexgion.default", lang.Section, typed, "Settings for all regions of code."))
	single := c.item("Lexgion(…)", lang.Section, typed, regionKeys.Doc)
	single.Insert, single.Snippet = "Lexgion(${1:address})", true
	list = append(list, single)
	for _, name := range serviceNames {
		list = append(list, c.item(name, lang.Section, typed, serviceSchema(name).Doc))
	}
	if typed == head {
		for _, action := range []string{"SET", "RESET", "REMOVE"} {
			list = append(list, c.item(action, lang.Keyword, typed, ""))
		}
	}
	return list
}

// kinds returns the kinds of units of a domain, each with a placeholder for
// the set.
func (c *completer) kinds(domain, typed string) []lang.Completion {
	var list []lang.Completion
	if id, ok := c.Catalog.Domain(domain); ok {
		for _, name := range c.Catalog.KindNames(id) {
			item := c.item(name, lang.Unit, typed, "")
			item.Insert, item.Snippet = name+"(${1:0})", true
			list = append(list, item)
		}
	}
	return list
}

// inherited completes the second part of a header.
func (c *completer) inherited(typed string) []lang.Completion {
	s := c.around()
	if s == nil {
		return nil
	}
	tgt := c.kindOf(s)
	if tgt.kind == domainDefault || tgt.kind == service {
		return nil
	}
	var list []lang.Completion
	for i, name := range c.Catalog.DomainNames() {
		if tgt.kind != domainUnits || int(tgt.domain) == i {
			list = append(list, c.item(name+".default", lang.Section, typed, "The current events of the domain."))
		}
	}
	return list
}

// unit completes the third part of a header.
func (c *completer) unit(typed string) []lang.Completion {
	if s := c.around(); s == nil || c.kindOf(s).kind != domainUnits && c.kindOf(s).kind != region {
		return nil
	}
	if domain, member, dotted := strings.Cut(typed, "."); dotted {
		return c.kinds(domain, member)
	}
	var list []lang.Completion
	for i, name := range c.Catalog.DomainNames() {
		if len(c.Catalog.KindNames(trace.DomainID(i))) > 0 {
			item := c.item(name, lang.Domain, typed, "")
			item.Insert = name + "."
			list = append(list, item)
		}
	}
	return list
}

// around returns the section that contains the cursor.
func (c *completer) around() *syntax.Section {
	var found *syntax.Section
	for i := range c.tree.Sections {
		if s := &c.tree.Sections[i]; c.tree.RangeSpan(s.Line).Start <= c.offset {
			found = s
		}
	}
	return found
}

// keys returns the keys that can be added to the section.
func (c *completer) keys(typed string) []lang.Completion {
	s := c.around()
	if s == nil || !s.Action.Empty() && !strings.EqualFold(c.tree.Of(s.Action), "SET") {
		return nil
	}
	written := map[string]bool{}
	for _, e := range s.Entries {
		if int(e.Key.End) != c.offset {
			written[c.tree.Of(e.Key)] = true
		}
	}
	var list []lang.Completion
	add := func(name string, kind lang.Kind, doc string) {
		if written[name] {
			return
		}
		item := c.item(name, kind, typed, doc)
		item.Insert, item.Snippet = name+" = $0", true
		list = append(list, item)
	}
	tgt := c.kindOf(s)
	keys := tgt.keys.Keys
	for i := range keys {
		add(keys[i].Name, lang.Key, keys[i].Describe())
	}
	domain, event, dotted := strings.Cut(typed, ".")
	switch {
	case tgt.kind == service:
	case dotted:
		if id, ok := c.Catalog.Domain(domain); ok && (tgt.kind != domainUnits || id == tgt.domain) {
			for _, name := range c.Catalog.EventNames(id) {
				item := c.item(name, lang.Event, event, "")
				item.Insert, item.Snippet = name+" = $0", true
				list = append(list, item)
			}
		}
	case tgt.kind == regionDefault || tgt.kind == region:
		for i, d := range c.Catalog.Domains() {
			for _, name := range c.Catalog.EventNames(trace.DomainID(i)) {
				add(name, lang.Event, "An event of the domain "+d.Name+".")
			}
		}
	default:
		if tgt.kind == domainDefault {
			d := c.Catalog.Name(tgt.domain)
			for _, kind := range c.Catalog.KindNames(tgt.domain) {
				item := c.item(d+"."+kind, lang.Unit, typed, "The units that are traced at all.")
				item.Insert, item.Snippet = d+"."+kind+" = (${1:0-3})", true
				list = append(list, item)
			}
			for _, k := range c.Catalog.ownKeys(tgt.domain) {
				add(k.Name, lang.Key, k.Describe())
			}
		}
		for _, e := range c.Catalog.Domains()[tgt.domain].Events {
			add(e.Name, lang.Event, "An event of the group "+e.Subdomain+".")
		}
	}
	return list
}

// value completes the value of a key.
func (c *completer) value(key, typed string) []lang.Completion {
	s := c.around()
	if s == nil {
		return nil
	}
	tgt := c.kindOf(s)
	k := tgt.keys.Key(key)
	if k == nil && tgt.kind == domainDefault {
		k = c.Catalog.ownKey(tgt.domain, key)
	}
	choices := []string{"on", "off"}
	if k != nil {
		choices = k.Enum
	} else if _, name, dotted := strings.Cut(key, "."); len(c.Catalog.events[key]) == 0 && (!dotted || len(c.Catalog.events[name]) == 0) {
		return nil
	}
	var list []lang.Completion
	for _, word := range choices {
		list = append(list, c.item(word, lang.Word, typed, ""))
	}
	return list
}
