package pinsight

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/lang/pinsight/installed"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
	"github.com/pentode-dev/pentode/run/trace"
)

// windowEnd reports whether the value of window_end_action has its form:
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
