package pdi

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data"
)

// ypath finds a part of a tree by the path language of the original reader: `.key`,
// `[2]` an item, `{2}` the key and `<2>` the value of an entry by its number.
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
				return v, noPart("`%s` is asked of %s", problem.Clip(name, problem.Short), v.name()).
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

// noPart is the error of a path that leads nowhere.
func noPart(format string, args ...any) *data.Error {
	return data.Errorf(data.StatusSystem, nil, format, args...)
}

// nth is an entry by its number: `[` an item, `{` a key, `<` a value.
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
