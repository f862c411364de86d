package scan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/lexer"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// pythonWords lists words of which a relevant Python source has at least one.
var pythonWords = []string{"add_process", "add_algorithm", "register_vital_algorithm", "class"}

// python reads one Python file. A class extends as far as its lines are indented.
func (u *unit) python(src string) {
	r := &pythonReader{unit: u, list: tokens(src, lexer.Python), flags: map[string]pipe.Flags{}, texts: map[string]string{}, own: strings.Contains(src, "pentode")}
	depth := 0
	for i, t := range r.list {
		if r.class != nil && t.first && depth == 0 && t.indent <= r.indent {
			r.class = nil
		}
		if r.method != "" && t.first && depth == 0 && t.indent <= r.depth {
			r.method = ""
		}
		switch {
		case t.is("(") || t.is("[") || t.is("{"):
			depth++
		case t.is(")") || t.is("]") || t.is("}"):
			depth = max(0, depth-1)
		}
		if t.kind == word {
			r.word(i)
			r.setting(i)
		}
	}
}

type pythonReader struct {
	*unit
	list   []token
	class  *class
	indent int // indentation of the class
	body   int // where the class body begins
	flags  map[string]pipe.Flags
	own    bool          // the source mentions this program, so `Process` is our class
	marked *registration // by a decorator of the class that follows
	method string        // the method being read
	depth  int           // indentation of its `def`
	texts  map[string]string
}

func (r *pythonReader) word(i int) {
	t := r.list[i]
	if t.text == "class" && i+1 < len(r.list) && r.list[i+1].kind == word {
		r.class, r.indent, r.body = r.define(r.list[i+1].text), t.indent, i+2
		if i+2 < len(r.list) && r.list[i+2].is("(") {
			args, end := arguments(r.list, i+2)
			for _, base := range args {
				r.class.bases = append(r.class.bases, lastWord(base))
			}
			r.body = end
		}
		r.body++ // after the colon
		r.class.file, r.class.defined, r.class.span = r.name, true, r.span(r.list[i+1:i+2])
		r.decorated()
		r.ownClass()
		return
	}
	if t.text == "def" {
		r.marked = nil
		if i+1 < len(r.list) && r.method == "" {
			r.method, r.depth = r.list[i+1].text, t.indent
			if r.class != nil && r.method == lists {
				r.class.settings.read = true
			}
		}
	}
	if i > 0 && r.list[i-1].is("@") && r.list[i-1].first {
		r.decorator(i)
		return
	}
	if i+2 < len(r.list) && r.list[i+1].is("=") && (r.list[i+2].is("PortFlags") || i+4 < len(r.list) && r.list[i+4].is("PortFlags")) {
		r.flags[t.text] = 0
		return
	}
	if i+1 >= len(r.list) || !r.list[i+1].is("(") {
		return
	}
	args, _ := arguments(r.list, i+1)
	if r.class != nil && r.ownMember(i, args) {
		return
	}
	if r.addsAlgorithm(t.text, args) {
		return
	}
	for j := range args { // name=value
		if len(args[j]) > 2 && args[j][0].kind == word && args[j][1].is("=") {
			args[j] = args[j][2:]
		}
	}
	switch {
	case t.text == "add" && i >= 2 && r.list[i-1].is("."):
		for _, arg := range args {
			r.flags[r.list[i-2].text] |= flagsOf(arg, nil)
		}
	case t.text == "add_process" && len(args) > 2:
		if name, ok := texts(args[0]); ok {
			r.scanner.register(registration{
				class: lastWord(args[2]), dir: r.dir, typ: name, doc: literal(args[1]),
				explicit: true, version: r.version, file: r.name})
		}
	case r.class != nil:
		r.declare(t.text, args)
	}
}

// decorator reads a decorator that registers a process, whichever module defines it; i is the index
// of its first word:
// i is its first word:
//
//	@register_process(name="find_fish", doc="Finds fish.")
func (r *pythonReader) decorator(i int) {
	end := i + 1
	for end+1 < len(r.list) && r.list[end].is(".") {
		end += 2
	}
	registers := slices.ContainsFunc(r.list[i:end], func(t token) bool {
		return strings.Contains(t.text, "register") || strings.Contains(t.text, "process")
	})
	if !registers {
		return
	}
	r.marked = &registration{dir: r.dir, version: r.version, file: r.name}
	if end == len(r.list) || !r.list[end].is("(") {
		return
	}
	args, _ := arguments(r.list, end)
	call := byName(args, "name", "doc")
	r.marked.doc = literal(call["doc"])
	if name := call["name"]; name != nil {
		if r.marked.typ = literal(name); r.marked.typ == "" {
			r.marked = nil // its name is computed
		}
	}
}

// decorated registers the class that begins here if a decorator says so; without a name in the
// decorator, the type has the name of the class.
func (r *pythonReader) decorated() {
	if r.marked == nil {
		return
	}
	r.marked.class, r.marked.typ = r.class.name, cmp.Or(r.marked.typ, r.class.name)
	r.scanner.register(*r.marked)
	r.marked = nil
}

// declare reads the calls that declare traits, ports and keys. Helpers that declare a trait and a
// port at once take the process first: `add_declare_input_port(self, name, type, flags, doc)`.
func (r *pythonReader) declare(called string, args [][]token) {
	arg := func(i int) []token {
		if i < len(args) {
			return args[i]
		}
		return nil
	}
	helper := len(args) > 1 && lastWord(arg(0)) == "self" && len(arg(0)) == 1
	if helper {
		args = args[1:]
	}
	name := r.names(arg(0))
	add := func(d declaration) {
		d.span = r.span(arg(0))
		r.declareIn(r.class.name, d)
	}
	switch {
	case called == "add_type_trait":
		r.class.traits.addType(name[0], literal(arg(1)))
	case called == "add_port_trait":
		r.class.traits.addPort(name[0], portTrait{typ: typeName{typeTrait: literal(arg(1))}, doc: literal(arg(2))})
	case called == "add_config_trait":
		r.class.traits.addKey(name[0], pipe.Key{Name: literal(arg(1)), Kind: pipe.String, Default: literal(arg(2)), Doc: literal(arg(3))})
	case called == "declare_input_port_using_trait", called == "declare_output_port_using_trait":
		add(declaration{side: sideOf(called), trait: name[0], flags: flagsOf(arg(1), r.flags)})
	case helper && (strings.Contains(called, "declare_input_port") || strings.Contains(called, "declare_output_port")):
		add(declaration{side: sideOf(called), names: name, typ: typeName{typeTrait: literal(arg(1))}, flags: flagsOf(arg(2), r.flags), doc: literal(arg(3))})
	case called == "declare_input_port", called == "declare_output_port":
		add(declaration{side: sideOf(called), names: name, typ: r.typeOf(arg(1)), flags: flagsOf(arg(2), r.flags), doc: literal(arg(3))})
	case called == "declare_config_using_trait":
		add(declaration{side: key, trait: name[0]})
	case helper && strings.Contains(called, "declare_config"), called == "declare_configuration_key":
		add(declaration{side: key, names: name, key: pipe.Key{Kind: pipe.String, Default: literal(arg(1)), Doc: literal(arg(2))}})
	}
}
