package paradyn

import (
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
	"github.com/pentode-dev/pentode/run/launch"
)

// Model is what the files of a configuration, its layers, mean together.
type Model struct {
	lang.Findings

	Tunables  []Tunable // every setting in order; the last one for a name decides
	Daemons   []*Block
	Processes []*Block
	Visis     []*Block
	Lists     []List
	Layers    int

	hostname string
	place    func() launch.Place // nil if nothing is known about this machine
	broken   []*Block            // blocks with an error: they have no effect, but editors describe what they contain
	opaque   []source.Span       // the keywords of definitions that exist only in PCL, which are kept as text
	pcl      source.Span         // a place in a layer that is PCL; zero if there is none
	tree     *syntax.Tree        // the last layer
	programs []launch.Settings   // the project's settings for programs
	problems diag.List
}

// Tunable is one setting of a tunable constant.
type Tunable struct {
	Name  string
	Value string      // the digits as written
	Place Place       // the place of the value
	At    source.Span // the place of the name
}

// Block is a daemon, a process or a visualisation.
type Block struct {
	Kind     string
	Fields   []Field // in the order in which they were first written
	Span     source.Span
	Head     source.Span // its keyword or, in a group, its brace
	Replaced bool        // a later block of the same name replaces it

	end source.Span // after the last field and the comment on its line
}

// Field is a field of a block with all its values. The last value decides.
type Field struct {
	Name   string
	Values []Value
}

// Value is the value that one line gives a field.
type Value struct {
	Text  string
	Items []Item // if the field is args: its arguments
	Place Place
}

// Item is an argument or an item of a list.
type Item struct {
	Text  string
	Place Place
}

// List is a named list of strings.
type List struct {
	Name     string
	Items    []Item
	Place    Place
	Replaced bool
}

// Place is where something was written: in a layer, or on the command line.
type Place struct {
	Span     source.Span // the place of the value
	Layer    int         // the number of the file, counted from 1
	Override bool        // given with -s
}

// last returns the last value of the field, which decides.
func (f *Field) last() *Value { return &f.Values[len(f.Values)-1] }

// field returns a field of the block, or nil.
func (b *Block) field(name string) *Field {
	for i := range b.Fields {
		if b.Fields[i].Name == name {
			return &b.Fields[i]
		}
	}
	return nil
}

// Text returns the value of a field as written, or "".
func (b *Block) Text(name string) string {
	if f := b.field(name); f != nil {
		return f.last().Text
	}
	return ""
}

// flavor returns the kind of environment; if the block has none, the first
// kind.
func (b *Block) flavor() string {
	if f := b.Text("flavor"); f != "" {
		return f
	}
	return flavorField.Default
}

// Args returns the block's arguments.
func (b *Block) Args() []string {
	f := b.field("args")
	if f == nil {
		return nil
	}
	var args []string
	for _, it := range f.last().Items {
		args = append(args, it.Text)
	}
	return args
}

// host returns the machine of a block; `localhost` is replaced by the name of
// this machine.
func (m *Model) host(b *Block) string {
	if h := b.Text("host"); h != "localhost" && h != "" {
		return h
	}
	return m.hostname
}

// kinds yields the blocks of each kind, in the order in which they start.
func (m *Model) kinds(yield func(kind string, blocks []*Block) bool) {
	_ = yield(daemon, m.Daemons) && yield(process, m.Processes) && yield(visi, m.Visis)
}

func (m *Model) of(kind string) *[]*Block {
	switch kind {
	case daemon:
		return &m.Daemons
	case process:
		return &m.Processes
	}
	return &m.Visis
}
