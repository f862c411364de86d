package calls

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// place returns the span of a name; for a literal, without its quotes.
func (s *File) place(arg []token) source.Span {
	if parts := s.expression(arg); len(parts) == 1 && parts[0].kind == literal {
		texts := slices.DeleteFunc(slices.Clone(arg), func(t token) bool { return t.kind != text })
		return s.span(texts)
	}
	return s.span(arg)
}

// maxExpression is the largest number of tokens of an expression that are examined.
const maxExpression = 200

// expression reads a text, or a concatenation of several.
func (s *File) expression(list []token) []part {
	if len(list) == 0 || len(list) > maxExpression {
		return []part{{kind: unknown}}
	}
	var parts []part
	start, depth := 0, 0
	for i := 0; i <= len(list); i++ {
		if i < len(list) {
			switch t := list[i]; {
			case t.kind != sign:
				continue
			case t.value == "(" || t.value == "[" || t.value == "{":
				depth++
				continue
			case t.value == ")" || t.value == "]" || t.value == "}":
				depth--
				continue
			case depth != 0 || t.value != "+" && t.value != "//":
				continue
			}
		}
		parts = append(parts, s.operand(list[start:i])...)
		start = i + 1
	}
	return parts
}

// wrappers are functions that return the text they are given.
var wrappers = []string{"string", "string_view", "str", "trim", "adjustl", "move", "to_string_view"}

// operand reads one part of an expression.
func (s *File) operand(list []token) []part {
	for n := len(list); n > 4 && list[n-1].is(")") && list[n-2].is("(") && (list[n-3].is("c_str") || list[n-3].is("data")) && list[n-4].is("."); n = len(list) {
		list = list[:n-4]
	}
	if len(list) == 0 {
		return []part{{kind: unknown}}
	}
	if n := len(list); list[0].is("(") && list[n-1].is(")") && enclosed(list) {
		return s.expression(list[1 : n-1])
	}
	if !slices.ContainsFunc(list, func(t token) bool { return t.kind != text }) {
		var value strings.Builder
		for _, t := range list {
			value.WriteString(t.value)
		}
		return []part{{value: strings.TrimSuffix(value.String(), "\x00")}}
	}
	i := 0
	for i+2 < len(list) && list[i].kind == word && list[i+1].is("::") {
		i += 2
	}
	list = list[i:]
	switch n := len(list); {
	case n == 1 && list[0].is("c_null_char"):
		return nil
	case n == 1 && list[0].kind == word && !isNumber(list[0].value):
		return []part{{kind: named, value: list[0].value}}
	case n == 2 && list[0].kind == text && list[1].kind == word && list[0].end+1 == list[1].start: // "text"s
		return []part{{value: list[0].value}}
	case s.language == c && !slices.ContainsFunc(list, func(t token) bool { return t.kind != text && t.kind != word }):
		var parts []part // string literals next to macros
		for _, t := range list {
			if t.kind == text {
				parts = append(parts, part{value: t.value})
			} else {
				parts = append(parts, part{kind: named, value: t.value})
			}
		}
		return parts
	case n > 3 && list[0].kind == word && slices.Contains(wrappers, list[0].value) && (list[1].is("(") || list[1].is("{")) && enclosed(list[1:]):
		return s.expression(list[2 : n-1])
	case n == 4 && list[0].is("char") && list[2].is("0"):
		return nil // the end of a C string, the character 0, added in Fortran
	}
	return []part{{kind: unknown}}
}

// enclosed reports whether the first bracket closes at the end of the list.
func enclosed(list []token) bool {
	depth := 0
	for i, t := range list {
		if t.kind != sign {
			continue
		}
		switch t.value {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i == len(list)-1
			}
		}
	}
	return false
}

// constant records a value of a name.
func (s *File) constant(name scoped, value []part) {
	have := s.constants[name]
	if have == nil {
		s.constants[name] = &constant{value, 1}
		return
	}
	if !slices.Equal(have.value, value) {
		have.count++
	}
}

// define collects the constants for texts, and the types of variables.
func (s *File) define() {
	for i, t := range s.toks {
		switch {
		case t.is("="):
			s.assigned(i)
		case t.is("+=") && i > 0:
			s.constant(scoped{t.function, s.toks[i-1].value}, []part{{kind: unknown}})
		case t.kind != word:
		case slices.Contains(fills, t.value) && i+2 < len(s.toks) && s.toks[i+1].is("("):
			s.constant(scoped{t.function, s.toks[i+2].value}, []part{{kind: unknown}})
		case s.language == c && (t.value == "string" || t.value == "string_view"):
			s.constructed(i)
		}
	}
	switch s.language {
	case c:
		s.declared()
	case fortran:
		s.declaredFortran()
	}
}

// fills are functions that write a text into their first argument.
var fills = []string{"sprintf", "snprintf", "strcpy", "strncpy", "strcat", "strncat", "memcpy"}

// assigned records `NAME = value`, with or without a type before the name.
func (s *File) assigned(i int) {
	at := i - 1
	if at > 0 && s.toks[at].is("]") && s.match[at] > 0 {
		at = int(s.match[at]) - 1
	}
	if at < 0 || s.toks[at].kind != word || !s.standsAlone(at) {
		return
	}
	stop := i + 1
	for stop < len(s.toks) && stop-i < maxExpression && !s.ends(stop) {
		if close := int(s.match[stop]); close > stop {
			stop = close
		}
		stop++
	}
	value := s.toks[i+1 : min(stop, len(s.toks))]
	if len(value) > maxExpression || !slices.ContainsFunc(value, func(t token) bool { return t.kind == text || t.kind == formatted }) {
		if s.constants[scoped{s.toks[at].function, s.toks[at].value}] != nil {
			s.constant(scoped{s.toks[at].function, s.toks[at].value}, []part{{kind: unknown}})
		}
		return
	}
	s.constant(scoped{s.toks[at].function, s.toks[at].value}, s.expression(value))
}

// standsAlone reports whether the name at an assignment is a variable, not a member or a named argument of a
// call.
func (s *File) standsAlone(at int) bool {
	if at == 0 {
		return true
	}
	switch before := s.toks[at-1]; s.language {
	case c:
		return !before.is(".") && !before.is("->")
	case python:
		return before.kind == stop
	default:
		return before.kind == stop || before.is("::") || before.is("(") && at > 1 && s.toks[at-2].is("parameter") || before.is(",") && s.declares(at)
	}
}

// declares reports whether a Fortran statement is a declaration.
func (s *File) declares(at int) bool {
	for n := 0; n < maxExpression && at > 0 && s.toks[at-1].kind != stop; n++ {
		if at--; s.toks[at].is("::") {
			return true
		}
	}
	return false
}

// ends reports whether a value ends at a token.
func (s *File) ends(i int) bool {
	t := s.toks[i]
	return t.kind == stop || t.is(";") || t.is(",") || t.is(")") || t.is("}")
}

// constructed records `std::string NAME("text")`.
func (s *File) constructed(i int) {
	if i+2 >= len(s.toks) || s.toks[i+1].kind != word || !s.toks[i+2].is("(") && !s.toks[i+2].is("{") || s.match[i+2] < 0 {
		return
	}
	value := s.toks[i+3 : s.match[i+2]]
	if slices.ContainsFunc(value, func(t token) bool { return t.kind == text }) {
		s.constant(scoped{s.toks[i+1].function, s.toks[i+1].value}, s.expression(value))
	}
}
