// Package schema is the table of what may be written.
//
// Every language has one: its sections and keys with type, default, range and a
// sentence of documentation. The checker, the suggestions, `show --all`, the
// reference page and the JSON Schema all read this one table, so a key that
// is not in it does not exist.
package schema

// Schema is a language's table.
type Schema struct {
	Title    string
	Doc      string
	Sections []Section
	Open     bool // other sections may stand beside them

	Form func() JSON // the JSON Schema, if the form in JSON is no object of sections
}

// Section is a group of keys.
type Section struct {
	Name     string // as written, placeholders in capitals: `Lexgion(ADDRESS)`
	Pattern  string // regular expression of the name where it has placeholders
	Doc      string
	Keys     []Key
	Open     bool // other keys may stand here
	Required bool
}

// Key is one thing that can be set, as checks, the reference and JSON Schema of files need it. The engines declare keys in
// types of their own, which also say what a value does there; a language makes Keys of them.
type Key struct {
	Name      string // placeholders in capitals
	Pattern   string // regular expression of the name where it has placeholders
	Type      Type
	Enum      []string // the words of an Enum or of the elements of a List, the numbers of an Int
	Format    string   // regular expression of a text, or of the elements of a List
	Default   string   // as written; "" is none
	Min, Max  Bound
	Required  bool
	Doc       string
	Example   string
	Extension bool // the original program has it, its document does not
	Resolved  bool // a part of the resolved form that no file can write as a key
}

// Type is what a value is.
type Type uint8

// The types.
const (
	String Type = iota
	Int
	Float
	Bool
	Enum
	List
	Set  // of numbers: `0-3, 7`
	Path // of a file
	Expr // evaluated later
	Map  // names to values
)

func (t Type) String() string {
	return [...]string{"string", "int", "float", "bool", "enum", "list", "set", "path", "expression", "map"}[t]
}

// Bound is an end of a range; the zero Bound is none.
type Bound struct {
	Value float64
	Set   bool
}

// At is the bound at v.
func At(v float64) Bound { return Bound{Value: v, Set: true} }

// Section returns the section of that name, or nil.
func (s *Schema) Section(name string) *Section {
	for i := range s.Sections {
		if s.Sections[i].Name == name {
			return &s.Sections[i]
		}
	}
	return nil
}

// SectionNames are the names without placeholders, for suggestions.
func (s *Schema) SectionNames() []string {
	var names []string
	for i := range s.Sections {
		if s.Sections[i].Pattern == "" {
			names = append(names, s.Sections[i].Name)
		}
	}
	return names
}

// Key returns the key of that name, or nil.
func (s *Section) Key(name string) *Key {
	for i := range s.Keys {
		if s.Keys[i].Name == name {
			return &s.Keys[i]
		}
	}
	return nil
}

// KeyNames are the names without placeholders, for suggestions.
func (s *Section) KeyNames() []string {
	var names []string
	for i := range s.Keys {
		if s.Keys[i].Pattern == "" {
			names = append(names, s.Keys[i].Name)
		}
	}
	return names
}
