package pdi

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data"
)

// ypath finds a part of a tree by the path language of the original reader: `.key`,
// `[2]` an item, `{2}` the key and `<2>` the value of an entry by its number.
func ypath(v value, path string) (value, error) {
	if path != "" && !strings.ContainsAny(path[:1], ".[{<") {
		path = "." + path
	}
	for path != "" {
		kind := path[0]
		if kind == '.' {
			end := strings.IndexAny(path[1:], ".[{<")
			if end < 0 {
				end = len(path) - 1
			}
			name := path[1 : end+1]
			path = path[end+1:]
			if !v.is(data.MappingNode) {
				return v, fmt.Errorf("`%s` is asked of %s", problem.Clip(name, problem.Short), v.name())
			}
			_, next, ok := v.find(name)
			if !ok {
				return v, fmt.Errorf("there is no key `%s`", problem.Clip(name, problem.Short))
			}
			v = next
			continue
		}
		closing := map[byte]byte{'[': ']', '{': '}', '<': '>'}[kind]
		end := strings.IndexByte(path, closing)
		if closing == 0 || end < 0 {
			return v, fmt.Errorf("`%s` is not closed", problem.Clip(path, problem.Short))
		}
		n, err := strconv.ParseInt(strings.TrimSpace(path[1:end]), 0, 32)
		if err != nil {
			return v, fmt.Errorf("`%s` is not a number", problem.Clip(path[1:end], problem.Short))
		}
		next, ok := nth(v, kind, int(n))
		if !ok {
			return v, fmt.Errorf("%s has no entry %d", v.name(), n)
		}
		v, path = next, path[end+1:]
	}
	return v, nil
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
