package scan

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/lexer"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// cxxWords lists words that occur in C++ sources with declarations. Files without any of them are skipped.
// `class` is in the list because a class without declarations can inherit ports, and `_config` because some files
// have only the methods that list keys.
var cxxWords = []string{"_trait", "declare_", "PLUGIN_INFO", "ADD_PROCESS", "ADD_ALGORITHM", "port_undefined", "register_algorithm", "class", "struct", "_config"}

// cxx reads a C++ file from top to bottom. It keeps a stack of open scopes, which shows to which class a
// declaration belongs.
func (u *unit) cxx(src string) {
	r := &cxxReader{unit: u, list: tokens(src, lexer.C), constants: map[string][]string{}}
	u.constants = r.constants
	r.findConstants()
	r.read()
	if isHeader(u.name) {
		for name, typ := range u.traits.types {
			u.scanner.headers.addType(name, typ)
		}
		for name, p := range u.traits.ports {
			u.scanner.headers.addPort(name, p)
		}
		for name, k := range u.traits.keys {
			u.scanner.headers.addKey(name, k)
		}
	}
}

type cxxReader struct {
	*unit
	list      []token
	constants map[string][]string
	scopes    []scope
	statement int                   // index of the first token of the current statement
	flags     map[string]pipe.Flags // variables of the current function that have port flags
	adding    string                // class in the last ADD_PROCESS
}

// A scope is a block between braces.
type scope struct {
	kind   scopeKind
	class  string // name of the class, or of the class to which the method belongs
	method string // name of the method or function; empty for a class
}

type scopeKind uint8

const (
	otherScope scopeKind = iota
	namespaceScope
	classScope
	functionScope
)

func (r *cxxReader) read() {
	for i := 0; i < len(r.list); i++ {
		switch t := r.list[i]; {
		case t.is("{"):
			r.scopes = append(r.scopes, r.open(r.before(i)))
			r.statement = i + 1
		case t.is("}"):
			if len(r.scopes) > 0 {
				r.scopes = r.scopes[:len(r.scopes)-1]
			}
			r.statement = i + 1
		case t.is(";"):
			if len(r.scopes) > 0 {
				r.namedClass(r.before(i))
			}
			r.statement = i + 1
		case t.kind == word:
			r.word(i)
			r.setting(i)
		}
	}
}

// before returns the statement up to i; it is empty within a PLUGIN_INFO whose brackets do not close.
func (r *cxxReader) before(i int) []token { return r.list[min(r.statement, i):i] }

// open returns the scope that a brace opens. header has the tokens before the brace.
func (r *cxxReader) open(header []token) scope {
	inside := scope{kind: namespaceScope}
	if n := len(r.scopes); n > 0 {
		inside = r.scopes[n-1]
	}
	if inside.kind == functionScope {
		return inside // a block of the function
	}
	header = withoutTemplate(header)
	bracket := slices.IndexFunc(header, func(t token) bool { return t.is("(") })
	for i, t := range header {
		switch {
		case t.is("namespace") || t.is("extern"):
			return scope{kind: namespaceScope}
		case t.is("enum"):
			return scope{kind: otherScope}
		case (t.is("class") || t.is("struct")) && bracket < 0:
			return r.openClass(header[i+1:])
		}
	}
	if bracket > 0 {
		return r.openFunction(header[:bracket], inside)
	}
	return scope{kind: otherScope, class: inside.class}
}

// openClass notes a class with its bases, and returns its scope.
func (r *cxxReader) openClass(header []token) scope {
	parts := split(header, ":")
	name := ""
	for _, t := range parts[0] {
		if t.kind == word && t.text != "final" && (t.text != "priv" || name == "") { // CLASS::priv belongs to the class
			name = t.text
		}
	}
	if name == "" {
		return scope{kind: otherScope}
	}
	c := r.define(name)
	c.defined = true
	if len(parts) > 1 {
		for _, base := range split(parts[1], ",") {
			if role := roleOf(base); role != "" {
				c.settings.role = role
			}
			if i := slices.IndexFunc(base, func(t token) bool { return t.is("<") }); i > 0 {
				base = base[:i]
			}
			if b := lastWord(base); b != "" && !slices.Contains(c.bases, b) {
				c.bases = append(c.bases, b)
			}
		}
	}
	return scope{kind: classScope, class: name}
}

// openFunction finds the class of a method from the path before its name, or from the enclosing class.
func (r *cxxReader) openFunction(header []token, inside scope) scope {
	r.flags = map[string]pipe.Flags{}
	s := scope{kind: functionScope, class: inside.class}
	name := lastWord(header)
	for i := len(header) - 2; i >= 1 && header[i].is("::"); i -= 2 {
		if s.class = header[i-1].text; s.class != "priv" {
			break
		}
	}
	if s.method = name; s.class != "" && configures(name) {
		r.define(s.class).settings.read = true
	}
	if s.class != "" && strings.HasSuffix(name, "put_port_undefined") {
		r.define(s.class).named[sideOf(name)] = true
	}
	return s
}

func sideOf(name string) side {
	if strings.Contains(name, "output") {
		return output
	}
	return input
}

// withoutTemplate removes `template <…>` before a definition.
func withoutTemplate(header []token) []token {
	if len(header) < 2 || !header[0].is("template") {
		return header
	}
	depth := 0
	for i, t := range header {
		switch {
		case t.is("<"):
			depth++
		case t.is(">"):
			if depth--; depth == 0 {
				return header[i+1:]
			}
		}
	}
	return header
}

// word reads the declaration that begins with the word at i, if there is one.
func (r *cxxReader) word(i int) {
	t := r.list[i].text
	switch {
	case t == "port_flags_t":
		r.flagVariable(i + 1)
	case t == "insert" && i >= 2 && r.list[i-1].is(".") && r.flags != nil:
		args, _ := arguments(r.list, i+1)
		for _, arg := range args {
			r.flags[r.list[i-2].text] |= flagsOf(arg, r.flags)
		}
	case t == "PLUGIN_NAME" || t == "PLUGIN_DESCRIPTION":
		r.attribute(i)
	case strings.HasPrefix(t, "ADD_"):
		r.adding = ""
		args := r.call(i)
		switch {
		case t == "ADD_PROCESS" && len(args) > 0:
			r.adding = lastWord(args[0])
			r.scanner.register(registration{class: r.adding, dir: r.dir, explicit: true, version: r.version, file: r.name})
		case t == "ADD_ALGORITHM" && len(args) > 1:
			r.scanner.register(registration{class: lastWord(args[1]), dir: r.dir, typ: literal(args[0]), version: r.version, file: r.name})
		}
	case t == "register_algorithm":
		r.promise(i + 1)
	case t == "PLUGIN_INFO" && i+1 < len(r.list) && r.list[i+1].is("("):
		args, end := arguments(r.list, i+1)
		r.statement = end // a macro need not be followed by a semicolon
		if class := r.current(); class != "" && len(args) > 0 {
			reg := registration{class: class, dir: r.dir, typ: literal(args[0]), version: r.version, file: r.name}
			if len(args) > 1 {
				reg.doc = literal(args[1])
			}
			r.scanner.register(reg)
		}
	case strings.HasPrefix(t, "create_"):
		r.trait(t, r.call(i))
	case strings.HasPrefix(t, "declare_"):
		r.declare(t, r.call(i))
	case strings.HasSuffix(t, "nested_algo_configuration") || strings.HasSuffix(t, "nested_algo_configuration_using_trait"):
		if args := r.call(i); len(args) > 0 {
			d := declaration{side: nested, role: r.roleBefore(i)}
			if strings.HasSuffix(t, "_trait") {
				d.trait = lastWord(args[0])
			} else {
				d.names = r.names(args[0])
			}
			r.declareIn(r.current(), d)
		}
	}
}

// call returns the arguments of the call at i, or nil.
func (r *cxxReader) call(i int) [][]token {
	if i+1 >= len(r.list) || !r.list[i+1].is("(") {
		return nil
	}
	args, _ := arguments(r.list, i+1)
	return args
}

// current returns the class whose body or method is being read.
func (r *cxxReader) current() string {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if r.scopes[i].class != "" {
			return r.scopes[i].class
		}
	}
	return ""
}

// method returns the function that is being read.
func (r *cxxReader) method() string {
	if n := len(r.scopes); n > 0 {
		return r.scopes[n-1].method
	}
	return ""
}

// roleBefore returns the class whose function the word at i calls:
// `vital::algo::ROLE::get_nested_algo_configuration`.
func (r *cxxReader) roleBefore(i int) string {
	if i >= 2 && r.list[i-1].is("::") && r.list[i-2].kind == word {
		return r.list[i-2].text
	}
	return ""
}

// flagVariable notes a variable and its initial flags.
func (r *cxxReader) flagVariable(i int) {
	if r.flags == nil {
		return
	}
	for ; i < len(r.list) && !r.list[i].is(";") && !r.list[i].is(")"); i++ {
		if r.list[i].kind == word && r.list[i].text != "const" {
			name, start := r.list[i].text, i
			for i < len(r.list) && !r.list[i].is(";") {
				i++
			}
			r.flags[name] = flagsOf(r.list[start+1:i], r.flags)
			return
		}
	}
}

// attribute reads the name and documentation of the type that ADD_PROCESS adds.
func (r *cxxReader) attribute(i int) {
	if r.adding == "" || i+2 >= len(r.list) || !r.list[i+1].is(",") || r.list[i+2].kind != text {
		return
	}
	end := i + 2
	for end < len(r.list) && r.list[end].kind == text {
		end++
	}
	reg := &r.scanner.registrations[len(r.scanner.registrations)-1]
	if r.list[i].text == "PLUGIN_NAME" {
		reg.typ = literal(r.list[i+2 : end])
	} else {
		reg.doc = literal(r.list[i+2 : end])
	}
}

// trait reads `create_…_trait`.
func (r *cxxReader) trait(macro string, args [][]token) {
	if len(args) == 0 {
		return
	}
	name := lastWord(args[0])
	switch {
	case macro == "create_type_trait" && len(args) > 1:
		r.traits.addType(name, literal(args[1]))
	case macro == "create_port_trait" && len(args) > 1:
		p := portTrait{typ: typeName{typeTrait: lastWord(args[1])}}
		if len(args) > 2 {
			p.doc = literal(args[2])
		}
		r.traits.addPort(name, p)
	case macro == "create_algorithm_name_config_trait":
		r.traits.addKey(name, pipe.Key{Name: name, Kind: pipe.Any, Doc: "The algorithm; its keys are below its name."})
	case macro == "create_config_trait" && len(args) > 3:
		r.traits.addKey(name, pipe.Key{Name: name, Kind: keyKind(args[1]), Default: literal(args[2]), Doc: literal(args[3])})
	case macro == "create_named_config_trait" && len(args) > 4:
		r.traits.addKey(name, pipe.Key{Name: literal(args[1]), Kind: keyKind(args[2]), Default: literal(args[3]), Doc: literal(args[4])})
	}
}

// declare reads `declare_…`.
func (r *cxxReader) declare(macro string, args [][]token) {
	if len(args) == 0 {
		return
	}
	arg := func(i int) []token {
		if i < len(args) {
			return args[i]
		}
		return nil
	}
	d := declaration{}
	switch macro {
	case "declare_input_port_using_trait", "declare_output_port_using_trait":
		d = declaration{side: sideOf(macro), trait: lastWord(args[0]), flags: flagsOf(arg(1), r.flags), doc: literal(arg(2))}
	case "declare_input_port", "declare_output_port":
		if len(args) < 3 {
			return
		}
		d = declaration{side: sideOf(macro), names: r.names(args[0]), typ: r.typeOf(args[1]), flags: flagsOf(args[2], r.flags), doc: literal(arg(3))}
	case "declare_config_using_trait", "declare_tunable_config_using_trait":
		d = declaration{side: key, trait: lastWord(args[0])}
	case "declare_configuration_key":
		if len(args) < 3 {
			return
		}
		d = declaration{side: key, names: r.names(args[0])}
		d.key = pipe.Key{Kind: pipe.String, Doc: literal(args[2]), Tunable: lastWord(arg(3)) == "true"}
		if def := r.names(args[1]); len(def) == 1 && def[0] != unknown {
			d.key.Default = def[0]
		}
	default:
		return
	}
	d.span = r.span(args[0])
	r.declareIn(r.current(), d)
}

func (u *unit) declareIn(class string, d declaration) {
	if class == "" {
		return
	}
	d.unit = u
	if c := u.define(class); len(c.declarations) < maxDeclarations {
		c.declarations = append(c.declarations, d)
	}
}

// findConstants notes the names that a file gives to texts, as in `port_t const priv::port_input = port_t(
// "number" );`, and to lists of them. It runs before the file is read, because they may be at its end.
func (r *cxxReader) findConstants() {
	start := 0
	for i := 0; i < len(r.list); i++ {
		switch t := r.list[i]; {
		case t.is(";") || t.is("{") || t.is("}"):
			start = i + 1
		case t.is("=") || t.is("("):
			name := nameBefore(r.list[start:i])
			if name == "" {
				continue
			}
			end := i
			for depth := 0; end < len(r.list); end++ {
				if s := r.list[end]; s.is("{") || s.is("(") {
					depth++
				} else if s.is("}") || s.is(")") {
					depth--
				} else if s.is(";") && depth == 0 {
					break
				}
				if end-i > maxConstant {
					return
				}
			}
			r.addConstant(name, r.list[i:end])
		}
	}
}

// maxConstant limits the definition of a constant, in tokens.
const maxConstant = 2000

// nameBefore returns the name that a definition defines, or "" if the words before `=` or `(` are not a
// definition: a definition has a type before the name.
func nameBefore(list []token) string {
	for n := len(list); n > 3 && list[n-1].is("]"); { // the size of a list
		n = slices.IndexFunc(list, func(t token) bool { return t.is("[") })
		if n < 0 {
			return ""
		}
		list = list[:n]
	}
	i := len(list) - 1
	if i < 1 || list[i].kind != word {
		return ""
	}
	name := list[i].text
	for i >= 2 && list[i-1].is("::") && list[i-2].kind == word {
		i -= 2
	}
	if i == 0 || list[i-1].kind != word && !list[i-1].is("&") && !list[i-1].is(">") || list[i-1].is("return") {
		return ""
	}
	return name
}

// addConstant notes the texts of a definition.
func (r *cxxReader) addConstant(name string, value []token) {
	var list [][]token
	switch {
	case value[0].is("(") || len(value) > 1 && value[1].is("{"):
		at := 0
		if value[0].is("=") {
			at = 1
		}
		list, _ = arguments(value, at)
	default:
		list = [][]token{value[1:]}
	}
	var values []string
	for _, v := range list {
		if names := r.names(v); len(names) == 1 && !strings.Contains(names[0], "<") {
			values = append(values, names[0])
		}
	}
	if len(values) == len(list) && len(values) > 0 && r.constants[name] == nil {
		r.constants[name] = values
	}
}
