// Package schema is the table of the keys of a language.
//
// Every language has one: its sections and keys with type, default, range and a sentence of
// documentation. The checker, the suggestions, `show --all`, the reference page and the JSON
// Schema all read this table, so a key that is not in it does not exist.
package schema

// Schema is the table of a language.
type Schema struct {
	Title    string
	Doc      string
	Sections []Section
	Open     bool // other sections are allowed too

	Form func() JSON // the JSON Schema, if the JSON form is not an object of sections
}

// Section is a group of keys.
type Section struct {
	Name     string // as written, placeholders in capitals: `Lexgion(ADDRESS)`
	Pattern  string // regular expression for the name, if it has placeholders
	Doc      string
	Keys     []Key
	Open     bool // other keys are allowed too
	Required bool
}

// Key is one thing that can be set, with what checks, the reference page and JSON Schema
// need. Engines declare keys in their own types, which also say what a value does. A
// language converts them to Keys.
type Key struct {
	Name      string // placeholders in capitals
	Pattern   string // regular expression for the name, if it has placeholders
	Type      Type
	Enum      []string // for an Enum its words, for a List the words of its elements, for an Int its numbers
	Format    string   // regular expression for a text, or for the elements of a List
	Default   string   // as written; "" means none
	Min, Max  Bound
	Required  bool
	Doc       string
	Example   string
	Extension bool // the original program has it, but its document does not
	Resolved  bool // part of the resolved form; no file can write it as a key
}

// Type is the type of a value.
type Type uint8

// The types.
const (
	String Type = iota
	Int
	Float
	Bool
	Enum
	List
	Set  // a set of numbers: `0-3, 7`
	Path // the path of a file
	Expr // an expression that is evaluated later
	Map  // a map from names to values
)

func (t Type) String() string {
	return [...]string{"string", "int", "float", "bool", "enum", "list", "set", "path", "expression", "map"}[t]
}

// Bound is an end of a range. The zero Bound is no bound.
type Bound struct {
	Value float64
	Set   bool
}

// At returns a bound at v.
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

// SectionNames returns the names without placeholders, for suggestions.
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

// KeyNames returns the names without placeholders, for suggestions.
func (s *Section) KeyNames() []string {
	var names []string
	for i := range s.Keys {
		if s.Keys[i].Pattern == "" {
			names = append(names, s.Keys[i].Name)
		}
	}
	return names
}
