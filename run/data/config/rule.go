// Package config describes what the configuration of a plugin may contain.
//
// A plugin declares a Rule next to its code. The checker, completion, hover, the reference page and the messages about unknown
// keys all use that rule.
//
//	Rule ──▶ a scalar, by its Use
//	     ├─▶ a list, whose items have a Rule
//	     └─▶ a mapping: Keys, each with a Rule, and any other name
package config

import "strings"

// Rule describes the values that are allowed in one place of a tree. A place may accept a scalar, a list and a mapping; the
// field of a shape that it does not accept is nil or zero.
type Rule struct {
	Scalar Use
	Words  []string // the only allowed scalars; nil: any
	Fold   bool     // upper and lower case of the words are equal
	List   *Rule    // the rule of every item of a list
	Keys   []Key    // the keys of a mapping
	Names  *Rule    // the rule of the values of all other keys of a mapping
	NameIs Use      // what those other keys are
	Value  bool     // an expression of any shape: lists and mappings of expressions too
	Type   bool     // a datatype, with Keys in addition to the type's own
	NoType bool     // a datatype may be left out: the Keys may be alone
	Open   bool     // a mapping may have unknown keys
	Strict bool     // the store and the original program refuse unknown keys
	Lax    bool     // the original program ignores a value of another shape
}

// Key is one key of a mapping. Unlike a schema.Key, its value is described by a Rule, which may be a mapping again, and it names
// the Reader of its value.
type Key struct {
	Name     string
	Rule     *Rule
	Doc      string
	Required bool
	Default  string
	Example  string
	Upstream bool   // the documentation of the language lacks it
	Idle     string // why it has no effect here; empty: it has one
	Read     Reader // reads its value; nil: the store or the plugin reads it in another way
}

// Reader is an into.Reader, which stores a value in a field. This package does not know values.
type Reader interface{ ReadsKey() }

// Part is a mapping inside a configuration that the reference describes separately.
type Part struct {
	Name, Doc string
	Rule      *Rule
}

// Use is what a scalar is used for.
type Use uint8

const (
	Nothing     Use = iota // no scalar is allowed
	Text                   // plain text
	Number                 // an expression that must be a number
	Condition              // a number that means yes or no
	Label                  // an expression that is read as text
	Anything               // an expression of any type, whose data may be shared and reclaimed
	Reads                  // the name of a datum
	Writes                 // the name of a datum that gets a value
	Provides               // a name that is declared by being written here
	Event                  // the name of an event
	Function               // the name of a function of the program
	Level                  // a logging level
	LogPattern             // a pattern of log lines, filled in when the plugins are loaded
	LivePattern            // a pattern of log lines, filled in while the program runs
	Pattern                // a regular expression that matches names
	Script                 // a Python script, which may expose data
	Path                   // the name of a file, which is not an expression
)

// NeedsMetadata reports whether everything that the expression reads must be available whenever it is evaluated. Only metadata
// always is.
func (u Use) NeedsMetadata() bool { return u == Number || u == Condition || u == Label }

// Numeric reports whether the scalar must be a number.
func (u Use) Numeric() bool { return u == Number || u == Condition }

// Expression reports whether the scalar is an expression.
func (u Use) Expression() bool { return u >= Number && u <= Anything }

// Find returns the key of a name, or nil.
func (r *Rule) Find(name string) *Key {
	for i := range r.Keys {
		if r.Keys[i].Name == name {
			return &r.Keys[i]
		}
	}
	return nil
}

// KeyNames returns the names of the keys.
func (r *Rule) KeyNames() []string {
	names := make([]string, len(r.Keys))
	for i := range r.Keys {
		names[i] = r.Keys[i].Name
	}
	return names
}

// Mapping returns the rule of the mapping, also if the rule allows only a list of such mappings.
func (r *Rule) Mapping() *Rule {
	for r.Keys == nil && r.Names == nil && r.List != nil {
		r = r.List
	}
	return r
}

// Expected describes in words what the rule accepts.
func (r *Rule) Expected() string {
	var words []string
	if r.Scalar != Nothing {
		word, ok := scalars[r.Scalar]
		if !ok {
			word = "a text"
		}
		words = append(words, word)
	}
	if r.List != nil {
		words = append(words, "a list")
	}
	if r.Keys != nil || r.Names != nil || r.Open {
		words = append(words, "a mapping")
	}
	return strings.Join(words, " or ")
}

var scalars = map[Use]string{
	Number: "a number or an expression", Condition: "a condition", Anything: "an expression", Reads: "the name of a datum",
	Writes: "the name of a datum", Provides: "a name", Event: "the name of an event", Level: "a logging level",
	LogPattern: "a pattern", LivePattern: "a pattern",
}

// Only returns a rule for a scalar.
func Only(u Use) *Rule { return &Rule{Scalar: u} }

// OrList returns a rule for what r accepts, or a list of it.
func OrList(r *Rule) *Rule {
	either := *r
	either.List = r
	return &either
}

// OneOrMore returns a rule for a scalar or a list of scalars.
func OneOrMore(u Use) *Rule { return OrList(Only(u)) }

// OneOf returns a rule for a scalar that is one of the words.
func OneOf(words ...string) *Rule { return &Rule{Scalar: Text, Words: words} }

// ByName returns a rule for a mapping of names to values: r is the rule of the values.
func ByName(nameIs Use, r *Rule) *Rule { return &Rule{Names: r, NameIs: nameIs} }
