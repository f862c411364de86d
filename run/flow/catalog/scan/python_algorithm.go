package scan

import (
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// lists is the method of a Python class that lists the keys of an algorithm.
const lists = "get_configuration"

// addsAlgorithm reads the calls that register an algorithm:
//
//	algorithm_factory.add_algorithm("NAME", "DOC", CLASS)
//	register_vital_algorithm(CLASS, "NAME", "DOC")
func (r *pythonReader) addsAlgorithm(called string, args [][]token) bool {
	var class, name, doc []token
	switch {
	case called == "add_algorithm" && len(args) > 2:
		name, doc, class = args[0], args[1], args[2]
	case called == "register_vital_algorithm" && len(args) > 2:
		class, name, doc = args[0], args[1], args[2]
	default:
		return false
	}
	typ := literal(name)
	if typ == "" && len(name) == 1 {
		typ = r.texts[name[0].text]
	}
	r.scanner.register(registration{class: lastWord(class), dir: r.dir, typ: typ, doc: literal(doc), added: true, version: r.version, file: r.name})
	return true
}

// setting interprets the word at i if it concerns the keys of an algorithm.
func (r *pythonReader) setting(i int) {
	at := func(j int, s string) bool { return j < len(r.list) && r.list[j].is(s) }
	t := r.list[i]
	switch {
	case t.first && at(i+1, "=") && i+2 < len(r.list) && r.list[i+2].kind == text:
		r.texts[t.text] = r.list[i+2].text
	}
	if r.class == nil {
		return
	}
	s := &r.class.settings
	switch {
	case r.method == "" && t.first && at(i+1, "="):
		if t.text == "__default__" && at(i+2, "{") {
			s.fields = append(s.fields, dictionary(r.list, i+2)...)
		} else if !strings.HasPrefix(t.text, "_") {
			s.fields = append(s.fields, r.field(t.text, i+2))
		}
	case t.text == "self" && t.first && at(i+1, ".") && at(i+3, "=") && i+5 < len(r.list):
		m := member{}
		switch {
		case r.list[i+4].is("{"):
			m.keys = dictionary(r.list, i+4)
		case r.list[i+4].kind == word && r.list[i+5].is("("):
			m.class = r.list[i+4].text
		default:
			return
		}
		if s.members == nil {
			s.members = map[string]member{}
		}
		s.members[r.list[i+2].text] = m
	case r.method != lists:
	case t.text == "items" && i >= 4 && at(i-1, ".") && at(i-3, ".") && at(i-4, "self"):
		s.from = append(s.from, r.list[i-2].text)
	case t.text == "set_value" && at(i+1, "("):
		if args, _ := arguments(r.list, i+1); len(args) > 1 {
			r.setValue(args)
		}
	}
}

// setValue reads `cfg.set_value(KEY, VALUE)`. A computed key comes from a member, or is not known.
func (r *pythonReader) setValue(args [][]token) {
	s := &r.class.settings
	name := literal(args[0])
	if name == "" || len(args[0]) != 1 {
		s.computed = s.computed || len(s.from) == 0
		return
	}
	d := declaration{side: key, names: []string{name}, key: pipe.Key{Kind: pipe.String}, span: r.span(args[0])}
	r.declareIn(r.class.name, d)
}

// field returns the key that the body of a class assigns; its value begins at i: `5`, or `scfg.Value(5,
// help="…")`.
func (r *pythonReader) field(name string, i int) pipe.Key {
	k := pipe.Key{Name: name, Kind: pipe.String}
	for j := i; j < min(i+3, len(r.list)-1); j++ {
		if r.list[j].is("Value") && r.list[j+1].is("(") {
			args, _ := arguments(r.list, j+1)
			call := byName(args, "value", "help")
			k.Default, k.Doc = written(call["value"]), oneLine(literal(call["help"]))
			return k
		}
	}
	if i < len(r.list) && r.list[i].kind != sign {
		k.Default = written(r.list[i : i+1])
	}
	return k
}

// dictionary returns the keys of the dictionary whose brace is at i, with their values.
func dictionary(list []token, i int) []pipe.Key {
	var keys []pipe.Key
	args, _ := arguments(list, i)
	for _, arg := range args {
		if len(arg) > 2 && arg[0].kind == text && arg[1].is(":") {
			keys = addKey(keys, pipe.Key{Name: arg[0].text, Kind: pipe.String, Default: written(arg[2:3])})
		}
	}
	return keys
}
