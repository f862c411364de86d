package scan

import (
	"slices"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A unit is one source file.
type unit struct {
	scanner   *Scanner
	name, dir string // dir is where names of classes are looked up first
	file      *source.File
	version   string
	traits    traits
	constants map[string][]string // names of ports and keys that have a name in the source
}

// A class is what the sources say about one class; its methods may be in
// another file.
type class struct {
	name, dir    string
	file         string      // that defines it, or the first that mentions it
	span         source.Span // of its name, where it is defined
	defined      bool        // the folder has its definition, and not only methods
	bases        []string
	declarations []declaration
	traits       traits  // Python declares them in the class
	named        [2]bool // whether the pipeline names further inputs, outputs
	settings     settings
}

// traits are names that stand for a port type, a port or a key. C++ and Python
// have them alike.
type traits struct {
	types map[string]string
	ports map[string]portTrait
	keys  map[string]pipe.Key
}

type portTrait struct {
	typ typeName
	doc string
}

// A typeName is the type of a port: its name, or that of a trait.
type typeName struct {
	name      string
	typeTrait string
	portTrait string
}

// A declaration is a port or a key of a class, with the file whose traits it
// uses.
type declaration struct {
	unit  *unit
	side  side
	trait string // or what follows
	names []string
	typ   typeName
	flags pipe.Flags
	doc   string
	key   pipe.Key
	span  source.Span // of the name that it declares
	role  string      // of the algorithm that a nested key chooses
}

// Sources can be hostile, so what is compared with everything else is bounded.
const (
	maxDeclarations = 1000 // of a class
	maxLineage      = 50   // classes that one derives from
)

type side uint8

const (
	input side = iota
	output
	key
	nested // a key under which an algorithm is configured
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

// class finds a class by name: that of the same folder, else the first that has
// bases or declarations, else the first.
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

// other is the other half of a class whose header and methods lie in two
// folders, or nil: where the name is that of several classes, the halves cannot be matched.
func (s *Scanner) other(c *class) *class {
	if list := s.classes[c.name]; len(list) == 2 && list[0].defined != list[1].defined {
		if list[0] == c {
			return list[1]
		}
		return list[0]
	}
	return nil
}

// define finds or makes a class of the unit's folder.
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

// span is the place of an expression.
func (u *unit) span(expr []token) source.Span {
	if len(expr) == 0 {
		return source.Span{}
	}
	return u.file.Span(expr[0].at, expr[len(expr)-1].end)
}

// lineage is a class with those that it derives from, the class itself first.
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

// isProcess reports whether a class derives from sprokit's process: algorithms
// are registered in the same way.
func (s *Scanner) isProcess(c *class) bool {
	return slices.ContainsFunc(s.lineage(c), func(c *class) bool {
		return slices.ContainsFunc(c.bases, func(base string) bool { return slices.Contains(processBases, base) })
	})
}

var processBases = []string{"process", "process_cluster", "KwiverProcess", "PythonProcess"}
