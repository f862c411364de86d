package pdi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data"
)

// part is a step of a key such as `data.d.size[0]`: a name, or a number in brackets.
type part struct {
	name  string
	index int // -1 for a name
}

// parseKey splits a key. A name with `.`, `:`, brackets or blanks is quoted.
func parseKey(text string) ([]part, error) {
	var parts []part
	for rest := text; rest != ""; {
		var p part
		var err error
		switch {
		case rest[0] == '[' && len(parts) > 0:
			p, rest, err = cutIndex(rest)
		case rest[0] == '.' && len(parts) > 0:
			p, rest, err = cutName(rest[1:])
		case len(parts) == 0:
			p, rest, err = cutName(rest)
		default:
			err = fmt.Errorf("`%s` is not a part of a key", problem.Clip(rest, problem.Short))
		}
		if err != nil {
			return nil, fmt.Errorf("`%s` is not a key: %w", problem.Clip(text, problem.Short), err)
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("the key is empty; keys are written like `data.d.size[0]`")
	}
	return parts, nil
}

func cutIndex(s string) (part, string, error) {
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return part{}, "", fmt.Errorf("`%s` has no `]`", problem.Clip(s, problem.Short))
	}
	n, err := strconv.ParseUint(s[1:end], 10, 31)
	if err != nil {
		return part{}, "", fmt.Errorf("`%s` is not a number", problem.Clip(s[1:end], problem.Short))
	}
	return part{index: int(n)}, s[end+1:], nil
}

func cutName(s string) (part, string, error) {
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return part{}, "", fmt.Errorf("the quote of `%s` is not closed", problem.Clip(s, problem.Short))
		}
		name, err := strconv.Unquote(quoted)
		return part{name: name, index: -1}, s[len(quoted):], err
	}
	end := strings.IndexAny(s, ".[")
	if end < 0 {
		end = len(s)
	}
	if end == 0 {
		return part{}, "", fmt.Errorf("a name is missing before `%s`", problem.Clip(s, problem.Short))
	}
	return part{name: s[:end], index: -1}, s[end:], nil
}

// keyName writes a name as a part of a key.
func keyName(name string) string {
	plain := name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune(`.:[]"\=`, r)
	}) < 0
	if plain {
		return name
	}
	return strconv.Quote(name)
}

// locate finds the value of a key. Shorthand forms have keys too: `data.d.type` for `d: int`, `size[0]` for `size: 5`. found is the number of
// leading parts that exist.
func (m *Model) locate(parts []part) (v value, found int) {
	if parts[0].index >= 0 {
		return value{}, 0
	}
	for _, f := range slices.Backward(m.Files) {
		root := f.section(parts[0].name)
		if root.absent() || !isSection(parts[0].name) {
			continue
		}
		if at, n := descend(root, parts[1:]); n+1 > found {
			v, found = at, n+1
		}
	}
	return v, found
}

func descend(v value, parts []part) (value, int) {
	for i, p := range parts {
		next, ok := child(v, p)
		if !ok {
			if v.is(data.ScalarNode) && i == len(parts)-1 && shortcut(v, p) {
				return v, len(parts)
			}
			return v, i
		}
		v = next
	}
	return v, len(parts)
}

// shortcut reports whether a scalar is a shorthand for a mapping or a list.
func shortcut(v value, p part) bool {
	return p.index == 0 || (p.name == "type" || p.name == "level") && p.index < 0 && v.Text != ""
}

func child(v value, p part) (value, bool) {
	if p.index >= 0 {
		return nth(v, '[', p.index)
	}
	if v.is(data.SequenceNode) { // a member of a struct is found by its name
		for _, item := range v.items() {
			if _, x, ok := item.find(p.name); ok && len(item.Pairs) == 1 {
				return x, true
			}
		}
	}
	_, x, ok := v.find(p.name)
	return x, ok
}

// ypath finds a part of a tree by a path in the notation of the original reader: `.key` is the value of a key, `[2]` an item, `{2}` the key and
// `<2>` the value of the entry with that number.
func ypath(v value, path string) (value, *data.Error) {
	whole := path
	if path != "" && !strings.ContainsAny(path[:1], ".[{<") {
		path = "." + path
	}
	for path != "" {
		kind := path[0]
		walked := whole[:max(0, len(whole)-len(path))]
		if kind == '.' {
			end := strings.IndexAny(path[1:], ".[{<")
			if end < 0 {
				end = len(path) - 1
			}
			name := path[1 : end+1]
			path = path[end+1:]
			if !v.is(data.MappingNode) {
				return v, noPart("`%s` needs a mapping, found %s", problem.Clip(name, problem.Short), v.name()).
					Upstream("Expected mapping, found %s (ROOT)%s\n", v.Kind, walked)
			}
			_, next, ok := v.find(name)
			if !ok {
				return v, noPart("there is no key `%s`", problem.Clip(name, problem.Short)).
					Upstream("Key `%s' not found in (ROOT)%s\n", name, walked)
			}
			v = next
			continue
		}
		closing := map[byte]byte{'[': ']', '{': '}', '<': '>'}[kind]
		end := strings.IndexByte(path, closing)
		if closing == 0 || end < 0 {
			return v, noPart("`%s` is not closed", problem.Clip(path, problem.Short))
		}
		n, err := strconv.ParseInt(strings.TrimSpace(path[1:end]), 0, 32)
		if err != nil {
			return v, noPart("`%s` is not a number", problem.Clip(path[1:end], problem.Short))
		}
		next, ok := nth(v, kind, int(n))
		if !ok {
			return v, noPart("%s has no entry %d", v.name(), n)
		}
		v, path = next, path[end+1:]
	}
	return v, nil
}

// noPart returns the error for a path that leads nowhere.
func noPart(format string, args ...any) *data.Error {
	return data.Errorf(data.StatusSystem, nil, format, args...)
}

// nth returns an entry by its number: `[` an item, `{` a key, `<` a value.
func nth(v value, kind byte, n int) (value, bool) {
	if kind == '[' {
		for i, item := range v.items() {
			if i == n {
				return item, true
			}
		}
		return value{}, false
	}
	i := 0
	for key, val := range v.pairs() {
		if i == n {
			if kind == '{' {
				return key, true
			}
			return val, true
		}
		i++
	}
	return value{}, false
}
