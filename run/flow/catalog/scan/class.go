package scan

import (
	"slices"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A unit is a source file while it is read.
type unit struct {
	scanner   *Scanner
	name, dir string // class names are looked up in dir first
	file      *source.File
	version   string
	traits    traits
	constants map[string][]string // texts that the constants of the source may have; they are names of ports and keys
}

// A class has what the sources show about one class. Its methods may be in another file than its
// definition.
type class struct {
	name, dir    string
	file         string      // the file that defines it, or the first one that mentions it
	span         source.Span // place of its name, if it is defined
	defined      bool        // the definition was found, not only methods
	bases        []string
	declarations []declaration
	traits       traits  // traits declared in the class; only for Python
	named        [2]bool // whether the pipeline may choose names of further inputs, and outputs
	settings     settings
}

// traits map names to port types, ports and keys. In KWIVER such a named declaration is called a
// trait.
type traits struct {
	types map[string]string
	ports map[string]portTrait
	keys  map[string]pipe.Key
}

type portTrait struct {
	typ typeName
	doc string
}

// A typeName is the type of a port: the type's name, or the name of a trait that has it.
type typeName struct {
	name      string
	typeTrait string
	portTrait string
}

// A declaration is a port or key of a class, and the file in which its traits are looked up.
type declaration struct {
	unit  *unit
	side  side
	trait string // name of the trait; if empty, the declaration is in the fields below
	names []string
	typ   typeName
	flags pipe.Flags
	doc   string
	key   pipe.Key
	span  source.Span // place of the name in the source
	role  string      // role of the algorithm that a nested key chooses
}

// Sources may be hostile, so there are limits for lists whose elements are compared with each
// other.
const (
	maxDeclarations = 1000 // number of declarations in a class
	maxLineage      = 50   // number of base classes of a class
)

type side uint8

const (
	input side = iota
	output
	key
	nested // a key that has the block of another algorithm
)

func (t *traits) addType(name, typ string) {
	if t.types == nil {
		t.types = map[string]string{}
	}
	t.types[name] = typ
}

func (t *traits) addPort(name string, p portTrait) {
	if t.ports == nil {
		t.ports = map[string]portTrait{}
	}
	t.ports[name] = p
}

func (t *traits) addKey(name string, k pipe.Key) {
	if t.keys == nil {
		t.keys = map[string]pipe.Key{}
	}
	t.keys[name] = k
}

// class finds a class by name. It prefers the class in the same folder, then the first one with
// bases or declarations, then the first.
func (s *Scanner) class(name, dir string) *class {
	var best *class
	for _, c := range s.classes[name] {
		if c.dir == dir {
			return c
		}
		if best == nil || best.empty() && !c.empty() {
			best = c
		}
	}
	return best
}

func (c *class) empty() bool { return len(c.bases) == 0 && len(c.declarations) == 0 }

// other returns the other part of a class whose header and methods are in different folders. It
// returns nil if there is none, or if several classes have this name.
func (s *Scanner) other(c *class) *class {
	if list := s.classes[c.name]; len(list) == 2 && list[0].defined != list[1].defined {
		if list[0] == c {
			return list[1]
		}
		return list[0]
	}
	return nil
}

// define returns the class with this name in the unit's folder. It is added if it is new.
func (u *unit) define(name string) *class {
	s := u.scanner
	for _, c := range s.classes[name] {
		if c.dir == u.dir {
			return c
		}
	}
	c := &class{name: name, dir: u.dir, file: u.name}
	if s.classes == nil {
		s.classes = map[string][]*class{}
	}
	s.classes[name] = append(s.classes[name], c)
	return c
}

// span returns the place of an expression.
func (u *unit) span(expr []token) source.Span {
	if len(expr) == 0 {
		return source.Span{}
	}
	return u.file.Span(expr[0].at, expr[len(expr)-1].end)
}

// lineage returns a class and the classes from which it derives, the class itself first.
func (s *Scanner) lineage(c *class) []*class {
	list := []*class{c}
	add := func(c *class) {
		if c != nil && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for i := 0; i < len(list) && i < maxLineage; i++ {
		add(s.other(list[i]))
		for _, base := range list[i].bases {
			add(s.class(base, list[i].dir))
		}
	}
	return list
}

// isProcess reports whether a class derives from sprokit's process. The check is needed because
// algorithms are registered in the same way.
func (s *Scanner) isProcess(c *class) bool {
	return slices.ContainsFunc(s.lineage(c), func(c *class) bool {
		return slices.ContainsFunc(c.bases, func(base string) bool { return slices.Contains(processBases, base) })
	})
}

var processBases = []string{"process", "process_cluster", "KwiverProcess", "PythonProcess"}
