package expr

import "iter"

// A Dialect is one of the two readings of the language.
type Dialect uint8

const (
	Documented Dialect = iota // the documented language
	Upstream                  // what the original program does
)

// A Form is what the text of a program turned out to be.
type Form uint8

const (
	IntLiteral Form = iota
	FloatLiteral
	Reference // one reference, which keeps the type of its datum
	Operation // computed from numbers
	Text      // a string with parts to fill in, or none
	Sequence  // a YAML sequence of programs
	Mapping   // a YAML mapping to programs
)

var formNames = [...]string{"integer", "float", "reference", "operation", "text", "sequence", "mapping"}

func (f Form) String() string { return formNames[f] }

// A Program is a compiled expression. It is immutable and may be bound to any
// number of scopes.
type Program struct {
	text    string `fingerprint:"-"`
	dialect Dialect
	form    Form
	code    code // of the numeric forms and Reference
	parts   []part
	refs    []reference // instructions name them by index
	lints   []Lint      `fingerprint:"-"`
	keys    []string    // of a Mapping
	items   []*Program
}

// A code is a sequence of instructions for a stack. A code that only loads one
// reference stands for the reference itself, whatever its type; in longer
// codes every reference must be a number.
type code struct {
	ins   []instr
	depth int `fingerprint:"-"` // most values on the stack at one time
}

// An instr takes its operand from itself, from a cell or from the stack.
// Operators take literals and names directly, so that `$i > 3` is two
// instructions and not three.
type instr struct {
	val   Value // from fromSelf
	op    opcode
	from  source
	plain bool  // from fromCell: the name alone, without a path
	ref   int32 // from fromCell: index into Program.refs
	span  `fingerprint:"-"`
}

type source uint8

const (
	fromStack source = iota
	fromSelf
	fromCell
)

// single returns the index of the reference that is all of c, or -1.
func (c *code) single() int {
	if len(c.ins) == 1 && c.ins[0].from == fromCell {
		return int(c.ins[0].ref)
	}
	return -1
}

// literal returns the number that is all of c.
func (c *code) literal() (v Value, ok bool) {
	if len(c.ins) == 1 && c.ins[0].from == fromSelf {
		return c.ins[0].val, true
	}
	return Value{}, false
}

// combine appends op, which combines what was before the instruction at
// right with what that and those after it make.
func (c *code) combine(op opcode, right int, at span) {
	in := instr{op: op, span: at}
	if right == len(c.ins)-1 {
		in = c.ins[right]
		in.op, in.span = op, at
		c.ins = c.ins[:right]
	}
	c.ins = append(c.ins, in)
}

// measure sets the depth of a finished code.
func (c *code) measure() {
	n := 0
	for i := range c.ins {
		if in := &c.ins[i]; in.op == opLoad {
			n++
			c.depth = max(c.depth, n)
		} else if in.from == fromStack {
			n--
		}
	}
}

// A part of a Text is literal text or, where code is not empty, something to
// fill in.
type part struct {
	text string
	code code
}

type reference struct {
	Ref
	steps []step
	spec  *formatSpec // nil without a `:`
}

type step struct {
	span   `fingerprint:"-"`
	member string // or, if index is not nil, that
	index  *code
}

// A Ref is a reference as it stands in the text.
type Ref struct {
	Name        string
	Offset, End int    `fingerprint:"-"` // of the whole reference, `$` and braces included
	NameOffset  int    `fingerprint:"-"` // of Name
	Path        []Step // the subscripts and members that follow
	Spec        string // the format spec
	HasSpec     bool
}

// A Step of a path is a member or a subscript.
type Step struct {
	Offset, End int    `fingerprint:"-"`
	Member      string // empty: a subscript
	Const       bool   // the subscript is the integer Index
	Index       int64
}

// Text returns the text p was compiled from.
func (p *Program) Text() string { return p.text }

// Form returns what p is.
func (p *Program) Form() Form { return p.form }

// Numeric reports whether p is a number whatever the data: a literal or an operation.
func (p *Program) Numeric() bool {
	return p.form == IntLiteral || p.form == FloatLiteral || p.form == Operation
}

// Const returns the number p is if it is a literal.
func (p *Program) Const() (v Value, ok bool) {
	return p.code.literal()
}

// Literal returns the string p is if it is a Text with nothing to fill in.
func (p *Program) Literal() (s string, ok bool) {
	if p.form != Text || len(p.parts) > 1 || len(p.parts) == 1 && len(p.parts[0].code.ins) > 0 {
		return "", false
	}
	if len(p.parts) == 1 {
		s = p.parts[0].text
	}
	return s, true
}

// Refs yields the references of p in the order of its text, those inside
// subscripts included; those of the items of sequences and mappings are not.
func (p *Program) Refs() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for i := range p.refs {
			if !yield(p.refs[i].Ref) {
				return
			}
		}
	}
}

// Lints returns what the author probably intended otherwise.
func (p *Program) Lints() []Lint { return p.lints }

// NewSequence makes one program of the items of a YAML sequence.
func NewSequence(d Dialect, items ...*Program) *Program {
	return &Program{dialect: d, form: Sequence, items: items}
}

// NewMapping makes one program of the pairs of a YAML mapping, keys[i] being
// that of items[i]. Of pairs with the same key the first counts.
func NewMapping(d Dialect, keys []string, items []*Program) *Program {
	p := &Program{dialect: d, form: Mapping}
	seen := make(map[string]bool, len(keys))
	for i, k := range keys {
		if !seen[k] {
			seen[k] = true
			p.keys = append(p.keys, k)
			p.items = append(p.items, items[i])
		}
	}
	return p
}
