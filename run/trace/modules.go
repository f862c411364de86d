package trace

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// Python is the domain whose regions are functions, which belong to modules.
const Python = "Python"

// ModulesKey is the key of Python.default that selects the traced modules.
const ModulesKey = "modules"

// mainModule is Python's name for the program itself.
const mainModule = "__main__"

// Modules are patterns of module names, such as `solver.*`, if they are set. A function is
// traced only if one of them matches its module, or a section names the function.
type Modules struct {
	Patterns []string
	Set      bool
	Place    source.Span
}

// DefaultModules are the patterns of a configuration that sets none: the program itself, without its imports.
func DefaultModules() []string { return []string{mainModule} }

// ParseModules reads patterns separated by commas. bad is the first invalid one.
func ParseModules(text string) (patterns []string, bad string, ok bool) {
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		if !isPattern(item) {
			return nil, item, false
		}
		patterns = append(patterns, item)
	}
	return patterns, "", true
}

// isPattern reports whether a text is a module name, perhaps with `*` and `?`.
func isPattern(text string) bool {
	for part := range strings.SplitSeq(text, ".") {
		if part == "" {
			return false
		}
		for i := range len(part) {
			c := part[i]
			letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || c == '*' || c == '?'
			if !letter && !(c >= '0' && c <= '9' && i > 0) {
				return false
			}
		}
	}
	return true
}

// hasModule reports whether one of the patterns matches a module. A module whose name is
// unknown matches; if there are no patterns, every module matches.
func hasModule(patterns []string, module string) bool {
	return module == "" || patterns == nil || slices.ContainsFunc(patterns, func(p string) bool { return matches(p, module) })
}

// matches reports whether a pattern matches a whole name: `*` matches any bytes, `?` one
// byte. Agents have the same function.
func matches(pattern, name string) bool {
	star, from := -1, 0 // the last `*`, and the end of the text it matches
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

func (m Modules) String() string { return strings.Join(m.Patterns, ", ") }

// check explains whether a module is traced.
func (m Modules) check(module string) *ModuleCheck {
	c := &ModuleCheck{Answer: Answer{Layer: Python + ".default", Value: m.String(), Place: m.Place}, Module: module}
	if !m.Set {
		m.Patterns = DefaultModules()
		c.Answer = Answer{Layer: "system default", Value: m.String()}
	}
	c.Pass = hasModule(m.Patterns, module)
	return c
}
