package pinsight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// entry applies one line to the sections it stands in.
func (r *resolver) entry(s *syntax.Section, tgt target, e *syntax.Entry) {
	n, ok := r.setting(tgt, e)
	if !ok {
		return
	}
	n.Span = r.tree.Span(e.Key).To(r.tree.Span(e.Value))
	for _, sec := range tgt.sections[1:] {
		sec.put(r.newSetting(*n))
	}
	tgt.sections[0].put(n)
	if n.Prev != nil && n.Prev.kind != resetSetting && n.Prev.Span.File == n.Span.File && n.Prev.Span.Start > int(s.Target.Start) {
		r.report(repeatedKey, r.tree.Span(e.Key), "`%s` is set twice in this section; this line counts", n.Key).
			At(n.Prev.Span, "first set here")
	}
}

// setting reads a line as a setting of the target.
func (r *resolver) setting(tgt target, e *syntax.Entry) (*Setting, bool) {
	key, value := r.tree.Of(e.Key), r.tree.Of(e.Value)
	if tgt.kind == service {
		return r.serviceSetting(tgt, e)
	}
	if k := sectionKeys(tgt.kind).Key(key); k != nil {
		return r.plain(e, k)
	}
	if tgt.kind == domainDefault && slices.Contains(r.Catalog.policies[tgt.domain], key) {
		return r.plain(e, policyKey)
	}
	if domain, name, dotted := strings.Cut(key, "."); dotted {
		at := e.Key.Start + int32(len(domain)) + 1
		return r.dotted(tgt, e, syntax.Text{Start: e.Key.Start, End: at - 1}, syntax.Text{Start: at, End: e.Key.End}, name)
	}
	if ids := r.Catalog.events[key]; len(ids) > 0 {
		id := ids[0]
		for _, other := range ids {
			if other.domain == tgt.domain {
				id = other
			}
		}
		return r.event(tgt, e, e.Key, id)
	}
	r.unknown(tgt, e, key, value)
	return nil, false
}

// plain reads the value of a key from the table.
func (r *resolver) plain(e *syntax.Entry, k *schema.Key) (*Setting, bool) {
	value, span := r.tree.Of(e.Value), r.valueSpan(e)
	switch k.Type {
	case schema.Int:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || float64(n) < k.Min.Value || k.Max.Set && float64(n) > k.Max.Value {
			accepted := "a whole number, " + k.Range()
			if k.Name == maxKey {
				accepted = "a whole number from 0, or -1 for no limit"
			}
			r.report(badNumber, span, "%s: it takes %s", notValue(value, k.Name), accepted)
			return nil, false
		}
		if value[0] == '0' || value[0] == '+' {
			value = strconv.FormatInt(n, 10)
		}
	case schema.Enum:
		word, _, _ := strings.Cut(value, ":")
		i := slices.IndexFunc(k.Enum, func(w string) bool { return strings.EqualFold(w, word) })
		if i < 0 || word != value && k.Enum[i] != "rotate_per_node" {
			d := r.report(badValue, span, "%s; it takes %s", notValue(value, k.Name), strings.Join(k.Enum, ", "))
			if value != "" {
				d.Suggest(true, k.Enum...)
			}
			return nil, false
		}
		value = k.Enum[i] + value[len(word):]
	case schema.String:
		if k.Name != endActionKey {
			break
		}
		if value == "" {
			r.report(badValue, span, "%s; it takes a mode, or modes as `Domain:MODE, Domain:MODE`", notValue(value, k.Name))
			return nil, false
		}
		if !r.windowEnd(e) {
			return nil, false
		}
	}
	return r.newSetting(Setting{Key: k.Name, Value: value}), true
}

func notValue(value, key string) string {
	if value == "" {
		return fmt.Sprintf("`%s` has no value", key)
	}
	return fmt.Sprintf("`%s` is not a value of `%s`", value, key)
}

// valueSpan is the place of the value, or of the key where there is none.
func (r *resolver) valueSpan(e *syntax.Entry) source.Span {
	if e.Value.Empty() {
		return r.tree.Span(e.Key)
	}
	return r.tree.Span(e.Value)
}

// dotted reads `Domain.Event` and `Domain.Kind`.
func (r *resolver) dotted(tgt target, e *syntax.Entry, domain, rest syntax.Text, name string) (*Setting, bool) {
	d, ok := r.Catalog.Domain(strings.TrimSpace(r.tree.Of(domain)))
	if !ok {
		r.unknownDomain(domain, nil)
		return nil, false
	}
	name = strings.TrimSpace(name)
	if id, ok := r.Catalog.Event(d, name); ok {
		return r.event(tgt, e, rest, eventID{d, id})
	}
	k, isKind := r.Catalog.Kind(d, name)
	value := r.tree.Of(e.Value)
	switch {
	case isKind && tgt.kind == domainDefault && d == tgt.domain && tgt.group == "":
		return r.unitRange(e, d, k)
	case isKind:
		r.report(misplacedKey, r.tree.Span(e.Key), "a range of units belongs into `[%s.default]`", r.Catalog.domainName(d)).
			Helped("regions are limited to units in the header: `[Lexgion(0x400500)] : : %s(0-3)`", r.tree.Of(e.Key))
	case isSwitch(value) || tgt.kind != domainDefault:
		r.report(unknownEvent, r.tree.Span(rest), "`%s` is not an event of %s", name, r.Catalog.domainName(d)).
			Suggest(true, r.Catalog.eventNames(d)...)
	default:
		names := r.Catalog.kindNames(d)
		r.report(unknownKind, r.tree.Span(rest), "%s has no units called `%s`; it has %s", r.Catalog.domainName(d), name, strings.Join(names, ", ")).
			Suggest(true, names...)
	}
	return nil, false
}

// unitRange reads `OpenMP.team = (0-4)`.
func (r *resolver) unitRange(e *syntax.Entry, d trace.DomainID, k trace.KindID) (*Setting, bool) {
	value := r.tree.Of(e.Value)
	if len(value) < 2 || value[0] != '(' || value[len(value)-1] != ')' {
		r.report(badSet, r.valueSpan(e), "a range of units is written in parentheses").Helped("for instance `%s = (0-3)`", r.tree.Of(e.Key))
		return nil, false
	}
	set, ok := r.set(syntax.Text{Start: e.Value.Start + 1, End: e.Value.End - 1})
	if !ok {
		return nil, false
	}
	_, member, _ := strings.Cut(r.tree.Of(e.Key), ".")
	key := r.Catalog.domainName(d) + "." + strings.TrimSpace(member)
	return r.newSetting(Setting{Key: key, Value: "(" + set.String() + ")", kind: rangeSetting}), true
}

// event reads `Event = on`.
func (r *resolver) event(tgt target, e *syntax.Entry, name syntax.Text, id eventID) (*Setting, bool) {
	row := r.Catalog.event(id)
	domain := r.Catalog.domainName(id.domain)
	span := r.tree.Span(name)
	switch tgt.kind {
	case domainDefault, domainUnits:
		if id.domain != tgt.domain {
			r.report(unknownEvent, span, "`%s` is an event of %s, and this section is for %s", row.Name, domain, r.Catalog.domainName(tgt.domain)).
				Helped("write it in `[%s.default]`", domain)
			return nil, false
		}
		if tgt.group != "" && row.Subdomain != tgt.group {
			r.report(unknownEvent, span, "`%s` is in the group %s, and this section is for %s", row.Name, row.Subdomain, tgt.group).
				Helped("write it in `[%s(%s).default]` or `[%s.default]`", domain, row.Subdomain, domain)
			return nil, false
		}
	case regionDomainDefault:
		if id.domain != tgt.domain {
			r.report(foreignEvent, span, "`%s` is an event of %s; this section never decides it", row.Name, domain).
				Helped("write it in `[Lexgion(%s).default]`", domain)
		}
	}
	value := r.tree.Of(e.Value)
	if value == "" {
		r.report(badSwitch, span, "`%s` has no value; an event is `on` or `off`", row.Name)
		return nil, false
	}
	if !isSwitch(value) {
		r.report(badSwitch, r.valueSpan(e), "an event is `on` or `off`, not `%s`", value).Suggest(false, "on", "off")
		return nil, false
	}
	on := strings.EqualFold(value, "on")
	if on && !row.On {
		r.report(notInstalled, span, "an installed PInsight has no callback for `%s` and leaves it off", row.Name)
	}
	key := row.Name
	if tgt.kind == regionDefault || tgt.kind == region || id.domain != tgt.domain {
		key = domain + "." + row.Name
	}
	return r.newSetting(Setting{Key: key, Value: switchText(on), Event: id, On: on, kind: eventSetting}), true
}

func isSwitch(value string) bool {
	return strings.EqualFold(value, "on") || strings.EqualFold(value, "off")
}

func switchText(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// unknown says what a key could have been.
func (r *resolver) unknown(tgt target, e *syntax.Entry, key, value string) {
	span := r.tree.Span(e.Key)
	for _, other := range []targetKind{domainDefault, region} {
		if sectionKeys(other).Key(key) == nil && !(other == domainDefault && key == policyKey.Name) {
			continue
		}
		where := "a Lexgion section, for instance `[Lexgion.default]`"
		if other == domainDefault {
			where = "a domain's default section, for instance `[CUDA.default]`"
		}
		r.report(misplacedKey, span, "`%s` belongs into %s", key, where)
		return
	}
	names := sectionKeys(tgt.kind).KeyNames()
	if isSwitch(value) {
		events, whose := r.Catalog.allEventNames(), "any domain"
		if tgt.kind == domainDefault || tgt.kind == domainUnits || tgt.kind == regionDomainDefault {
			events, whose = r.Catalog.eventNames(tgt.domain), r.Catalog.domainName(tgt.domain)
		}
		r.report(unknownEvent, span, "`%s` is not an event of %s", key, whose).Suggest(true, append(events, names...)...)
		return
	}
	d := r.report(unknownKey, span, "`%s` is not a key of this section", key).Suggest(true, names...)
	if len(d.Help) == 0 && len(names) > 0 {
		d.Helped("keys are events, %s", strings.Join(names, ", "))
	}
}

// serviceSetting reads a key of Knob, Energy or Manifest.
func (r *resolver) serviceSetting(tgt target, e *syntax.Entry) (*Setting, bool) {
	key := r.tree.Of(e.Key)
	sec := serviceSchema(tgt.sections[0].Name)
	if sec.Open {
		return r.newSetting(Setting{Key: key, Value: r.tree.Of(e.Value)}), true
	}
	if k := sec.Key(key); k != nil {
		return r.plain(e, k)
	}
	r.report(unknownKey, r.tree.Span(e.Key), "`%s` is not a key of this section", key).Suggest(true, sec.KeyNames()...)
	return nil, false
}
