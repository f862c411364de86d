package pinsight

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// windowEnd checks the value of window_end_action:
//
//	[INTROSPECT:PAUSE:SCRIPT[:]] MODE | DOMAIN:MODE, … | DOMAIN:device_activity=POLICY, …
func (r *resolver) windowEnd(e *syntax.Entry) bool {
	value, at := r.tree.Of(e.Value), int(e.Value.Start)
	if rest, ok := cutPrefixFold(value, "INTROSPECT:"); ok {
		pause, after, _ := strings.Cut(rest, ":")
		if _, err := strconv.Atoi(strings.TrimSpace(pause)); err != nil {
			r.badAction(at+len(value)-len(rest), len(pause), "`%s` is not a number of seconds", pause)
			return false
		}
		script, tail, more := strings.Cut(after, ":")
		if i := strings.IndexAny(script, " \t"); !more && i >= 0 {
			script, tail = script[:i], script[i:]
		}
		if strings.TrimSpace(script) == "" {
			r.badAction(at, len(value), "INTROSPECT needs a script, or `-` for none: `INTROSPECT:PAUSE:SCRIPT`")
			return false
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

// windowMode checks `MODE`, `DOMAIN:MODE` or `DOMAIN:device_activity=POLICY`.
func (r *resolver) windowMode(part string, at int) bool {
	at += len(part) - len(strings.TrimLeft(part, " \t"))
	part = strings.TrimSpace(part)
	mode := part
	if domain, rest, ok := strings.Cut(part, ":"); ok {
		name := strings.TrimSpace(domain)
		d, known := r.Catalog.Domain(name)
		if !known {
			r.unknownDomain(syntax.Text{Start: int32(at), End: int32(at + len(name))}, nil)
			return false
		}
		at += len(part) - len(strings.TrimLeft(rest, " \t"))
		mode = strings.TrimSpace(rest)
		if policy, ok := strings.CutPrefix(mode, policyKey.Name+"="); ok {
			if !slices.Contains(r.Catalog.policies[d], policyKey.Name) {
				r.badAction(at, len(mode), "%s has no `%s`", name, policyKey.Name)
				return false
			}
			word, _, _ := strings.Cut(policy, ":")
			if !slices.Contains(policies, strings.ToLower(word)) {
				r.badAction(at, len(mode), "`%s` is not a policy; there are %s", word, strings.Join(policies, ", "))
				return false
			}
			return true
		}
	}
	if !slices.ContainsFunc(append(slices.Clone(modes), "MONITOR"), func(m string) bool { return strings.EqualFold(m, mode) }) {
		r.badAction(at, len(mode), "`%s` is not a mode; there are %s", mode, strings.Join(modes, ", "))
		return false
	}
	return true
}

func (r *resolver) badAction(at, length int, format string, args ...any) {
	span := source.Span{File: r.tree.File(), Start: at, End: at + length}
	r.report(badValue, span, format, args...).Suggest(true, modes...)
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
