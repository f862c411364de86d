package pdi

import "github.com/pentode-dev/pentode/core/schema"

// rule says what may stand at a place of a tree. A place may take a scalar, a
// list and a mapping alike; what it does not take is nil or zero.
type rule struct {
	scalar use
	words  []string // of a scalar: the only ones
	list   *rule    // of every item
	keys   []key    // of a mapping
	names  *rule    // of a mapping: of what stands behind any other key
	nameIs use      // what such a key is
	value  bool     // an expression of any shape: lists and mappings of expressions too
	typ    bool     // a datatype, with keys besides its own
	open   bool     // a mapping may have unknown keys
	strict bool     // the original program refuses other keys
	lax    bool     // the original program passes over another shape
}

// key is one key of a mapping.
type key struct {
	schema.Key
	rule *rule
	idle string // why it has no effect here, where it has none
}

// use is what a scalar is for.
type use uint8

const (
	nothing     use = iota // no scalar may stand here
	text                   // words
	number                 // an expression that must be a number
	condition              // the same, read as yes or no
	label                  // an expression that is read as a text
	anything               // an expression of any type, whose data may come and go
	reads                  // the name of a datum
	writes                 // the name of a datum that is given a value
	provides               // a name that exists because it is written here
	event                  // the name of an event
	function               // the name of a function of the program
	level                  // a logging level
	logPattern             // a pattern of log lines, filled in when the plugins are loaded
	livePattern            // the same, filled in while the program runs
	pattern                // a regular expression of names
	typeName               // the name of a type
	script                 // in Python, which may expose data
)

// needsMetadata reports whether what an expression reads must be there whenever the
// expression is evaluated, which only metadata is.
func (u use) needsMetadata() bool { return u == number || u == condition || u == label }

func (u use) numeric() bool { return u == number || u == condition }

func (u use) expression() bool { return u >= number && u <= anything }

// find returns the rule of a key, or nil.
func (r *rule) find(name string) *key {
	for i := range r.keys {
		if r.keys[i].Name == name {
			return &r.keys[i]
		}
	}
	return nil
}

func (r *rule) keyNames() []string {
	names := make([]string, len(r.keys))
	for i := range r.keys {
		names[i] = r.keys[i].Name
	}
	return names
}

// only is a scalar of a use.
func only(u use) *rule { return &rule{scalar: u} }

// oneOrMore is a scalar, or a list of such.
func oneOrMore(u use) *rule { return &rule{scalar: u, list: only(u)} }

// oneOf is a scalar out of some words.
func oneOf(words ...string) *rule { return &rule{scalar: text, words: words} }

// k is a key of the tables below.
func k(name string, t schema.Type, r *rule, doc string) key {
	return key{Key: schema.Key{Name: name, Type: t, Doc: doc, Enum: r.words}, rule: r}
}

func (x key) required() key          { x.Required = true; return x }
func (x key) dflt(text string) key   { x.Default = text; return x }
func (x key) sample(text string) key { x.Example = text; return x }
func (x key) upstream() key          { x.Extension = true; return x }
func (x key) without(why string) key { x.idle = why; return x }
