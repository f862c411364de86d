package pinsight

import (
	"iter"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// wordKinds are the kinds of tokens that mean the same everywhere.
var wordKinds = map[token.Kind]lang.Kind{syntax.Comment: lang.Comment, syntax.Equals: lang.Operator, syntax.Colon: lang.Operator}

// RegionSymbol returns the symbol of a region. Only regions have names chosen by the user; all other names come from the catalogue.
func RegionSymbol(name string) string { return "region " + name }

func domainSymbol(name string) string        { return "domain " + name }
func sectionSymbol(name string) string       { return "section " + name }
func unitSymbol(domain, kind string) string  { return "unit " + domain + "." + kind }
func eventSymbol(domain, name string) string { return "event " + domain + "." + name }

// occurrences yields the occurrences in the file.
func (m *Model) occurrences() iter.Seq[lang.Occurrence] {
	return func(yield func(lang.Occurrence) bool) {
		w := &walker{Model: m, yield: yield, keys: m.writtenKeys(), known: map[string]bool{}}
		for i := range m.tree.Sections {
			if w.done {
				return
			}
			w.section(&m.tree.Sections[i])
		}
	}
}

// writtenKeys returns the full keys of the settings, by the positions of their lines.
func (m *Model) writtenKeys() map[int]string {
	keys := map[int]string{}
	for _, s := range m.sections {
		for _, have := range s.settings {
			for h := have; h != nil; h = h.Prev {
				if _, known := keys[h.Span.Start]; !known && h.Span.File == m.tree.File() && h.kind != resetSetting {
					keys[h.Span.Start] = s.Name + "." + have.Key
				}
			}
		}
	}
	return keys
}

type walker struct {
	*Model
	yield func(lang.Occurrence) bool
	done  bool
	keys  map[int]string
	known map[string]bool // symbols that were declared
}

func (w *walker) add(o lang.Occurrence) {
	if !w.done && o.Span.Len() > 0 {
		w.done = !w.yield(o)
	}
}

// declare adds an occurrence of a symbol. The first occurrence counts as the declaration.
func (w *walker) declare(o lang.Occurrence) {
	o.Def = !w.known[o.Symbol]
	w.known[o.Symbol] = true
	w.add(o)
}

func (w *walker) section(s *syntax.Section) {
	t := w.tree
	w.add(lang.Occurrence{Span: t.Span(s.Action), Kind: lang.Keyword})
	for _, ref := range s.Targets {
		w.target(ref)
	}
	for _, ref := range s.Inherit {
		w.add(lang.Occurrence{Span: t.Span(ref.Text), Kind: lang.Section, Symbol: sectionSymbol(t.Of(ref.Text)), Fixed: true})
		w.add(lang.Occurrence{Span: t.Span(ref.Name), Kind: lang.Domain, Symbol: sectionSymbol(t.Of(ref.Text)), Type: domainSymbol(t.Of(ref.Name)), Fixed: true})
	}
	for _, ref := range s.Units {
		w.unit(ref)
	}
	tgt := w.kindOf(s)
	for i := range s.Entries {
		w.entry(tgt, &s.Entries[i])
	}
}

func (w *walker) target(ref syntax.Ref) {
	t := w.tree
	name, member := t.Of(ref.Name), t.Of(ref.Member)
	switch {
	case name == "Lexgion" && ref.HasArgs && member == "":
		w.add(lang.Occurrence{Span: t.Span(ref.Name), Kind: lang.Keyword})
		for item := range t.Items(ref.Args) {
			w.declare(lang.Occurrence{Span: t.Span(item), Kind: lang.Region, Symbol: RegionSymbol(t.Of(item))})
		}
	case ref.HasSet:
		w.unit(ref)
	default:
		w.declare(lang.Occurrence{Span: t.Span(ref.Text), Kind: lang.Section, Symbol: sectionSymbol(t.Of(ref.Text)), Fixed: true})
	}
}

func (w *walker) unit(ref syntax.Ref) {
	t := w.tree
	domain, kind := t.Of(ref.Name), t.Of(ref.Member)
	w.add(lang.Occurrence{Span: t.Span(ref.Name), Kind: lang.Domain, Symbol: domainSymbol(domain), Fixed: true})
	w.add(lang.Occurrence{Span: t.Span(ref.Member), Kind: lang.Unit, Symbol: unitSymbol(domain, kind), Fixed: true})
	w.add(lang.Occurrence{Span: t.Span(ref.Set), Kind: lang.Number})
}

// entry adds a key and its value.
func (w *walker) entry(tgt target, e *syntax.Entry) {
	t := w.tree
	text, span := t.Of(e.Key), t.Span(e.Key)
	o := lang.Occurrence{Span: span, Kind: lang.Key, Key: w.keys[span.Start], Fixed: true}
	domain, name, dotted := strings.Cut(text, ".")
	switch {
	case tgt.kind == service || tgt.keys.Key(text) != nil || ownKeyHome(text) != "":
		o.Symbol = "key " + text
	case dotted:
		w.add(lang.Occurrence{Span: source.Span{File: span.File, Start: span.Start, End: span.Start + len(domain)}, Kind: lang.Domain, Symbol: domainSymbol(domain), Fixed: true})
		o.Span.Start += len(domain) + 1
		o.Kind, o.Symbol = lang.Event, eventSymbol(domain, name)
		if id, ok := w.Catalog.Domain(domain); ok && slices.Contains(w.Catalog.KindNames(id), name) {
			o.Kind, o.Symbol = lang.Unit, unitSymbol(domain, name)
		}
	default:
		if ids := w.Catalog.events[text]; len(ids) > 0 {
			o.Kind, o.Symbol = lang.Event, eventSymbol(w.Catalog.Name(eventOf(ids, tgt.domain).domain), text)
		}
	}
	w.add(o)
	w.add(lang.Occurrence{Span: t.Span(e.Value), Kind: valueKind(t.Of(e.Value)), Key: o.Key})
}

// eventOf returns the event with a name in the domain of its section or, if that domain has none, the first event with the name.
func eventOf(ids []eventID, domain trace.DomainID) eventID {
	for _, id := range ids {
		if id.domain == domain {
			return id
		}
	}
	return ids[0]
}

func valueKind(text string) lang.Kind {
	if strings.Trim(text, "-0123456789") == "" || strings.HasPrefix(text, "(") {
		return lang.Number
	}
	return lang.Word
}

// kindOf returns the kind and the domain of a section, as far as its header gives them.
func (m *Model) kindOf(s *syntax.Section) target {
	tgt := target{kind: region, keys: &regionKeys}
	if len(s.Targets) == 0 {
		return tgt
	}
	ref := &s.Targets[0]
	name, member := m.tree.Of(ref.Name), m.tree.Of(ref.Member)
	switch {
	case name == "Lexgion" && member == "":
		return tgt
	case name == "Lexgion" && ref.HasArgs:
		tgt.kind = regionDomainDefault
		name = m.tree.Of(ref.Args)
	case name == "Lexgion":
		tgt.kind = regionDefault
		return tgt
	case slices.Contains(serviceNames, name):
		tgt.kind, tgt.keys = service, serviceSchema(name)
		return tgt
	case member == "default":
		tgt.kind, tgt.keys = domainDefault, &domainKeys
	default:
		tgt.kind, tgt.keys = domainUnits, &unitKeys
	}
	tgt.domain, _ = m.Catalog.Domain(name)
	return tgt
}
