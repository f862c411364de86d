package coil

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil/syntax"
	"github.com/pentode-dev/pentode/run/target/table"
)

// Model is what a configuration means after all includes are read: for each
// key, the setting that decides its value, and the settings that this one
// overrides.
type Model struct {
	lang.Findings

	Sections []*Section // in order of first mention

	opts   Options
	tables *table.Tables
	schema *schema.Schema
	env    *load.Env
	tree   *syntax.Tree
	root   *include
	byName map[string]*Section

	problems diag.List // from reading and merging the files
	machine  machine
	partial  bool            // a file could not be included
	strays   map[string]bool // keys reported because they stand before the first section
}

// Section is a section with its settings from all files.
type Section struct {
	Name string      // runs of blanks are one blank
	At   source.Span // its name where it was first written; zero if only the command line names it

	keys     *schema.Section // nil for vendors' sections and unknown ones
	vendor   bool
	settings []*Setting
	index    map[string]int // settings by key, once there are many
	opened   source.Span    // its name in the file that was merged last
	// lost are the first words of the section's lines that have no valid form.
	lost map[string]bool
}

// Setting is a key with the value that was set last.
type Setting struct {
	Section *Section
	Key     string
	Value   Value
	Name    source.Span // the place of the key
	Text    source.Span // the place of the value

	key      *schema.Key // nil if the table does not have the key
	frame    *load.Frame // the file that set it
	prev     *Setting    // the setting that this one overrides
	depth    int32       // how many settings it overrides
	broken   bool        // the value's text has no valid form, and this is reported
	override bool        // from the command line
}

// At returns the place of the whole setting.
func (s *Setting) At() source.Span { return s.Name.To(s.Text) }

// Path returns the setting's full name: `Target.PU`.
func (s *Setting) Path() string { return s.Section.Name + "." + s.Key }

// Value is a value with the type of its key.
type Value struct {
	Text   string // without quotes
	Items  []Item
	Int    uint64
	Type   schema.Type
	OK     bool // the value has the type of its key and the key takes it
	Bool   bool
	quoted bool
}

// Item is an element of a list.
type Item struct {
	Text string // without quotes around all of it
	Key  string // Text, cut to the length of the longest name that is looked up
	Raw  string // as written
	Span source.Span
}

// machine is what the tables know about the target. Fields are nil if the file
// does not name the part or the tables do not know it.
type machine struct {
	pu   string
	arch *table.Arch
	hint int // the mode that the architecture's name implies, or 0
	isa  *table.ISA
	mode *table.Mode
}

// include is a file that was read, with the files it includes.
type include struct {
	frame    *load.Frame
	keys     int // how many keys it sets
	includes []*include
}

func (n *include) files() []*source.File {
	list := []*source.File{n.frame.File}
	for _, inc := range n.includes {
		list = append(list, inc.files()...)
	}
	return list
}

// section returns the section of that name, or nil.
func (m *Model) section(name string) *Section { return m.byName[name] }

// Top returns the place where the file begins.
func (m *Model) Top() source.Span { return m.tree.File().Span(0, 0) }

// Lookup returns the setting that decides a key, or nil.
func (m *Model) Lookup(section, key string) *Setting {
	s := m.byName[section]
	if s == nil {
		return nil
	}
	return s.get(key)
}

func (s *Section) get(key string) *Setting {
	if i := s.find(key); i >= 0 {
		return s.settings[i]
	}
	return nil
}

// find returns the index of a key, or -1. Few sections have so many keys that
// an index is faster than a search.
func (s *Section) find(key string) int {
	if s.index == nil {
		return slices.IndexFunc(s.settings, func(n *Setting) bool { return n.Key == key })
	}
	if i, ok := s.index[key]; ok {
		return i
	}
	return -1
}

func (s *Section) add(n *Setting) {
	const many = 12
	s.settings = append(s.settings, n)
	if s.index == nil && len(s.settings) > many {
		s.index = map[string]int{}
		for i, n := range s.settings {
			s.index[n.Key] = i
		}
	}
	if s.index != nil {
		s.index[n.Key] = len(s.settings) - 1
	}
}

// good returns the setting of a key if its value is OK, else nil.
func (m *Model) good(section, key string) *Setting {
	if s := m.Lookup(section, key); s != nil && s.Value.OK {
		return s
	}
	return nil
}

// text returns the value of a text key, or "".
func (m *Model) text(section, key string) string {
	if s := m.good(section, key); s != nil {
		return s.Value.Text
	}
	return ""
}

// items returns the elements of a list, or nil.
func (m *Model) items(section, key string) []Item {
	if s := m.good(section, key); s != nil {
		return s.Value.Items
	}
	return nil
}

// collapse replaces every run of blanks by one blank.
func collapse(name string) string {
	if !strings.ContainsAny(name, "\t\v\f") && !strings.Contains(name, "  ") {
		return name
	}
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '\t' || r == '\v' || r == '\f' }), " ")
}

// cutKey cuts `Target.PU` at its last dot: sections may have dots, keys may
// not.
func cutKey(path string) (section, key string, ok bool) {
	i := strings.LastIndexByte(path, '.')
	if i <= 0 || i == len(path)-1 {
		return "", "", false
	}
	return collapse(path[:i]), path[i+1:], true
}

// machineName returns the architecture, with its mode if its modes have
// different features.
func (m *Model) machineName() string {
	if len(m.machine.arch.ISAs) > 1 {
		return fmt.Sprintf("%s in mode %d", m.machine.arch.Name, m.machine.mode.Bits)
	}
	return m.machine.arch.Name
}
