package scan

import (
	"slices"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A unit is one source file.
type unit struct {
	scanner   *Scanner
	name, dir string // class names are looked up in dir first
	file      *source.File
	version   string
	traits    traits
	constants map[string][]string // constants of the source that name ports and keys
}

// A class is what the sources say about one class; its methods may be in another file.
type class struct {
	name, dir    string
	file         string      // the file that defines it, or the first one that mentions it
	span         source.Span // place of its name, if it is defined
	defined      bool        // the folder has its definition, not only methods
	bases        []string
	declarations []declaration
	traits       traits  // Python declares them in the class
	named        [2]bool // whether the pipeline names further inputs and outputs
	settings     settings
}

// traits are names for a port type, a port or a key. C++ and Python have the same ones.
type traits struct {
	types map[string]string
	ports map[string]portTrait
	keys  map[string]pipe.Key
}

type portTrait struct {
	typ typeName
	doc string
}

// A typeName is the type of a port: its name, or the name of a trait.
type typeName struct {
	name      string
	typeTrait string
	portTrait string
}

// A declaration is a port or a key of a class, with the file whose traits it uses.
type declaration struct {
	unit  *unit
	side  side
	trait string // the trait; if empty, the fields below
	names []string
	typ   typeName
	flags pipe.Flags
	doc   string
	key   pipe.Key
	span  source.Span // place of the declared name
	role  string      // role of the algorithm that a nested key chooses
}

// Sources can be hostile, so anything that is compared with everything else is limited.
const (
	maxDeclarations = 1000 // declarations of a class
	maxLineage      = 50   // classes from which a class derives
)

type side uint8

const (
	input side = iota
	output
	key
	nested // a key below which an algorithm is configured
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

// class finds a class by name: the class of the same folder, else the first with bases or
// declarations, else the first.
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

// other returns the other half of a class whose header and methods are in two folders, or nil. If
// several classes have the name, the halves cannot be matched.
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

// isProcess reports whether a class derives from sprokit's process: algorithms are registered in
// the same way.
func (s *Scanner) isProcess(c *class) bool {
	return slices.ContainsFunc(s.lineage(c), func(c *class) bool {
		return slices.ContainsFunc(c.bases, func(base string) bool { return slices.Contains(processBases, base) })
	})
}

var processBases = []string{"process", "process_cluster", "KwiverProcess", "PythonProcess"}
