package paradyn

import (
	"fmt"
	"strconv"
	"strings"
)

// key is the parsed name of a setting.
//
//	tunable_constant.maxEval   daemon[0].command   process[0].args[1]   list.Practice[0]
type key struct {
	kind  string // tunable_constant, list, daemon, process, visi
	index int    // the number of a block, counted from 0
	name  string // of a tunable, a list or a field
	item  int    // the number of an argument or list item; -1 means all of them
}

func (k key) String() string {
	var b strings.Builder
	b.WriteString(k.kind)
	if k.isBlock() {
		fmt.Fprintf(&b, "[%d].%s", k.index, k.name)
	} else {
		b.WriteString("." + quoteName(k.name))
	}
	if k.item >= 0 {
		fmt.Fprintf(&b, "[%d]", k.item)
	}
	return b.String()
}

func (k key) isBlock() bool { return k.kind == daemon || k.kind == process || k.kind == visi }

// quoteName quotes a name if it has characters that separate the parts of keys. No name
// contains a quote.
func quoteName(s string) string {
	if s == "" || strings.ContainsAny(s, " \t.:[]=") {
		return `"` + s + `"`
	}
	return s
}

func quoteText(s string) string { return `"` + s + `"` }

// parseKey parses the name of a setting.
func parseKey(s string) (key, bool) {
	k := key{item: -1}
	head, rest, ok := strings.Cut(s, ".")
	if !ok {
		return k, false
	}
	if kind, index, indexed := cutIndex(head); indexed {
		k.kind, k.index = kind, index
		k.name = rest
		if name, item, ok := cutIndex(rest); ok {
			k.name, k.item = name, item
		}
		return k, k.isBlock() && section(kind).Key(k.name) != nil && (k.item < 0 || k.name == "args")
	}
	k.kind = head
	if unquoted, after, ok := strings.Cut(strings.TrimPrefix(rest, `"`), `"`); ok && strings.HasPrefix(rest, `"`) {
		k.name = unquoted
		if rest = after; rest == "" {
			return k, k.kind == "tunable_constant" || k.kind == "list"
		}
		empty := false
		if rest, k.item, empty = cutIndex(rest); !empty || rest != "" {
			return k, false
		}
		return k, k.kind == "list"
	}
	k.name = rest
	if name, item, ok := cutIndex(rest); ok && k.kind == "list" {
		k.name, k.item = name, item
	}
	return k, k.name != "" && (k.kind == "tunable_constant" || k.kind == "list")
}

// cutIndex cuts `args[1]` into its parts.
func cutIndex(s string) (name string, index int, ok bool) {
	open := strings.LastIndexByte(s, '[')
	if open < 0 || !strings.HasSuffix(s, "]") {
		return s, -1, false
	}
	n, err := strconv.Atoi(s[open+1 : len(s)-1])
	if err != nil || n < 0 || s[open+1] == '+' {
		return s, -1, false
	}
	return s[:open], n, true
}
