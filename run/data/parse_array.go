package data

// arrayPart is an array of any number of dimensions, the slowest first.
type arrayPart struct {
	node   *Node
	length []number // of each dimension
	start  []number // where the part of it in use begins; nil: at 0
	used   []number // how long that part is; nil: all of it
	elem   part
	attrs  []Attribute
	loose  bool // upstream's dialect: bounds are not looked at
	fixed  bool
}

func (env *Env) parseArray(n *Node) (part, error) {
	upstream := env.Dialect == Upstream
	if order := n.Lookup("order"); !order.Blank() {
		return nil, Errorf(StatusSpecTree, order, "`order` cannot be chosen: arrays are in C order, leave the key out")
	}
	p := &env.arrays.take(1)[0]
	p.node, p.loose = n, upstream
	var err error
	if p.length, err = env.parseNumbers(n.Lookup("size")); err != nil {
		return nil, err
	}
	if len(p.length) == 0 {
		if sizes := n.Lookup("sizes"); sizes != nil {
			return nil, Errorf(StatusSpecTree, sizes, "an array needs a `size`: the key `sizes` does not exist")
		}
		return nil, Errorf(StatusSpecTree, n, "an array needs a `size`: a number, an expression, or a list of them")
	}
	start := n.Lookup("start")
	if p.used, err = env.parseSlice(p, "subsize", n.Lookup("subsize")); err != nil {
		return nil, err
	}
	if p.start, err = env.parseSlice(p, "start", start); err != nil {
		return nil, err
	}
	if upstream && p.start != nil && p.used == nil {
		return nil, Errorf(StatusSpecTree, start, "an array with a `start` needs a `subsize` too")
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
	p.fixed = p.elem.constant() && constants(p.length) && constants(p.start) && constants(p.used)
	return p, nil
}

func constants(list []number) bool {
	for i := range list {
		if !list[i].constant() {
			return false
		}
	}
	return true
}

// parseNumbers reads one number, or a list with one for each dimension.
func (env *Env) parseNumbers(n *Node) ([]number, error) {
	switch {
	case n.Blank() || n.Kind == MappingNode:
		return nil, nil
	case n.Kind == ScalarNode:
		list := env.numbers.take(1)
		var err error
		list[0], err = parseNumber(env, n)
		return list, err
	}
	list := env.numbers.take(len(n.Items))
	for i, item := range n.Items {
		var err error
		if list[i], err = parseNumber(env, item); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// parseSlice reads `start` or `subsize`, which may be absent or empty.
func (env *Env) parseSlice(p *arrayPart, key string, n *Node) ([]number, error) {
	list, err := env.parseNumbers(n)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if len(list) != len(p.length) {
		return nil, Errorf(StatusSpecTree, n, "`%s` has %d dimensions, `size` has %d", key, len(list), len(p.length))
	}
	return list, nil
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
	for i := len(p.length) - 1; i >= 0; i-- {
		length, start, used, err := p.dimension(i)
		if err != nil {
			return nil, err
		}
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

// dimension evaluates one size of the array and the part of it in use.
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

// check finds what cannot be the size of an array.
func (p *arrayPart) check(i int, length, start, used int64, elem Type) error {
	switch size, ok := product(length, elem.Size()); {
	case length < 0:
		return Errorf(StatusValue, p.length[i].node, "the size of an array is %d, which is negative", length)
	case start < 0:
		return Errorf(StatusValue, p.start[i].node, "`start` is %d, which is negative", start)
	case used < 0:
		return Errorf(StatusValue, p.used[i].node, "`subsize` is %d, which is negative", used)
	case start > length-used:
		n := p.node
		if p.start != nil {
			n = p.start[i].node
		} else if p.used != nil {
			n = p.used[i].node
		}
		return Errorf(StatusValue, n, "elements %d to %d are outside an array of %d: `start` + `subsize` may be at most `size`", start, start+used-1, length)
	case !ok || size < 0:
		return Errorf(StatusValue, p.length[i].node, "an array of %d elements of %d bytes is larger than any memory", length, elem.Size())
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
