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

// Rule describes which values are allowed in one place of a tree. A place may allow scalars, lists, mappings, or several of
// these. The fields for a shape that it does not allow are nil or zero.
type Rule struct {
	Scalar Use
	Words  []string // the allowed scalars; nil: any scalar
	Fold   bool     // words may be written in upper or lower case
	List   *Rule    // the rule of every item of a list
	Keys   []Key    // the keys of a mapping with fixed names
	Names  *Rule    // the rule for the values of all other keys; nil: there are none
	NameIs Use      // what the names of those other keys refer to
	Value  bool     // the value is an expression, or a list or mapping of expressions
	Type   bool     // the value declares a datatype; Keys are allowed in addition to the keys of the type
	NoType bool     // the datatype is optional, and a mapping may consist of Keys alone
	Open   bool     // a mapping may have unknown keys
	Strict bool     // an unknown key is an error, here and in the original program
	Lax    bool     // the original program ignores a value of a shape that is not allowed
}

// Key is one key of a mapping. It is like a schema.Key, with two differences: a Rule describes its value, which may be a
// mapping again, and it has the Reader of its value.
type Key struct {
	Name     string
	Rule     *Rule
	Doc      string
	Required bool
	Default  string
	Example  string
	Upstream bool   // the original program has the key, but its documentation does not mention it
	Idle     string // the reason why the key has no effect in this program; empty if it has an effect
	Read     Reader // reads the value; nil if the store or the plugin reads it in another way
}

// Reader is an into.Reader, which stores a value in a field. It is an interface because this package does not import data,
// whose values a Reader stores.
type Reader interface{ ReadsKey() }

// Part is a mapping inside a configuration that has its own section in the reference.
type Part struct {
	Name, Doc string
	Rule      *Rule
}

// Use says what a scalar stands for.
type Use uint8

const (
	Nothing     Use = iota // no scalar is allowed
	Text                   // plain text
	Number                 // an expression that must be a number
	Condition              // an expression for a number that means yes or no
	Label                  // an expression whose value is used as text
	Anything               // an expression of any type; its data need not be metadata
	Reads                  // the name of a datum that is read
	Writes                 // the name of a datum that is set
	Provides               // the name of a new datum, which is declared by being written here
	Event                  // the name of an event
	Function               // the name of a function of the program
	Level                  // a logging level
	LogPattern             // a pattern of log lines, whose references are replaced when the plugins are loaded
	LivePattern            // a pattern of log lines, whose references are replaced while the program runs
	Pattern                // a regular expression that matches names
	Script                 // a Python script, which may share data under new names
	Path                   // the name of a file as plain text, without expressions
)

// NeedsMetadata reports whether the expression may refer only to metadata. Such an expression is evaluated at any time, and
// only metadata always has a value.
func (u Use) NeedsMetadata() bool { return u == Number || u == Condition || u == Label }

// Numeric reports whether the scalar must be a number.
func (u Use) Numeric() bool { return u == Number || u == Condition }

// Expression reports whether the scalar is an expression.
func (u Use) Expression() bool { return u >= Number && u <= Anything }

// Find returns the key with a name, or nil.
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

// Mapping returns the rule itself or, if the rule allows only a list, the rule of the mappings in the list.
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

// ByName returns a rule for a mapping with any names as keys; r is the rule of the values.
func ByName(nameIs Use, r *Rule) *Rule { return &Rule{Names: r, NameIs: nameIs} }
