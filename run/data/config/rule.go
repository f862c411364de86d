// Package config describes what may stand in the configuration of a plugin.
//
// A plugin declares a Rule beside its code. The checker, completion, hover, the
// reference page and the messages about unknown keys all read that one.
//
//	Rule ──▶ a scalar, by its Use
//	     ├─▶ a list, whose items have a Rule
//	     └─▶ a mapping: Keys, each with a Rule, and any other name
package config

import "strings"

// Rule says what may stand at a place of a tree. A place may take a scalar, a
// list and a mapping alike; what it does not take is nil or zero.
type Rule struct {
	Scalar Use
	Words  []string // of a scalar: the only ones
	Fold   bool     // the words may be written in capitals
	List   *Rule    // of every item
	Keys   []Key    // of a mapping
	Names  *Rule    // of a mapping: of what stands behind any other key
	NameIs Use      // what such a key is
	Value  bool     // an expression of any shape: lists and mappings of expressions too
	Type   bool     // a datatype, with keys besides its own
	NoType bool     // of a datatype: the keys may stand without it
	Open   bool     // a mapping may have unknown keys
	Strict bool     // the store refuses other keys, and so does the original program
	Lax    bool     // the original program passes over another shape
}

// Key is one key of a mapping. It is no schema.Key: what it takes is a Rule, which may be a mapping again, and it says where the
// value goes.
type Key struct {
	Name     string
	Rule     *Rule
	Doc      string
	Required bool
	Default  string
	Example  string
	Upstream bool   // the documentation of the language does not have it
	Idle     string // why it has no effect here, where it has none
	Read     Reader // where its value goes; nil: the store reads it, or the plugin does so another way
}

// Reader is an into.Reader, which reads a value to where it belongs. This package knows no values.
type Reader interface{ ReadsKey() }

// Part is a mapping inside a configuration that the reference describes by itself.
type Part struct {
	Name, Doc string
	Rule      *Rule
}

// Use is what a scalar is for.
type Use uint8

const (
	Nothing     Use = iota // no scalar may stand here
	Text                   // words
	Number                 // an expression that must be a number
	Condition              // the same, read as yes or no
	Label                  // an expression that is read as a text
	Anything               // an expression of any type, whose data may come and go
	Reads                  // the name of a datum
	Writes                 // the name of a datum that is given a value
	Provides               // a name that exists because it is written here
	Event                  // the name of an event
	Function               // the name of a function of the program
	Level                  // a logging level
	LogPattern             // a pattern of log lines, filled in when the plugins are loaded
	LivePattern            // the same, filled in while the program runs
	Pattern                // a regular expression of names
	Script                 // in Python, which may expose data
	Path                   // the name of a file, which is no expression
)

// NeedsMetadata reports whether what an expression reads must be there whenever
// the expression is evaluated, which only metadata is.
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

// KeyNames are the names of the keys.
func (r *Rule) KeyNames() []string {
	names := make([]string, len(r.Keys))
	for i := range r.Keys {
		names[i] = r.Keys[i].Name
	}
	return names
}

// Mapping is the rule of the mapping, where a list of such is possible too.
func (r *Rule) Mapping() *Rule {
	for r.Keys == nil && r.Names == nil && r.List != nil {
		r = r.List
	}
	return r
}

// Expected says in words what the rule takes.
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

// Only is a scalar of a use.
func Only(u Use) *Rule { return &Rule{Scalar: u} }

// OrList is a rule, or a list of what it takes.
func OrList(r *Rule) *Rule {
	either := *r
	either.List = r
	return &either
}

// OneOrMore is a scalar, or a list of such.
func OneOrMore(u Use) *Rule { return OrList(Only(u)) }

// OneOf is a scalar out of some words.
func OneOf(words ...string) *Rule { return &Rule{Scalar: Text, Words: words} }

// ByName is a mapping from names of a use to what the rule says.
func ByName(nameIs Use, r *Rule) *Rule { return &Rule{Names: r, NameIs: nameIs} }
