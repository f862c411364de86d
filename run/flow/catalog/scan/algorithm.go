package scan

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// settings has what the sources show about the keys of an algorithm.
type settings struct {
	role     string               // role that the class implements; only for C++ classes
	read     bool                 // the method that lists the keys was found
	computed bool                 // this method lists a key whose name is computed
	kinds    map[string]pipe.Kind // kinds of keys, according to the C++ types as which their values are read
	from     []string             // members of a Python object whose own keys are also keys of the algorithm
	members  map[string]member    // values that are assigned to the members of a Python object
	fields   []pipe.Key           // keys that the body of a Python class defines
}

// A member is the value of a member of a Python object: an instance of a class, or a dictionary.
type member struct {
	class string
	keys  []pipe.Key
}

// Algorithms returns the algorithms found, sorted by role and name. If two have the same role and name, the one in the
// later source is returned.
func (s *Scanner) Algorithms() []*pipe.Algorithm {
	type name struct{ role, name string }
	byName := map[name]*pipe.Algorithm{}
	source := map[name]int{}
	for i := range s.registrations {
		r := &s.registrations[i]
		a := s.algorithm(r)
		if a == nil {
			continue
		}
		if n := (name{a.Role, a.Name}); source[n] < r.source {
			byName[n], source[n] = a, r.source
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b *pipe.Algorithm) int {
		if c := strings.Compare(a.Role, b.Role); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// algorithm returns the algorithm of a registration, or nil if it registers none.
func (s *Scanner) algorithm(r *registration) *pipe.Algorithm {
	if r.explored != nil {
		return r.explored
	}
	if r.listed != nil || r.explicit || !isName(r.typ) {
		return nil
	}
	c := s.class(r.class, r.dir)
	if c == nil || s.isProcess(c) {
		return nil
	}
	lineage := s.lineage(c)
	role := s.role(lineage, r.added)
	if role == "" {
		return nil
	}
	a := &pipe.Algorithm{Name: r.typ, Role: role, Doc: oneLine(r.doc), Version: r.version, Origin: r.file, Span: c.span}
	read := false
	lineage = slices.DeleteFunc(lineage, func(c *class) bool { return c.isRole(role) })
	for _, c := range slices.Backward(lineage) {
		read = read || c.settings.read
		a.Open = a.Open || c.settings.computed
		for i := range c.declarations {
			c.algorithmKeys(a, &c.declarations[i])
		}
		for _, from := range c.settings.from {
			if !s.memberKeys(a, lineage, from) {
				a.Open = true
			}
		}
	}
	if a.Open = a.Open || !read; !read { // some of its keys were not found
		for _, c := range lineage {
			for _, name := range slices.Sorted(maps.Keys(c.settings.kinds)) {
				a.Keys = addKey(a.Keys, pipe.Key{Name: name, Kind: pipe.String})
			}
		}
	}
	for _, c := range lineage {
		for i := range a.Keys {
			if kind, ok := c.settings.kinds[a.Keys[i].Name]; ok && a.Keys[i].Kind == pipe.String {
				a.Keys[i].Kind = kind
			}
		}
	}
	return a
}

// role returns the role that the algorithm of a class implements. A Python class that is registered as an algorithm
// derives from a class named like the role, in Python's spelling.
func (s *Scanner) role(lineage []*class, added bool) string {
	for _, c := range lineage {
		if c.settings.role != "" {
			return c.settings.role
		}
	}
	if !added {
		return ""
	}
	for _, c := range lineage {
		for _, base := range c.bases {
			if s.class(base, c.dir) == nil && base != "" && unicode.IsUpper(rune(base[0])) {
				return snake(base)
			}
		}
	}
	return ""
}

// isRole reports whether a class is the base class of a role. Such a class lists no keys.
func (c *class) isRole(role string) bool {
	switch c.name {
	case "algorithm", "algorithm_def", "algorithm_impl":
		return true
	}
	return c.name == role && c.settings.role == ""
}

// snake converts a name of a Python class to the spelling of the other programs: `image_filter` for `ImageFilter`.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// algorithmKeys adds the key of a declaration to the algorithm.
func (c *class) algorithmKeys(a *pipe.Algorithm, d *declaration) {
	if d.side != key && d.side != nested {
		return
	}
	for _, name := range d.names {
		if name == "" || strings.Contains(name, "<") {
			a.Open = true
			continue
		}
		k := d.key
		k.Name, k.Doc = name, oneLine(k.Doc)
		if d.side == nested {
			k = pipe.Key{Name: name, Kind: pipe.Any}
			if d.role != "" {
				k.Kind, k.Role = pipe.Algo, d.role
			}
		}
		a.Keys = addKey(a.Keys, k)
	}
}

// memberKeys adds the keys of a member to the algorithm. It returns false if they are not known.
func (s *Scanner) memberKeys(a *pipe.Algorithm, lineage []*class, name string) bool {
	for _, c := range lineage {
		m, ok := c.settings.members[name]
		if !ok {
			continue
		}
		for _, k := range m.keys {
			a.Keys = addKey(a.Keys, k)
		}
		if m.class == "" {
			return len(m.keys) > 0
		}
		of := s.class(m.class, c.dir)
		if of == nil {
			return false
		}
		found := false
		for _, c := range slices.Backward(s.lineage(of)) {
			for _, k := range c.settings.fields {
				a.Keys, found = addKey(a.Keys, k), true
			}
		}
		return found
	}
	return false
}

// addKey adds a key, or replaces the key of the same name.
func addKey(keys []pipe.Key, k pipe.Key) []pipe.Key {
	if i := slices.IndexFunc(keys, func(o pipe.Key) bool { return o.Name == k.Name }); i >= 0 {
		keys[i] = k
		return keys
	}
	if len(keys) >= maxDeclarations {
		return keys
	}
	return append(keys, k)
}

// roleOf returns the role that a base class of a C++ class names: `vital::algo::ROLE`, or the last argument of
// `algorithm_impl< CLASS, ROLE >`. It returns "" if the base class names no role.
func roleOf(base []token) string {
	open := slices.IndexFunc(base, func(t token) bool { return t.is("<") })
	if open > 0 {
		if lastWord(base[:open]) != "algorithm_impl" {
			return ""
		}
		args := split(base[open+1:], ",")
		if len(args) < 2 {
			return ""
		}
		return lastWord(args[len(args)-1])
	}
	for i := range base {
		if base[i].is("algo") && i+1 < len(base) && base[i+1].is("::") {
			return lastWord(base)
		}
	}
	return ""
}

// configures reports whether a method of a C++ class is one that lists keys with their values.
func configures(method string) bool {
	switch method {
	case "get_configuration", "update_config", "update_configuration":
		return true
	}
	return false
}

// setting reads the statement at word i if it defines or reads a key of an algorithm.
func (r *cxxReader) setting(i int) {
	class, t := r.current(), r.list[i].text
	if class == "" {
		return
	}
	switch {
	case t == "get_value" && i+1 < len(r.list) && r.list[i+1].is("<"):
		r.readKind(class, i+2)
	case strings.HasPrefix(t, "subblock"):
		r.define(class).settings.computed = true
	case !configures(r.method()):
	case t == "set_value":
		if args := r.call(i); len(args) > 1 {
			d := declaration{side: key, names: r.names(args[0]), key: pipe.Key{Kind: pipe.String}, span: r.span(args[0])}
			if len(args) > 2 {
				d.key.Doc = literal(args[2])
			}
			if first := args[1][0]; first.kind == text && len(args[1]) == 1 || first.kind == word && first.text[0] >= '0' && first.text[0] <= '9' {
				d.key.Default = written(args[1])
			}
			r.declareIn(class, d)
		}
	case strings.Contains(t, "nested_algo_configuration") || configures(t):
	case t == "merge_config":
		r.define(class).settings.computed = true
	case i+1 < len(r.list) && r.list[i+1].is("("): // the function called may add keys
		for _, arg := range r.call(i) {
			if len(arg) == 1 && (arg[0].is("config") || arg[0].is("conf")) {
				r.define(class).settings.computed = true
			}
		}
	}
}

// readKind notes the type with which a key is read in `get_value< TYPE >( "KEY" …`. The type begins at i.
func (r *cxxReader) readKind(class string, i int) {
	end := i
	for end < len(r.list) && end-i < 20 && !r.list[end].is(">") {
		end++
	}
	if end+2 >= len(r.list) || !r.list[end+1].is("(") || r.list[end+2].kind != text {
		return
	}
	s := &r.define(class).settings
	if s.kinds == nil {
		s.kinds = map[string]pipe.Kind{}
	}
	s.kinds[r.list[end+2].text] = keyKind(r.list[i:end])
}

// namedClass registers an algorithm whose name is a constant of its class: `static constexpr char const* name =
// "NAME";`.
func (r *cxxReader) namedClass(statement []token) {
	n := len(statement)
	if n < 4 || !statement[n-2].is("=") || statement[n-1].kind != text || !statement[n-3].is("name") {
		return
	}
	if in := r.scopes[len(r.scopes)-1]; in.kind == classScope {
		r.scanner.register(registration{class: in.class, dir: r.dir, typ: statement[n-1].text, version: r.version, file: r.name})
	}
}
