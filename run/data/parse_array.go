package data

// arrayPart is an array of any number of dimensions, the slowest first.
type arrayPart struct {
	node  *Node
	dims  []dimension
	elem  part
	attrs []Attribute
	loose bool // upstream's dialect: bounds are not looked at
	fixed bool
}

// dimension is one size of an array and the part of it in use.
type dimension struct {
	length, start, used number
	sliced              bool // used and start were written
}

func (env *Env) parseArray(n *Node) (part, error) {
	upstream := env.Dialect == Upstream
	if order := n.Lookup("order"); !order.Blank() {
		return nil, Errorf(StatusSpecTree, order, "`order` cannot be chosen: arrays are in C order, leave the key out")
	}
	size := n.Lookup("size")
	lengths, err := env.parseNumbers(size)
	if err != nil {
		return nil, err
	}
	if len(lengths) == 0 {
		if sizes := n.Lookup("sizes"); sizes != nil {
			return nil, Errorf(StatusSpecTree, sizes, "an array needs a `size`: the key `sizes` does not exist")
		}
		return nil, Errorf(StatusSpecTree, n, "an array needs a `size`: a number, an expression, or a list of them")
	}
	p := &arrayPart{node: n, loose: upstream, dims: make([]dimension, len(lengths))}
	for i := range lengths {
		p.dims[i] = dimension{length: lengths[i], used: lengths[i]}
	}
	used, start := n.Lookup("subsize"), n.Lookup("start")
	if upstream && start != nil && used == nil {
		return nil, Errorf(StatusSpecTree, start, "an array with a `start` needs a `subsize` too")
	}
	if err := env.parseSlice(p, "subsize", used, func(d *dimension, n number) { d.used = n }); err != nil {
		return nil, err
	}
	if err := env.parseSlice(p, "start", start, func(d *dimension, n number) { d.start = n }); err != nil {
		return nil, err
	}
	sub := n.Lookup("subtype")
	if sub == nil {
		return nil, Errorf(StatusSpecTree, n, "an array needs a `subtype`: without the type of its elements it has no size")
	}
	if p.elem, err = env.parse(sub); err != nil {
		return nil, err
	}
	if p.attrs, err = env.parseAttributes(n); err != nil {
		return nil, err
	}
	p.fixed = p.elem.constant()
	for i := range p.dims {
		d := &p.dims[i]
		p.fixed = p.fixed && d.length.constant() && d.start.constant() && d.used.constant()
	}
	return p, nil
}

// parseNumbers reads one number, or a list with one for each dimension.
func (env *Env) parseNumbers(n *Node) ([]number, error) {
	switch {
	case n.Blank() || n.Kind == MappingNode:
		return nil, nil
	case n.Kind == ScalarNode:
		v, err := parseNumber(env, n)
		return []number{v}, err
	}
	list := make([]number, len(n.Items))
	for i, item := range n.Items {
		var err error
		if list[i], err = parseNumber(env, item); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (env *Env) parseSlice(p *arrayPart, key string, n *Node, set func(*dimension, number)) error {
	if n == nil {
		return nil
	}
	list, err := env.parseNumbers(n)
	if err != nil {
		return err
	}
	if len(list) != len(p.dims) {
		return Errorf(StatusSpecTree, n, "`%s` has %d dimensions, `size` has %d", key, len(list), len(p.dims))
	}
	for i := range list {
		set(&p.dims[i], list[i])
		p.dims[i].sliced = true
	}
	return nil
}

func (p *arrayPart) constant() bool { return p.fixed }

func (p *arrayPart) visit(v *visit) {
	for i := range p.dims {
		d := &p.dims[i]
		v.number(&d.length)
		if d.sliced {
			v.number(&d.start)
			v.number(&d.used)
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
	arrays := make([]Array, len(p.dims))
	for i := len(p.dims) - 1; i >= 0; i-- {
		length, start, used, err := p.dims[i].eval()
		if err != nil {
			return nil, err
		}
		if !p.loose {
			if err := p.dims[i].check(length, start, used, t); err != nil {
				return nil, err
			}
		}
		arrays[i] = newArray(t, length, start, used)
		arrays[i].attrs = p.attrs
		t = &arrays[i]
	}
	return t, bounded(p.node, t)
}

func (d *dimension) eval() (length, start, used int64, err error) {
	if length, err = d.length.eval(); err != nil {
		return
	}
	if start, err = d.start.eval(); err != nil {
		return
	}
	if !d.sliced {
		return length, start, length, nil
	}
	used, err = d.used.eval()
	return
}

// check finds what cannot be the size of an array.
func (d *dimension) check(length, start, used int64, elem Type) error {
	switch size, ok := product(length, elem.Size()); {
	case length < 0:
		return Errorf(StatusValue, d.length.node, "the size of an array is %d, which is negative", length)
	case start < 0:
		return Errorf(StatusValue, d.start.node, "`start` is %d, which is negative", start)
	case used < 0:
		return Errorf(StatusValue, d.used.node, "`subsize` is %d, which is negative", used)
	case start > length-used:
		n := d.used.node
		if d.start.node != nil {
			n = d.start.node
		}
		return Errorf(StatusValue, n, "elements %d to %d are outside an array of %d: `start` + `subsize` may be at most `size`", start, start+used-1, length)
	case !ok || size < 0:
		return Errorf(StatusValue, d.length.node, "an array of %d elements of %d bytes is larger than any memory", length, elem.Size())
	}
	return nil
}

// bounded rejects types with too many parts to be walked.
func bounded(n *Node, t Type) error {
	if t.partCount() > maxParts {
		return Errorf(StatusSpecTree, n, "the type has more than %d parts", maxParts)
	}
	return nil
}
