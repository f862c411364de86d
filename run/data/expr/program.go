package expr

import "iter"

// A Dialect selects one of the two readings of the language.
type Dialect uint8

const (
	Documented Dialect = iota // the documented language
	Upstream                  // what the original program does
)

// A Form is the kind of value that the text of a program is.
type Form uint8

const (
	IntLiteral Form = iota
	FloatLiteral
	Reference // one reference, which keeps the type of its datum
	Operation // computed from numbers
	Text      // a string, with or without parts to fill in
	Sequence  // a YAML sequence of programs
	Mapping   // a YAML mapping from keys to programs
)

var formNames = [...]string{"integer", "float", "reference", "operation", "text", "sequence", "mapping"}

func (f Form) String() string { return formNames[f] }

// A Program is a compiled expression. It is immutable and may be bound to any
// number of scopes.
type Program struct {
	text    string `fingerprint:"-"`
	dialect Dialect
	form    Form
	code    code // the code of the numeric forms and of Reference
	parts   []part
	refs    []reference // instructions refer to them by index
	lints   []Lint      `fingerprint:"-"`
	keys    []string    // the keys of a Mapping
	items   []*Program
}

// A code is a sequence of instructions for a stack. A code that only loads one reference
// represents the reference itself, whatever its type; in longer codes every reference
// must be a number.
type code struct {
	ins   []instr
	depth int `fingerprint:"-"` // the largest number of values on the stack
}

// An instr is an operator with its operand. The operand is in the instruction itself, in
// a cell, or on the stack. Because operators take literals and names directly, `$i > 3`
// needs two instructions instead of three.
type instr struct {
	val   Value // the operand, if it is in the instruction itself
	op    opcode
	from  source
	plain bool  // the operand in the cell is a name without subscripts and members
	ref   int32 // the operand in the cell: its index in Program.refs
	span  `fingerprint:"-"`
}

type source uint8

const (
	fromStack source = iota
	fromSelf
	fromCell
)

// single returns the index of the reference if c consists of a single reference, else -1.
func (c *code) single() int {
	if len(c.ins) == 1 && c.ins[0].from == fromCell {
		return int(c.ins[0].ref)
	}
	return -1
}

// literal returns the number if c consists of a single number.
func (c *code) literal() (v Value, ok bool) {
	if len(c.ins) == 1 && c.ins[0].from == fromSelf {
		return c.ins[0].val, true
	}
	return Value{}, false
}

// combine appends op. Its left operand is the result of the instructions before right,
// its right operand the result of the instructions from right on.
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

// A part of a Text is literal text or, if code is not empty, a value to be inserted.
type part struct {
	text string
	code code
}

type reference struct {
	Ref
	steps []step
	spec  *formatSpec // nil if the reference has no format spec
}

type step struct {
	span   `fingerprint:"-"`
	member string // the name of a member; empty for a subscript
	index  *code  // the index of a subscript; nil for a member
}

// A Ref is a reference as written in the text.
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
	Member      string // the name of the member; empty for a subscript
	Const       bool   // the subscript is a constant integer, whose value is Index
	Index       int64
}

// Text returns the text that p was compiled from.
func (p *Program) Text() string { return p.text }

// Form returns the form of p.
func (p *Program) Form() Form { return p.form }

// Numeric reports whether p is always a number: a literal or an operation.
func (p *Program) Numeric() bool {
	return p.form == IntLiteral || p.form == FloatLiteral || p.form == Operation
}

// Const returns the number if p is a number literal.
func (p *Program) Const() (v Value, ok bool) {
	return p.code.literal()
}

// Literal returns the string if p is a Text with nothing to fill in.
func (p *Program) Literal() (s string, ok bool) {
	if p.form != Text || len(p.parts) > 1 || len(p.parts) == 1 && len(p.parts[0].code.ins) > 0 {
		return "", false
	}
	if len(p.parts) == 1 {
		s = p.parts[0].text
	}
	return s, true
}

// Refs yields the references of p in the order of the text, including those inside
// subscripts, but not those of the items of sequences and mappings.
func (p *Program) Refs() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for i := range p.refs {
			if !yield(p.refs[i].Ref) {
				return
			}
		}
	}
}

// Lints returns the parts of p that probably do not mean what the author intended.
func (p *Program) Lints() []Lint { return p.lints }

// NewSequence makes one program from the items of a YAML sequence.
func NewSequence(d Dialect, items ...*Program) *Program {
	return &Program{dialect: d, form: Sequence, items: items}
}

// NewMapping makes one program from the pairs of a YAML mapping; keys[i] is the key of
// items[i]. If a key is repeated, its first pair counts.
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
