package pinsight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/installed"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// entry reads a line as a setting of the target. It returns false if the line cannot be used.
func (r *reader) entry(tgt *target, e *syntax.Entry) (Setting, bool) {
	key := r.tree.Of(e.Key)
	if k := tgt.keys.Key(key); k != nil {
		return r.plain(e, k)
	}
	if tgt.kind == service {
		if !tgt.keys.Open {
			r.report(unknownKey, r.tree.Span(e.Key), "`%s` is not a key of this section", key).Suggest(true, tgt.keys.KeyNames()...)
		}
		return Setting{Key: key, Value: r.tree.Of(e.Value)}, tgt.keys.Open
	}
	if tgt.kind == domainDefault {
		if k := r.Catalog.ownKey(tgt.domain, key); k != nil {
			return r.plain(e, k)
		}
	}
	if i := strings.IndexByte(key, '.'); i >= 0 {
		dot := e.Key.Start + int32(i)
		return r.dotted(tgt, e, syntax.Text{Start: e.Key.Start, End: dot}, syntax.Text{Start: dot + 1, End: e.Key.End})
	}
	if ids := r.Catalog.events[key]; len(ids) > 0 {
		i := slices.IndexFunc(ids, func(id eventID) bool { return id.domain == tgt.domain })
		return r.event(tgt, e, e.Key, ids[max(i, 0)])
	}
	r.unknown(tgt, e, key)
	return Setting{}, false
}

// plain reads the value of a key that is in the schema.
func (r *reader) plain(e *syntax.Entry, k *schema.Key) (Setting, bool) {
	value := r.tree.Of(e.Value)
	set := Setting{Key: k.Name, Value: value}
	switch {
	case k.Type == schema.Int:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || float64(n) < k.Min.Value || float64(n) > k.Max.Value {
			accepted := "a whole number, " + k.Range()
			if k.Name == trace.MaxKey {
				accepted = fmt.Sprintf("a whole number from 0 to %.0f, or -1 for no limit", k.Max.Value)
			}
			r.report(badNumber, r.valueSpan(e), "%s: it takes %s", notValue(value, k.Name), accepted)
			return set, false
		}
		if value[0] == '0' || value[0] == '+' {
			set.Value = strconv.FormatInt(n, 10)
		}
		set.number = uint32(n)
	case k.Type == schema.Enum:
		word, _, _ := strings.Cut(value, ":")
		i := slices.IndexFunc(k.Enum, func(w string) bool { return strings.EqualFold(w, word) })
		if i < 0 || word != value && k.Enum[i] != installed.Rotate {
			d := r.report(badValue, r.valueSpan(e), "%s; it takes %s", notValue(value, k.Name), strings.Join(k.Enum, ", "))
			if value != "" {
				d.Suggest(true, k.Enum...)
			}
			return set, false
		}
		set.Value = k.Enum[i] + value[len(word):]
	case k.Name == installed.EndActionKey:
		return set, r.windowEnd(e)
	case k.Name == trace.ModulesKey:
		patterns, bad, ok := trace.ParseModules(value)
		if !ok {
			r.report(badValue, r.valueSpan(e), "%s; it takes names of modules with commas between them, in which `*` and `?` are allowed", notValue(bad, k.Name)).
				Helped("for instance `%s = %s`", k.Name, k.Example)
		}
		set.Value = strings.Join(patterns, ", ")
		return set, ok
	}
	return set, true
}

func notValue(value, key string) string {
	if value == "" {
		return fmt.Sprintf("`%s` has no value", key)
	}
	return fmt.Sprintf("`%s` is not a value of `%s`", value, key)
}

// valueSpan returns the place of the value, or of the key if there is no value.
func (r *reader) valueSpan(e *syntax.Entry) source.Span {
	if e.Value.Empty() {
		return r.tree.Span(e.Key)
	}
	return r.tree.Span(e.Value)
}

// dotted reads `Domain.Event` and `Domain.Kind`.
func (r *reader) dotted(tgt *target, e *syntax.Entry, domain, rest syntax.Text) (Setting, bool) {
	d, ok := r.domain(domain)
	if !ok {
		return Setting{}, false
	}
	name := strings.TrimSpace(r.tree.Of(rest))
	if id, ok := r.Catalog.Event(d, name); ok {
		return r.event(tgt, e, rest, eventID{d, id})
	}
	_, isKind := r.Catalog.Kind(d, name)
	switch {
	case isKind && tgt.kind == domainDefault && d == tgt.domain && tgt.group == "":
		return r.unitRange(e, r.Catalog.Name(d)+"."+name)
	case isKind:
		r.report(misplacedKey, r.tree.Span(e.Key), "a range of units belongs in `[%s.default]`", r.Catalog.Name(d)).
			Helped("regions are limited to units in the header: `[Lexgion(0x400500)] : : %s(0-3)`", r.tree.Of(e.Key))
	case isSwitch(r.tree.Of(e.Value)) || tgt.kind != domainDefault:
		r.report(unknownEvent, r.tree.Span(rest), "`%s` is not an event of %s", name, r.Catalog.Name(d)).
			Suggest(isSwitch(r.tree.Of(e.Value)), r.eventNames(tgt, d)...)
	default:
		r.noKind(d, rest)
	}
	return Setting{}, false
}

// unitRange reads `OpenMP.team = (0-4)`.
func (r *reader) unitRange(e *syntax.Entry, key string) (Setting, bool) {
	if value := r.tree.Of(e.Value); len(value) < 2 || value[0] != '(' || value[len(value)-1] != ')' {
		r.report(badSet, r.valueSpan(e), "a range of units is written in parentheses").Helped("for instance `%s = (0-3)`", r.tree.Of(e.Key))
		return Setting{}, false
	}
	set, ok := r.set(syntax.Text{Start: e.Value.Start + 1, End: e.Value.End - 1})
	return Setting{Key: key, Value: "(" + set.String() + ")", kind: rangeSetting, units: &set}, ok
}

// event reads `Event = on`.
func (r *reader) event(tgt *target, e *syntax.Entry, name syntax.Text, id eventID) (Setting, bool) {
	row, domain, span := r.Catalog.event(id), r.Catalog.Name(id.domain), r.tree.Span(name)
	switch {
	case (tgt.kind == domainDefault || tgt.kind == domainUnits) && id.domain != tgt.domain:
		r.report(unknownEvent, span, "`%s` is an event of %s, and this section is for %s", row.Name, domain, r.Catalog.Name(tgt.domain)).
			Helped("write it in `[%s.default]`", domain)
		return Setting{}, false
	case tgt.group != "" && row.Subdomain != tgt.group:
		r.report(unknownEvent, span, "`%s` is in the group %s, and this section is for %s", row.Name, row.Subdomain, tgt.group).
			Helped("write it in `[%s(%s).default]` or `[%s.default]`", domain, row.Subdomain, domain)
		return Setting{}, false
	case tgt.kind == regionDomainDefault && id.domain != tgt.domain:
		r.report(foreignEvent, span, "`%s` is an event of %s; this section never decides it", row.Name, domain).
			Helped("write it in `[Lexgion(%s).default]`", domain)
	}
	value := r.tree.Of(e.Value)
	on := strings.EqualFold(value, "on")
	switch {
	case value == "":
		r.report(badSwitch, span, "`%s` has no value; an event is `on` or `off`", row.Name)
		return Setting{}, false
	case !isSwitch(value):
		r.report(badSwitch, r.valueSpan(e), "an event is `on` or `off`, not `%s`", value).Suggest(false, "on", "off")
		return Setting{}, false
	case on && !row.On:
		r.report(notInstalled, span, "an installed PInsight has no callback for `%s` and leaves it off", row.Name)
	}
	key := row.Name
	if tgt.kind == regionDefault || tgt.kind == region || id.domain != tgt.domain {
		key = domain + "." + row.Name
	}
	return Setting{Key: key, Value: trace.OnOff(on), Event: id, On: on, kind: eventSetting}, true
}

func isSwitch(value string) bool {
	return strings.EqualFold(value, "on") || strings.EqualFold(value, "off")
}

// eventNames returns the events of a domain that a section can name.
func (r *reader) eventNames(tgt *target, d trace.DomainID) []string {
	if tgt.group == "" {
		return r.Catalog.EventNames(d)
	}
	var names []string
	for _, e := range r.Catalog.Domains()[d].Events {
		if e.Subdomain == tgt.group {
			names = append(names, e.Name)
		}
	}
	return names
}

// oldEndKeys are earlier names of installed.EndActionKey.
var oldEndKeys = []string{"trace_mode_after", "mode_after_trigger"}

// unknown reports an unknown key, and suggests a similar one.
func (r *reader) unknown(tgt *target, e *syntax.Entry, key string) {
	span, names := r.tree.Span(e.Key), tgt.keys.KeyNames()
	switch {
	case ownKeyHome(key) == trace.Python:
		r.report(misplacedKey, span, "`%s` belongs in `[%s.default]`", key, trace.Python)
	case domainKeys.Key(key) != nil || ownKeyHome(key) != "":
		r.report(misplacedKey, span, "`%s` belongs in a domain's default section, for instance `[CUDA.default]`", key)
	case regionKeys.Key(key) != nil:
		r.report(misplacedKey, span, "`%s` belongs in a Lexgion section, for instance `[Lexgion.default]`", key)
	case slices.Contains(oldEndKeys, key):
		r.report(unknownKey, span, "`%s` is called `%s` now", key, installed.EndActionKey).Replace(false, installed.EndActionKey)
	case isSwitch(r.tree.Of(e.Value)):
		events, whose := r.Catalog.allEventNames(), "any domain"
		if tgt.kind == domainDefault || tgt.kind == domainUnits || tgt.kind == regionDomainDefault {
			events, whose = r.eventNames(tgt, tgt.domain), r.Catalog.Name(tgt.domain)
		}
		r.report(unknownEvent, span, "`%s` is not an event of %s", key, whose).Suggest(true, append(events, names...)...)
	default:
		d := r.report(unknownKey, span, "`%s` is not a key of this section", key).Suggest(true, names...)
		if len(d.Help) == 0 && len(names) > 0 {
			d.Helped("keys are events, %s", strings.Join(names, ", "))
		}
	}
}

// windowEnd reports whether the value of window_end_action has this form:
//
//	[INTROSPECT:PAUSE:SCRIPT[:]] MODE | DOMAIN:MODE, … | DOMAIN:device_activity=POLICY, …
func (r *reader) windowEnd(e *syntax.Entry) bool {
	value, at := r.tree.Of(e.Value), int(e.Value.Start)
	if value == "" {
		r.report(badValue, r.valueSpan(e), "%s; it takes a mode, or modes as `Domain:MODE, Domain:MODE`", notValue(value, installed.EndActionKey))
		return false
	}
	if word, rest, ok := strings.Cut(value, ":"); ok && strings.EqualFold(word, "INTROSPECT") {
		pause, after, _ := strings.Cut(rest, ":")
		if _, err := strconv.Atoi(strings.TrimSpace(pause)); err != nil {
			return r.badAction(at+len(value)-len(rest), len(pause), "`%s` is not a number of seconds", pause)
		}
		script, tail, more := strings.Cut(after, ":")
		if i := strings.IndexAny(script, " \t"); !more && i >= 0 {
			script, tail = script[:i], script[i:]
		}
		if strings.TrimSpace(script) == "" {
			return r.badAction(at, len(value), "INTROSPECT needs a script, or `-` for none: `INTROSPECT:PAUSE:SCRIPT`")
		}
		at += len(value) - len(tail)
		value = tail
	}
	if strings.TrimSpace(value) == "" {
		return true
	}
	ok := true
	for part := range strings.SplitSeq(value, ",") {
		ok = r.windowMode(part, at) && ok
		at += len(part) + 1
	}
	return ok
}

// windowMode reads `MODE`, `DOMAIN:MODE` or `DOMAIN:device_activity=POLICY`.
func (r *reader) windowMode(part string, at int) bool {
	at += len(part) - len(strings.TrimLeft(part, " \t"))
	part = strings.TrimSpace(part)
	mode := part
	if name, rest, ok := strings.Cut(part, ":"); ok {
		name = strings.TrimSpace(name)
		d, known := r.domain(syntax.Text{Start: int32(at), End: int32(at + len(name))})
		if !known {
			return false
		}
		at += len(part) - len(strings.TrimLeft(rest, " \t"))
		mode = strings.TrimSpace(rest)
		if policy, ok := strings.CutPrefix(mode, policyKey.Name+"="); ok {
			if !slices.Contains(r.Catalog.policies[d], policyKey.Name) {
				return r.badAction(at, len(mode), "%s has no `%s`", name, policyKey.Name)
			}
			word, _, _ := strings.Cut(policy, ":")
			return slices.Contains(installed.Policies, strings.ToLower(word)) ||
				r.badAction(at, len(mode), "`%s` is not a policy; there are %s", word, strings.Join(installed.Policies, ", "))
		}
	}
	_, known := trace.ParseMode(mode)
	return known || r.badAction(at, len(mode), "`%s` is not a mode; there are %s", mode, strings.Join(modes, ", "))
}

func (r *reader) badAction(at, length int, format string, args ...any) bool {
	span := r.tree.File().Span(at, at+length)
	r.report(badValue, span, format, args...).Suggest(true, modes...)
	return false
}
