// Package cxxname shortens C++ function names to the parts that distinguish them.
//
//	void at::native::kernel<4, at::add<float> >(int, at::add<float>)  ─┐             ┌─▶ kernel<add>
//	void at::native::kernel<4, at::mul<float> >(int, at::mul<float>)  ─┼──▶ Short ───┼─▶ kernel<mul>
//	void at::native::(anonymous namespace)::copy<int>(int*)           ─┘             └─▶ copy
//
// parse.go splits a demangled name into its scopes, each with template arguments and parameters.
package cxxname

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Short removes return types, namespaces, template arguments and parameters from the names, but keeps as much of them as is
// needed for different names to stay different. A text that is not a C++ name stays unchanged. If a text contains a name in
// backquotes, only that name is shortened.
func Short(names []string) []string {
	texts := make([]text, len(names))
	for i, whole := range names {
		texts[i] = read(whole)
	}
	short := make([]string, len(names))
	groupBy(texts, func(t *text) string { return t.before + t.base() + t.after }, func(group []int) { shorten(short, texts, group) })
	shown := map[string]string{} // short name to the text it was made from
	for i, s := range short {
		if whole, ok := shown[s]; ok && whole != names[i] { // a plain text equals a shortened name
			return names
		}
		shown[s] = names[i]
	}
	return short
}

// text is a text that may contain a name.
type text struct {
	whole         string
	before, after string // the text around the name
	name                 // has no scopes if the text contains no name
}

// read finds the name in a text.
func read(whole string) text {
	t, inner := text{whole: whole}, whole
	if strings.Count(whole, "`") == 2 {
		start, end := strings.IndexByte(whole, '`')+1, strings.LastIndexByte(whole, '`')
		t.before, inner, t.after = whole[:start], whole[start:end], whole[end:]
	}
	for { // move a trailing const, * or & of a type out of the name
		cut := strings.TrimRight(strings.TrimSuffix(inner, " const"), "*& ")
		if cut == inner || strings.HasSuffix(cut, ")") || strings.HasSuffix(cut, "operator") {
			break
		}
		t.after = inner[len(cut):] + t.after
		inner = cut
	}
	var ok bool
	if t.name, ok = parse(inner); !ok {
		return text{whole: whole, before: whole}
	}
	return t
}

// groupBy groups the texts by key and calls visit with the indexes of each group.
func groupBy(texts []text, key func(*text) string, visit func(group []int)) {
	groups := map[string][]int{}
	var order []string
	for i := range texts {
		k := key(&texts[i])
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], i)
	}
	for _, k := range order {
		visit(groups[k])
	}
}

// The parts that can distinguish names with the same base, as bits. shorten tries their sums in rising order, so the
// template arguments come first.
const (
	byArgs = 1 << iota
	byScope
	byParams
)

// shorten writes the short texts of a group of names with the same base.
func shorten(short []string, texts []text, group []int) {
	seen := map[string]bool{}
	var distinct []*text
	for _, i := range group {
		if !seen[texts[i].whole] {
			seen[texts[i].whole] = true
			distinct = append(distinct, &texts[i])
		}
	}
	forms := make(map[string]string, len(distinct))
	write := differences(distinct)
	for parts := 0; ; parts++ {
		if parts > byArgs|byScope|byParams {
			for _, t := range distinct {
				forms[t.whole] = t.whole
			}
			break
		}
		if written := write(parts); unique(written) {
			for i, t := range distinct {
				forms[t.whole] = written[i]
			}
			break
		}
	}
	for _, i := range group {
		short[i] = forms[texts[i].whole]
	}
}

// differences returns a function that writes texts with the same base and adds the given parts to each. Every part is
// computed only once, because that is expensive for nested names.
func differences(texts []*text) func(parts int) []string {
	column := func(get func(*text) []string, join func(before, s string) string) func() []string {
		return sync.OnceValue(func() []string {
			lists := make([][]string, len(texts))
			for i, t := range texts {
				lists[i] = get(t)
			}
			return distinguishing(lists, join)
		})
	}
	list := func(before, s string) string { return before + ", " + s }
	args := column(func(t *text) []string { return t.args() }, list)
	scopes := column(func(t *text) []string { return t.outer() }, func(before, s string) string { return s + "::" + before })
	params := column(func(t *text) []string { return t.params() }, list)
	return func(parts int) []string {
		written := make([]string, len(texts))
		for i, t := range texts {
			s := t.base()
			if parts&byArgs != 0 && args()[i] != "" {
				s = t.baseWith("<" + args()[i] + ">")
			}
			if parts&byScope != 0 && scopes()[i] != "" {
				s = scopes()[i] + "::" + s
			}
			if parts&byParams != 0 && params()[i] != "" {
				s += "(" + params()[i] + ")"
			}
			written[i] = t.before + s + t.after
		}
		return written
	}
}

// distinguishing returns for each list a short text that distinguishes it: its entry at the first place where all lists
// differ, if possible a name and not a number. If there is no such place, it joins the entries at all places that differ.
func distinguishing(lists [][]string, join func(before, s string) string) []string {
	longest := 0
	for _, list := range lists {
		longest = max(longest, len(list))
	}
	var places [][]string // for each place that differs, the entry of each list
	for at := range longest {
		place := make([]string, len(lists))
		for i, list := range lists {
			if at < len(list) {
				place[i] = list[at]
			}
		}
		if place = Short(place); slices.ContainsFunc(place, func(s string) bool { return s != place[0] }) {
			places = append(places, place)
		}
	}
	number := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	for _, numbers := range []bool{false, true} {
		for _, place := range places {
			if unique(place) && slices.ContainsFunc(place, number) == numbers {
				return place
			}
		}
	}
	texts := make([]string, len(lists))
	for _, place := range places {
		for i, s := range place {
			if texts[i] != "" && s != "" {
				s = join(texts[i], s)
			}
			texts[i] = cmp.Or(s, texts[i])
		}
	}
	return texts
}

// unique reports whether all texts are different.
func unique(texts []string) bool {
	seen := make(map[string]bool, len(texts))
	for _, t := range texts {
		if seen[t] {
			return false
		}
		seen[t] = true
	}
	return true
}
