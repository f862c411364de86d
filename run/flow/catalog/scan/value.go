package scan

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// names returns the texts that an expression may evaluate to: a literal, a constant, or a sum of
// them. Computed parts become `<n>` if they are numbers, else `<any>`.
func (u *unit) names(expr []token) []string {
	if parts := split(expr, "%"); len(parts) == 2 {
		if s := literal(parts[0]); s != "" {
			return []string{filled(s)}
		}
	}
	names := []string{""}
	for _, part := range split(expr, "+") {
		var sums []string
		for _, piece := range u.piece(part) {
			for _, name := range names {
				sums = append(sums, name+piece)
			}
		}
		if names = sums; len(names) > maxNames {
			return []string{unknown}
		}
	}
	return names
}

const (
	unknown  = "<any>"
	number   = "<n>"
	maxNames = 100 // texts of one expression
)

// piece returns the texts of one summand.
func (u *unit) piece(expr []token) []string {
	if len(expr) == 0 {
		return []string{unknown}
	}
	if slices.ContainsFunc(expr, func(t token) bool { return t.is("format") }) && expr[0].kind == text {
		return []string{filled(expr[0].text)}
	}
	if s, ok := texts(expr); ok {
		return []string{s}
	}
	open := slices.IndexFunc(expr, func(t token) bool { return t.is("(") || t.is("[") })
	if open > 0 {
		switch called := lastWord(expr[:open]); {
		case called == "str" || called == "to_string":
			return []string{number}
		case expr[open].is("["):
			return u.constant(called)
		case strings.HasSuffix(called, "_t") || strings.HasSuffix(called, "string"):
			args, _ := arguments(expr, open)
			if len(args) == 1 {
				return u.names(args[0])
			}
		}
		return []string{unknown}
	}
	return u.constant(lastWord(expr))
}

func (u *unit) constant(name string) []string {
	if values := u.constants[name]; len(values) > 0 {
		return values
	}
	return []string{unknown}
}

// texts returns the text of adjacent string literals.
func texts(expr []token) (string, bool) {
	var b strings.Builder
	for _, t := range expr {
		switch t.kind {
		case text:
			b.WriteString(t.text)
		case formatted:
			b.WriteString(hole().ReplaceAllString(t.text, unknown))
		default:
			return "", false
		}
	}
	return b.String(), b.Len() > 0
}

var (
	hole      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]*\}`) })
	directive = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[0-9]*[a-z]`) })
)

// filled returns a text whose format directives are replaced by variables.
func filled(s string) string {
	s = hole().ReplaceAllString(s, unknown)
	return directive().ReplaceAllStringFunc(s, func(d string) string {
		if strings.HasSuffix(d, "s") {
			return unknown
		}
		return number
	})
}

// typeOf returns the type of a port, written as a literal, as a constant of sprokit, or with a
// trait.
func (u *unit) typeOf(expr []token) typeName {
	for i, t := range expr {
		if t.kind != word {
			continue
		}
		if name, ok := strings.CutSuffix(t.text, "_port_trait"); ok {
			return typeName{portTrait: name}
		}
		if name, ok := strings.CutSuffix(t.text, "_type_trait"); ok {
			return typeName{typeTrait: name}
		}
		switch t.text {
		case "type_any", "type_data_dependent":
			return typeName{name: pipe.AnyType}
		case "type_none":
			return typeName{name: pipe.NoneType}
		case "type_flow_dependent":
			return typeName{name: pipe.FlowDependent + u.tag(expr[i+1:])}
		}
	}
	if s, ok := texts(expr); ok {
		return typeName{name: s}
	}
	return typeName{}
}

// tag identifies ports that share an open type: the text after the `+`, or the variable that has
// it.
func (u *unit) tag(expr []token) string {
	if s := literal(expr); s != "" {
		return s
	}
	name := lastWord(expr)
	if values := u.constants[name]; len(values) == 1 {
		return values[0]
	}
	return name
}

var flagWords = map[string]pipe.Flags{
	"flag_required": pipe.Required, "flag_input_static": pipe.Static, "flag_input_mutable": pipe.Mutable,
	"flag_input_nodep": pipe.NoDep, "flag_output_const": pipe.Const, "flag_output_shared": pipe.Shared,
}

// flagsOf returns the flags of an expression: constants, and variables with flags.
func flagsOf(expr []token, variables map[string]pipe.Flags) pipe.Flags {
	var f pipe.Flags
	for _, t := range expr {
		if t.kind == word {
			f |= flagWords[t.text] | variables[t.text]
		}
	}
	return f
}

// keyKind returns the kind of key for a C++ type.
func keyKind(expr []token) pipe.Kind {
	var words []string
	for _, t := range expr {
		words = append(words, t.text)
	}
	switch strings.TrimPrefix(strings.Join(words, ""), "std::") {
	case "bool":
		return pipe.Bool
	case "int", "int32_t", "int64_t", "long", "short", "signed":
		return pipe.Int
	case "unsigned", "unsignedint", "size_t", "uint32_t", "uint64_t", "unsignedlong":
		return pipe.Unsigned
	case "double":
		return pipe.Double
	case "float":
		return pipe.Float
	}
	return pipe.String
}
