package data

// membersPart is a struct, record or tuple.
type membersPart struct {
	node    *Node
	form    memberForm
	members []memberPart
	size    *number // `buffersize`, nil when it is computed
	attrs   []Attribute
	loose   bool // upstream's dialect: overlaps and bounds are not looked at
	fixed   bool
}

type memberForm uint8

const (
	structForm memberForm = iota
	recordForm
	tupleForm
)

type memberPart struct {
	node *Node // of its declaration
	key  *Node // nil in a tuple without names
	name string
	disp *number // nil: after the member before
	typ  part
}

func (env *Env) parseStruct(n *Node) (part, error) {
	p := &membersPart{node: n, form: structForm}
	members := n.Lookup("members")
	switch {
	case env.Dialect == Upstream && members == nil:
		return nil, Errorf(StatusSpecTree, n, "a struct needs `members`")
	case env.Dialect == Upstream && members.Kind == SequenceNode && len(members.Items) == 0:
		return nil, Errorf(StatusSpecTree, members, "a struct without members cannot be had: upstream stops with a division by zero")
	case env.Dialect == Documented && members.Blank():
		return env.finish(p)
	case members.Kind != SequenceNode:
		return nil, Errorf(StatusSpecTree, members, "expected the members of a struct as a list of `- name: type`, found a %s: C has an order", members.Kind)
	}
	for _, item := range members.Items {
		if item.Kind != MappingNode || len(item.Pairs) != 1 {
			return nil, Errorf(StatusSpecTree, item, "expected one member, `name: type`, found %s", item.name())
		}
		if err := env.addMember(p, item.Pairs[0].Key, item.Pairs[0].Value); err != nil {
			return nil, err
		}
	}
	return env.finish(p)
}

func (env *Env) parseRecord(n *Node) (part, error) {
	p := &membersPart{node: n, form: recordForm}
	size := n.Lookup("buffersize")
	if size == nil {
		return nil, Errorf(StatusSpecTree, n, "a record needs a `buffersize`: its size in bytes, holes included")
	}
	bytes, err := parseNumber(env, size)
	if err != nil {
		return nil, err
	}
	p.size = &bytes
	members := n.Lookup("members")
	if members.Blank() || env.Dialect == Upstream && members.Kind == SequenceNode && len(members.Items) == 0 {
		return env.finish(p)
	}
	if members.Kind != MappingNode {
		return nil, Errorf(StatusSpecTree, members, "expected the members of a record as a mapping `name: {disp: N, type: T}`, found %s", members.name())
	}
	for _, pair := range members.Pairs {
		if pair.Value.Lookup("disp") == nil {
			return nil, Errorf(StatusSpecTree, pair.Value, "member %s of a record needs a `disp`: its offset in bytes", pair.Key.name())
		}
		if err := env.addMember(p, pair.Key, pair.Value); err != nil {
			return nil, err
		}
	}
	return env.finish(p)
}

func (env *Env) addMember(p *membersPart, key, value *Node) error {
	if key.Kind != ScalarNode {
		return Errorf(StatusSpecTree, key, "expected the name of a member, found %s", key.name())
	}
	m := memberPart{node: value, key: key, name: key.Text}
	var err error
	if disp := value.Lookup("disp"); disp != nil && p.form != structForm {
		if m.disp, err = env.parseDisp(disp); err != nil {
			return err
		}
	}
	if m.typ, err = env.parse(value); err != nil {
		return err
	}
	p.members = append(p.members, m)
	return nil
}

func (env *Env) parseDisp(n *Node) (*number, error) {
	d, err := parseNumber(env, n)
	return &d, err
}

func (env *Env) finish(p *membersPart) (part, error) {
	var err error
	if p.attrs, err = env.parseAttributes(p.node); err != nil {
		return nil, err
	}
	p.loose = env.Dialect == Upstream
	p.fixed = p.size == nil || p.size.constant()
	seen := make(map[string]bool, len(p.members))
	for i := range p.members {
		m := &p.members[i]
		if m.key != nil && seen[m.name] && !p.loose {
			return nil, Errorf(StatusSpecTree, m.key, "member `%s` is declared twice", m.name)
		}
		seen[m.name] = true
		p.fixed = p.fixed && m.typ.constant() && (m.disp == nil || m.disp.constant())
	}
	return p, nil
}

func (p *membersPart) constant() bool { return p.fixed }

func (p *membersPart) visit(v *visit) {
	v.number(p.size)
	for i := range p.members {
		v.number(p.members[i].disp)
		v.part(p.members[i].typ)
	}
	v.attributes(p.attrs)
}

func (p *membersPart) eval(e *evaluation) (Type, error) {
	members := make([]Member, len(p.members))
	end, widest := int64(0), int64(1)
	for i := range p.members {
		m := &p.members[i]
		t, err := m.typ.eval(e)
		if err != nil {
			if e.member {
				return nil, err
			}
			e.member = true
			return nil, Within(err, "member `%s`", p.nameOf(i))
		}
		at := roundUp(end, t.Align())
		if m.disp != nil {
			if at, err = m.disp.eval(); err != nil {
				return nil, err
			}
		}
		if !p.loose && (end < 0 || at < 0 && m.disp == nil || at+t.Size() < 0) {
			return nil, Errorf(StatusValue, m.node, "member `%s` ends beyond any memory", p.nameOf(i))
		}
		members[i] = Member{Name: m.name, Offset: at, Type: t}
		end = at + t.Size()
		widest = max(widest, t.Align())
	}
	size, err := p.sizeOf(members, widest)
	if err != nil {
		return nil, err
	}
	l := newMembers(members, size)
	l.attrs = p.attrs
	if err := p.check(members, size); err != nil {
		return nil, err
	}
	var t Type
	if p.form == tupleForm {
		t = &Tuple{Elements: members, layout: l}
	} else {
		t = &Record{Struct: p.form == structForm, Members: members, layout: l}
	}
	return t, bounded(p.node, t)
}

// sizeOf is the written `buffersize`, or the end of the last member rounded up
// to the alignment. A struct has at least one byte, as in C++; to upstream a
// tuple has, too.
func (p *membersPart) sizeOf(members []Member, widest int64) (int64, error) {
	if p.size != nil {
		return p.size.eval()
	}
	var end int64
	for i := range members {
		last := members[i].Offset + members[i].Type.Size()
		if end = max(end, last); p.loose {
			end = last // sizes may have wrapped around
		}
	}
	size := roundUp(end, widest)
	if !p.loose && size < 0 {
		return 0, Errorf(StatusValue, p.node, "the type is larger than any memory")
	}
	if size == 0 && (p.loose || p.form == structForm) {
		size = 1
	}
	return size, nil
}

func (p *membersPart) nameOf(i int) string { return memberName(p.members[i].name, i) }
