package data

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/problem"
)

// arrayPart is the declaration of an array. Its dimensions are listed with the one that
// varies slowest first.
type arrayPart struct {
	node   *Node    `fingerprint:"-"`
	length []number // the size of each dimension
	start  []number // the start of the part in use, in each dimension; nil: 0
	used   []number // the length of the part in use, in each dimension; nil: the whole array is in use
	elem   part
	attrs  []Attribute `fingerprint:"set"`
	loose  bool        // upstream's dialect: bounds are not checked
	fixed  bool        `fingerprint:"-"`
}

func (env *Env) parseArray(d *declaration) part {
	if order := d.Lookup("order"); !order.Blank() && (env.Dialect == Documented || order.Kind == ScalarNode) {
		env.refuse(BadLayout, order, "`order` cannot be chosen: arrays are in C order, leave the key out").
			UpstreamAt(d.Node, "Incorrect array ordering: `%s', only C order is supported", order.Text)
	}
	p := &env.arrays.take(1)[0]
	p.node, p.loose = d.Node, env.Dialect == Upstream
	size := d.Lookup("size")
	if p.length = env.parseNumbers(d, "size"); len(p.length) == 0 && (size == nil || size.Kind != MappingNode) {
		env.missing(d, "an array", "size", "a number, an expression, or a list of them", noSize)
	}
	p.used = env.parseSlice(p, d, "subsize")
	p.start = env.parseSlice(p, d, "start")
	if p.start != nil && p.used == nil && (p.loose || env.Lint) {
		e := env.warn(StartAlone, d.Lookup("start"), startAlone).
			UpstreamAt(d.Node, "Array with a `start` property must have a defined `subsize'")
		e.Expected = "without it all elements carry data, and only a start of 0 fits"
		if p.loose {
			e.Severity = problem.Error
		}
	}
	if p.used != nil && env.Lint {
		env.report(Deprecated, problem.Info, d.Lookup("subsize"), "`subsize` and `start` of an array are deprecated").
			Expected = "they still work; what writes or reads a part of an array can select it: `memory_selection` in `decl_hdf5`"
	}
	p.elem = badPart{}
	if sub := d.Lookup("subtype"); sub != nil {
		p.elem = env.parse(sub, nil)
	} else {
		env.missing(d, "an array", "subtype", "the type of its elements: the documentation calls it optional, but without it the size is unknown", "Array must have `subtype'")
	}
	p.attrs = env.attributes(d)
	p.fixed = p.elem.constant() && constants(p.length) && constants(p.start) && constants(p.used)
	return p
}

// noSize is the original program's message about an array without `size`.
const noSize = "Array must have defined `size'"

const startAlone = "an array with a `start` needs a `subsize` too"

func constants(list []number) bool {
	for i := range list {
		if !list[i].constant() {
			return false
		}
	}
	return true
}

// parseNumbers reads one number, or a list with one number for each dimension.
func (env *Env) parseNumbers(d *declaration, key string) []number {
	n := d.Lookup(key)
	switch {
	case n.Blank():
		return nil
	case n.Kind == MappingNode:
		if e := "expected a number, an expression or a list of them after `%s`, found a mapping"; key == "size" {
			env.refuse(WrongShape, n, e, key).UpstreamAt(d.Node, noSize)
		} else if env.Lint {
			env.warn(WrongShape, n, e, key) // not an error: both dialects treat it as absent
		}
		return nil
	case n.Kind == ScalarNode:
		list := env.numbers.take(1)
		list[0] = env.number(n, key)
		return list
	}
	list := env.numbers.take(len(n.Items))
	for i, item := range n.Items {
		if list[i] = env.number(item, key); env.full {
			break
		}
	}
	return list
}

// parseSlice reads the key `start` or `subsize`. The key is optional and its value may be
// empty.
func (env *Env) parseSlice(p *arrayPart, d *declaration, key string) []number {
	list := env.parseNumbers(d, key)
	if len(list) == 0 {
		return nil
	}
	if len(list) != len(p.length) && len(p.length) > 0 {
		env.refuse(BadLayout, d.Lookup(key), "`%s` has %d dimensions, `size` has %d", key, len(list), len(p.length)).
			UpstreamAt(d.Node, "`%s' must have the same rank as `size': %d != %d", key, len(list), len(p.length))
	}
	return list
}

func (p *arrayPart) constant() bool { return p.fixed }

func (p *arrayPart) visit(v *visit) {
	for i := range p.length {
		v.number(&p.length[i])
		if p.start != nil {
			v.number(&p.start[i])
		}
		if p.used != nil {
			v.number(&p.used[i])
		}
	}
	v.part(p.elem)
	v.attributes(p.attrs)
}

func (p *arrayPart) eval(e *evaluation) (Type, error) {
	t, err := p.elem.eval(e)
	if err != nil {
		return nil, err
	}
	arrays := make([]Array, len(p.length))
	for i := range arrays {
		a := &arrays[i]
		if a.Length, a.Start, a.Used, err = p.dimension(i); err != nil {
			return nil, err
		}
	}
	for i := len(p.length) - 1; i >= 0; i-- {
		length, start, used := arrays[i].Length, arrays[i].Start, arrays[i].Used
		if !p.loose {
			if err := p.check(i, length, start, used, t); err != nil {
				return nil, err
			}
		}
		arrays[i] = newArray(t, length, start, used)
		arrays[i].attrs = p.attrs
		t = &arrays[i]
	}
	return t, bounded(p.node, t)
}

// dimension evaluates one dimension of the array: its size and the part in use.
func (p *arrayPart) dimension(i int) (length, start, used int64, err error) {
	if length, err = p.length[i].eval(); err != nil {
		return
	}
	used = length
	if p.start != nil {
		if start, err = p.start[i].eval(); err != nil {
			return
		}
	}
	if p.used != nil {
		used, err = p.used[i].eval()
	}
	return
}

// check returns an error if the size of a dimension, or its part in use, is invalid.
func (p *arrayPart) check(i int, length, start, used int64, elem Type) error {
	switch size, ok := product(length, elem.Size()); {
	case length < 0:
		return Errorf(StatusValue, p.length[i].node, "the size of an array is %d, which is negative", length)
	case start < 0:
		return Errorf(StatusValue, p.start[i].node, "`start` is %d, which is negative", start)
	case used < 0:
		return Errorf(StatusValue, p.used[i].node, "`subsize` is %d, which is negative", used)
	case start > length-used:
		if p.used == nil {
			e := Errorf(StatusValue, p.start[i].node, "%s", startAlone)
			e.Kind = StartAlone
			e.Expected = fmt.Sprintf("without it all %d elements carry data: from element %d on, they lie outside the array", length, start)
			return e
		}
		n := p.used[i].node
		if p.start != nil {
			n = p.start[i].node
		}
		return Errorf(StatusValue, n, "elements %d to %d are outside an array of %d: `start` + `subsize` may be at most `size`", start, start+used-1, length)
	case !ok || size < 0:
		return Errorf(StatusValue, p.length[i].node, "an array of %d elements of %d bytes does not fit into any memory", length, elem.Size())
	}
	return nil
}

// bounded returns an error if a type has too many parts.
func bounded(n *Node, t Type) error {
	if t.partCount() > maxParts {
		return Errorf(StatusSpecTree, n, "the type has more than %d parts", maxParts)
	}
	return nil
}
