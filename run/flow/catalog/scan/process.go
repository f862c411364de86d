package scan

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// ownBase is the base of classes that are written for this program:
//
//	class Blur(Process):
//	    """Smooths each image."""
//	    image = port.input("kwiver:image")
//	    radius = key(int, 3, "Pixels on each side.", tunable=True)
const ownBase = "Process"

// ownClass registers a class that is written for this program, under its own name.
func (r *pythonReader) ownClass() {
	if !r.own || !r.scanner.isOwn(r.class) || strings.HasPrefix(r.class.name, "_") {
		return
	}
	doc := ""
	if r.body < len(r.list) && r.list[r.body].kind == text {
		doc = r.list[r.body].text
	}
	first, _, _ := strings.Cut(strings.TrimSpace(doc), "\n\n")
	r.scanner.register(registration{class: r.class.name, dir: r.dir, typ: r.class.name, doc: first, explicit: true, version: r.version, file: r.name})
}

// isOwn reports whether a class derives from ownBase.
func (s *Scanner) isOwn(c *class) bool {
	return slices.ContainsFunc(s.lineage(c), func(c *class) bool { return slices.Contains(c.bases, ownBase) })
}

// ownMember reads `NAME = port.input(…)`, `NAME = port.output(…)` and `NAME = key(…)`; i is the
// index of the word before the bracket.
func (r *pythonReader) ownMember(i int, args [][]token) bool {
	at := i // start of the expression
	side := key
	switch called := r.list[i].text; {
	case called == "key":
	case (called == "input" || called == "output") && i >= 2 && r.list[i-1].is(".") && r.list[i-2].is("port"):
		at, side = i-2, input
		if called == "output" {
			side = output
		}
	default:
		return false
	}
	name := r.assigned(at)
	if name == nil || !r.scanner.isOwn(r.class) {
		return false
	}
	d := declaration{side: side, names: []string{name[0].text}, span: r.span(name)}
	if side == key {
		d.key = ownKey(args)
	} else {
		r.ownPort(&d, args)
	}
	r.declareIn(r.class.name, d)
	return true
}

// assigned returns the name to which the expression at i is assigned, `NAME = …` or `NAME: TYPE =
// …`, or nil. A line may have several statements.
func (r *pythonReader) assigned(i int) []token {
	if i < 2 || !r.list[i-1].is("=") {
		return nil
	}
	for j := i - 2; j >= max(0, i-maxAnnotation); j-- {
		if !r.list[j].first && !r.list[j-1].is(";") && j != r.body {
			continue
		}
		if r.list[j].kind == word && (j == i-2 || r.list[j+1].is(":")) {
			return r.list[j : j+1]
		}
		return nil
	}
	return nil
}

// maxAnnotation limits `NAME: TYPE =`, in tokens.
const maxAnnotation = 50

// ownPort reads the arguments type, name, doc and required.
func (r *pythonReader) ownPort(d *declaration, args [][]token) {
	call := byName(args, "type", "name", "doc", "required")
	d.typ.name = literal(call["type"])
	if d.typ.name == "" {
		d.typ.name = pipe.AnyType
	}
	if name := literal(call["name"]); name != "" {
		d.names = []string{name}
	}
	d.doc = literal(call["doc"])
	if required := lastWord(call["required"]); required == "True" || required == "" && d.side == input {
		d.flags = pipe.Required
	}
}

// ownKey reads the arguments type, default, doc, tunable and choices.
func ownKey(args [][]token) pipe.Key {
	call := byName(args, "type", "default", "doc", "tunable", "choices")
	k := pipe.Key{Kind: pipe.String, Doc: literal(call["doc"]), Tunable: lastWord(call["tunable"]) == "True"}
	switch lastWord(call["type"]) {
	case "int":
		k.Kind = pipe.Int
	case "float":
		k.Kind = pipe.Double
	case "bool":
		k.Kind = pipe.Bool
	}
	k.Default = written(call["default"])
	k.Required = call["default"] == nil
	for _, t := range call["choices"] {
		if t.kind == text {
			k.Choices = append(k.Choices, t.text)
		}
	}
	return k
}

// written returns a simple value in the form that pipelines use.
func written(expr []token) string {
	var b strings.Builder
	for _, t := range expr {
		b.WriteString(t.text)
	}
	switch s := b.String(); s {
	case "True", "False":
		return strings.ToLower(s)
	case "None":
		return ""
	default:
		return s
	}
}

// byName returns the arguments of a call by the names of its parameters.
func byName(args [][]token, names ...string) map[string][]token {
	call := map[string][]token{}
	for i, arg := range args {
		switch {
		case len(arg) > 2 && arg[0].kind == word && arg[1].is("="):
			call[arg[0].text] = arg[2:]
		case i < len(names):
			call[names[i]] = arg
		}
	}
	return call
}

// Class returns the class that is registered for a type, and the file that defines it.
func (s *Scanner) Class(typ string) (name, file string) {
	for i := range s.registrations {
		r := &s.registrations[i]
		if r.typ != typ || r.listed != nil {
			continue
		}
		if c := s.class(r.class, r.dir); c != nil {
			return c.name, c.file
		}
	}
	return "", ""
}

// Whole reports whether all bases of the class of a type were read, so that its ports are known.
func (s *Scanner) Whole(typ string) bool {
	for i := range s.registrations {
		r := &s.registrations[i]
		if c := s.class(r.class, r.dir); r.typ == typ && c != nil {
			return !slices.ContainsFunc(s.lineage(c), func(c *class) bool {
				return slices.ContainsFunc(c.bases, func(base string) bool { return s.class(base, c.dir) == nil && !known(base) })
			})
		}
	}
	return false
}

func known(base string) bool {
	return base == ownBase || base == "object" || slices.Contains(processBases, base)
}
