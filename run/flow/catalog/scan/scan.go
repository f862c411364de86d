// Package scan finds the process types and algorithms of an installation
// without running any of its code.
//
// It reads the output of KWIVER's plugin_explorer, and the sources of processes in
// C++ and Python. Sources are only split into words. Among these, the scanner looks
// for the few calls that declare ports and keys or register a class as a type:
//
//	C++     tokens ──▶ classes, traits, declarations, registrations ──┐
//	Python  tokens ──▶ classes, traits, declarations, registrations ──┼──▶ pipe.Type
//	JSON of plugin_explorer ──────────────────────────────────────────┘
//
// Algorithms are registered in the same ways. Their keys are listed in their method
// get_configuration; the kind of a key is the type as which C++ reads it.
//
// A name that a program computes becomes a pattern (`image<n>`, `<any>`), an unknown
// port type becomes `_any`, and keys are open, so that a declaration never forbids
// what its process accepts.
package scan

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Scanner finds process types in sources. Traits in a C++ header apply to all sources, so read KWIVER's sources together
// with sources that use its traits. The zero value is ready for use.
type Scanner struct {
	// Root is the folder to which the names of sources are relative. It is the first part of the places of types and
	// ports.
	Root string
	// Read is called with the number of files read so far, while a folder is read. It may be nil.
	Read func(files int64)

	files         int64
	registrations []registration
	sources       int                 // number of sources read so far
	classes       map[string][]*class // by name
	headers       traits              // traits of all C++ headers
	placeholders  map[string]string   // for each placeholder, the file that fills it in
	promises      []promise
}

// A registration is a statement that registers a class as a process type or algorithm.
type registration struct {
	class, dir string
	typ, doc   string
	explicit   bool // registered as a process, so the bases of the class need not be known
	version    string
	file       string
	source     int
	listed     *pipe.Type // the type, if plugin_explorer listed it; there is no class
	added      bool       // registered as an algorithm by Python
	explored   *pipe.Algorithm
}

// maxSize limits the size of a source file; larger files are data, not sources.
const maxSize = 4 << 20

// Folder reads the C++ and Python sources below a folder. Folders with tests and documentation are skipped, because no
// installation has their types.
func (s *Scanner) Folder(name string, tree fs.FS) error {
	version := cmp.Or(projectVersion(tree), name)
	s.sources++
	return fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("`%s` cannot be read", path.Join(name, file))
		}
		if d.IsDir() {
			if file != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(leftOut, d.Name())) {
				return fs.SkipDir
			}
			return nil
		}
		if !isCxx(file) && !isPython(file) || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > maxSize {
			return nil
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return fmt.Errorf("`%s` cannot be read", path.Join(name, file))
		}
		s.source(path.Join(name, file), version, string(text))
		if s.files++; s.Read != nil {
			s.Read(s.files)
		}
		return nil
	})
}

var leftOut = []string{"tests", "test", "doc", "docs", "__pycache__"}

// File reads one source file in C++ or Python.
func (s *Scanner) File(name, text string) {
	s.sources++
	s.source(name, path.Base(name), text)
}

// IsSource reports whether a file has the name of a C++ or Python source.
func IsSource(name string) bool { return isCxx(name) || isPython(name) }

func isPython(name string) bool { return path.Ext(name) == ".py" }

func isCxx(name string) bool {
	return isHeader(name) || slices.Contains([]string{".cxx", ".cpp", ".cc", ".txx"}, path.Ext(name))
}

func isHeader(name string) bool {
	return slices.Contains([]string{".h", ".hpp", ".hxx", ".hh"}, path.Ext(name))
}

func (s *Scanner) source(name, version, text string) {
	u := &unit{scanner: s, name: name, dir: path.Dir(name), version: version}
	u.file = source.NewFile(filepath.Join(s.Root, name), text)
	s.findPlaceholders(name, text)
	switch {
	case isPython(name):
		if mentions(text, pythonWords) {
			u.dir += ":python" // a C++ class in the same folder may have the same name
			u.python(text)
		}
	case mentions(text, cxxWords):
		u.cxx(text)
	}
}

// quotedPlaceholder matches a string of a source that is a placeholder of templates.
var quotedPlaceholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`["']\[-([A-Za-z0-9_-]+)-\]["']`) })

// findPlaceholders notes the placeholders for which a source inserts text.
func (s *Scanner) findPlaceholders(name, text string) {
	if !strings.Contains(text, "[-") {
		return
	}
	for _, m := range quotedPlaceholder().FindAllStringSubmatch(text, -1) {
		if s.placeholders == nil {
			s.placeholders = map[string]string{}
		}
		s.placeholders[m[1]] = name
	}
}

// Placeholders returns the names in `[-NAME-]` of templates that the sources fill in, each with the last file that does
// so.
func (s *Scanner) Placeholders() map[string]string { return s.placeholders }

// mentions reports whether a text has one of these words. A text without them declares nothing.
func mentions(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// Types returns the process types found, by name. If two have the same name, the one of the later source is used; two of
// the same source are merged into a type that may be either.
func (s *Scanner) Types() []*pipe.Type {
	byName := map[string]*pipe.Type{}
	source := map[string]int{} // number of the source of each
	for i := range s.registrations {
		r := &s.registrations[i]
		switch t := s.registered(r); {
		case t == nil:
		case source[t.Name] < r.source:
			byName[t.Name], source[t.Name] = t, r.source
		default:
			either(byName[t.Name], t)
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b *pipe.Type) int { return strings.Compare(a.Name, b.Name) })
}

// registered returns the process type of a registration, or nil if it registers none.
func (s *Scanner) registered(r *registration) *pipe.Type {
	if r.listed != nil {
		return r.listed
	}
	if r.added || r.explored != nil {
		return nil
	}
	c := s.class(r.class, r.dir)
	if c == nil || !r.explicit && !s.isProcess(c) || !isName(r.typ) {
		return nil
	}
	return s.make(r, c)
}

// register notes a registration in the source being read.
func (s *Scanner) register(r registration) {
	r.source = s.sources
	s.registrations = append(s.registrations, r)
}
