package ctf

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/ctf/tsdl"
)

// Form is the interpretation of a member's value.
type Form int

const (
	Unsigned Form = iota
	Signed
	Address // unsigned, shown in base 16
	Real    // the bits of a float64
	String
	Bytes // an array of plain bytes, in Value.Text
	List
)

// Member is a number, text or list in an event. A member within structs and variants is
// named by its path, such as `v.compact.timestamp`.
type Member struct {
	Name string
	Form Form
	Bits int        // of a number
	Enum *tsdl.Enum // the names of a number's values; nil: none
	Elem []Member   // of each element of a list
}

// Value is the value of a member.
type Value struct {
	Number uint64 // also signed numbers, and the bits of a Real
	Text   string
	List   []Value // the members of the first element, then the members of the next
	Absent bool    // whether it belongs to an option that the variant does not have in this event
}

// doing is the kind of an op.
type doing int

const (
	fixedRun doing = iota // consecutive numbers of whole bytes
	bitField
	text
	skipText
	byteArray
	array
	variant
	alignTo
)

// op is one step of reading a struct. A plan of ops is made once, and reading does not change it.
type op struct {
	do     doing
	slot   int // the slot of the value in its frame
	align  uint64
	number number
	fixed  []number // the numbers of a fixedRun
	bytes  uint64   // the length of a fixedRun
	text   bool     // a byte array ends at its first zero byte
	cache  int      // of the last text read by this op
	length ref      // the length of an array whose length varies, or the tag that selects an option of a variant
	count  uint64
	elem   *plan
	choice []option
	slots  int // the number of slots of all options of a variant, from slot on
}

// number says how an integer or a float is read.
type number struct {
	slot   int
	at     uint64 // bytes from the beginning of its run
	bits   uint64
	align  uint64
	signed bool
	big    bool
	float  bool
	clock  bool // whether it sets the time
	quick  quick
}

// quick names the most common numbers, all little-endian.
type quick int

const (
	none quick = iota
	plain16
	plain32
	plain64
	signed32
	stamp64
)

// fast returns the name of a number of whole bytes.
func (n *number) fast() quick {
	switch {
	case n.big || n.float && n.bits == 32:
	case n.clock && n.bits == 64:
		return stamp64
	case n.signed && n.bits == 32:
		return signed32
	case n.bits == 64:
		return plain64
	case n.signed || n.clock:
	case n.bits == 32:
		return plain32
	case n.bits == 16:
		return plain16
	}
	return none
}

// option is a branch of a variant, for the tags from low to high.
type option struct {
	low, high uint64
	signed    bool
	plan      *plan
	from      int // its first slot; its last slot is the last of the plan
}

func (o *option) takes(tag uint64) bool {
	if o.signed {
		return int64(o.low) <= int64(tag) && int64(tag) <= int64(o.high)
	}
	return o.low <= tag && tag <= o.high
}

// plan reads a struct or an element into a frame.
type plan struct {
	ops   []op
	width int // the number of slots in its frame
	depth int // the frame's number
}

// ref refers to a value that was read before: a frame and a slot in it. Frame 0 is the packet, 1 the header and context
// of an event, 2 its own members. The elements of each list are in the next frame.
type ref struct {
	frame, slot int
	typ         tsdl.Type // nil: the length is fixed
}

const (
	packetFrame = iota
	headerFrame
	eventFrame
	maxFrames = 16
)

// Limits on the declaration of one event, so that a small text cannot need much memory.
const (
	maxMembers = 1 << 14
	maxTotal   = 1 << 18
)

// compiler makes plans from declarations.
type compiler struct {
	big    bool
	caches int
	total  int
	roots  []root
	clocks bool   // whether numbers of a clock set the time
	clock  string // the first clock that did
}

// root is a struct that paths may begin with.
type root struct {
	path  string
	scope *scope
}

// scope holds the names of a struct.
type scope struct {
	parent *scope
	names  map[string]ref
	inner  map[string]*scope
}

func newScope(parent *scope) *scope {
	return &scope{parent, map[string]ref{}, map[string]*scope{}}
}

// misdeclared is the panic with which the compiler stops: the declarations are well-formed but have no meaning.
type misdeclared struct{ message string }

func (c *compiler) fail(format string, args ...any) { panic(misdeclared{fmt.Sprintf(format, args...)}) }

// section compiles a struct that paths refer to by the prefix path. Its slots follow the ones that the frame already
// has.
func (c *compiler) section(path string, s *tsdl.Struct, p *plan, members *[]Member) {
	if s == nil {
		return
	}
	top := newScope(nil)
	c.roots = append(c.roots, root{path, top})
	c.structure(s, p, members, top, "")
}

func (c *compiler) structure(s *tsdl.Struct, p *plan, members *[]Member, in *scope, prefix string) {
	c.count(1)
	if s.Align > 1 {
		p.ops = append(p.ops, op{do: alignTo, align: s.Align})
	}
	for _, f := range s.Fields {
		c.field(f, p, members, in, prefix)
	}
}

// count limits the work of compiling.
func (c *compiler) count(n int) {
	if c.total += n; c.total > maxTotal {
		c.fail("the events have more than %d members, structs and names of options", maxTotal)
	}
}

// slot assigns a slot to a member.
func (c *compiler) slot(p *plan, members *[]Member, m Member) int {
	if c.count(1); len(*members) >= maxMembers {
		c.fail("an event has more than %d members", maxMembers)
	}
	*members = append(*members, m)
	p.width++
	return p.width - 1
}

func (c *compiler) field(f tsdl.Field, p *plan, members *[]Member, in *scope, prefix string) {
	// LTTng puts an underscore before names, to distinguish them from keywords of the language.
	name := prefix + strings.TrimPrefix(f.Name, "_")
	switch t := f.Type.(type) {
	case *tsdl.Struct:
		inner := newScope(in)
		in.inner[f.Name] = inner
		c.structure(t, p, members, inner, name+".")
	case *tsdl.Variant:
		c.variant(t, f.Name, p, members, in, name)
	case *tsdl.Array:
		c.array(t, p, members, in, name)
	case *tsdl.String:
		c.caches++
		p.ops = append(p.ops, op{do: text, slot: c.slot(p, members, Member{Name: name, Form: String}), cache: c.caches - 1})
	default:
		n, m := c.number(t)
		m.Name = name
		n.slot = c.slot(p, members, m)
		in.names[f.Name] = ref{p.depth, n.slot, t}
		p.add(n)
	}
}

// number returns how a number of a type is read.
func (c *compiler) number(t tsdl.Type) (number, Member) {
	big := func(o tsdl.Order) bool { return o == tsdl.Big || o == tsdl.Native && c.big }
	switch t := t.(type) {
	case *tsdl.Enum:
		n, m := c.number(t.Integer)
		m.Enum = t
		return n, m
	case *tsdl.Float:
		return number{bits: t.Bits, align: t.Align, big: big(t.Order), float: true}, Member{Form: Real, Bits: int(t.Bits)}
	case *tsdl.Integer:
		m := Member{Form: Unsigned, Bits: int(t.Bits)}
		switch {
		case t.Signed:
			m.Form = Signed
		case t.Base == 16:
			m.Form = Address
		}
		n := number{bits: t.Bits, align: t.Align, big: big(t.Order), signed: t.Signed}
		if c.clocks && t.Clock != "" {
			if c.clock == "" {
				c.clock = t.Clock
			}
			n.clock = t.Clock == c.clock
		}
		return n, m
	}
	panic("a type that package tsdl does not have")
}

// add appends a number. If it always begins at a byte boundary, it is joined with the numbers before it.
func (p *plan) add(n number) {
	whole := n.align == 8 && (n.bits == 8 || n.bits == 16 || n.bits == 32 || n.bits == 64)
	if !whole {
		p.ops = append(p.ops, op{do: bitField, number: n})
		return
	}
	if len(p.ops) == 0 || p.ops[len(p.ops)-1].do != fixedRun {
		p.ops = append(p.ops, op{do: fixedRun})
	}
	run := &p.ops[len(p.ops)-1]
	n.at, n.quick = run.bytes, n.fast()
	run.fixed, run.bytes = append(run.fixed, n), run.bytes+n.bits/8
}

func (c *compiler) array(t *tsdl.Array, p *plan, members *[]Member, in *scope, name string) {
	o := op{do: array, count: t.Count, align: t.Elem.Alignment()}
	if t.Length != nil {
		o.length = c.resolve(t.Length, in, "the length of `"+name+"`")
		if _, ok := o.length.typ.(*tsdl.Integer); !ok {
			c.fail("the length of `%.80s`, `%.80s`, is not an integer", name, strings.Join(t.Length, "."))
		}
	}
	m := Member{Name: name, Form: List}
	if i, ok := t.Elem.(*tsdl.Integer); ok && i.Bits == 8 && i.Align == 8 {
		o.do, o.text, m.Form = byteArray, i.Text, Bytes
		if i.Text {
			m.Form = String
		}
		o.cache = c.caches
		c.caches++
	} else {
		o.elem = &plan{depth: p.depth + 1}
		if p.depth < eventFrame {
			o.elem.depth = eventFrame + 1
		}
		if o.elem.depth >= maxFrames {
			c.fail("lists are nested more than %d deep", maxFrames-eventFrame)
		}
		if s, ok := t.Elem.(*tsdl.Struct); ok {
			c.structure(s, o.elem, &m.Elem, newScope(in), "")
		} else {
			c.field(tsdl.Field{Type: t.Elem}, o.elem, &m.Elem, newScope(in), "")
		}
	}
	o.slot = c.slot(p, members, m)
	p.ops = append(p.ops, o)
}

func (c *compiler) variant(t *tsdl.Variant, field string, p *plan, members *[]Member, in *scope, name string) {
	if t.Tag == nil {
		c.fail("the variant `%.80s` has no tag", name)
	}
	o := op{do: variant, length: c.resolve(t.Tag, in, "the tag of `"+name+"`"), slot: p.width}
	tag, ok := o.length.typ.(*tsdl.Enum)
	if !ok {
		c.fail("the tag of `%.80s`, `%.80s`, is not an enumeration", name, strings.Join(t.Tag, "."))
	}
	c.count(len(tag.Labels))
	labels := map[string][]tsdl.Label{}
	for _, l := range tag.Labels {
		name := strings.TrimPrefix(l.Name, "_")
		labels[name] = append(labels[name], l)
	}
	inner := newScope(in)
	in.inner[field] = inner
	for _, f := range t.Options {
		branch := &plan{depth: p.depth, width: p.width}
		c.field(f, branch, members, inner, name+".")
		for _, l := range labels[strings.TrimPrefix(f.Name, "_")] {
			o.choice = append(o.choice, option{l.Low, l.High, tag.Integer.Signed, branch, p.width})
		}
		p.width = branch.width
	}
	o.slots = p.width - o.slot
	p.ops = append(p.ops, o)
}

// resolve finds the value that a path names: in the enclosing structs, from the innermost
// outwards, then in the structs read before them.
func (c *compiler) resolve(path []string, in *scope, what string) ref {
	for s := in; s != nil; s = s.parent {
		if r, ok := s.find(path); ok {
			return r
		}
	}
	whole := strings.Join(path, ".")
	for i := len(c.roots) - 1; i >= 0; i-- {
		r := c.roots[i]
		if rest, ok := strings.CutPrefix(whole, r.path+"."); ok {
			if found, ok := r.scope.find(strings.Split(rest, ".")); ok {
				return found
			}
		}
		if found, ok := r.scope.find(path); ok {
			return found
		}
	}
	c.fail("%.120s, `%.80s`, is not declared before it", what, whole)
	return ref{}
}

func (s *scope) find(path []string) (ref, bool) {
	for _, name := range path[:len(path)-1] {
		if s = s.inner[name]; s == nil {
			return ref{}, false
		}
	}
	r, ok := s.names[path[len(path)-1]]
	return r, ok
}
