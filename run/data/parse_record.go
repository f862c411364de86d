package data

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// membersPart is the declaration of a struct, record or tuple.
type membersPart struct {
	node    *Node `fingerprint:"-"`
	form    memberForm
	members []memberPart
	size    *number     // the value of `buffersize`; nil: the size is computed from the members
	attrs   []Attribute `fingerprint:"set"`
	loose   bool        // upstream's dialect: overlaps and bounds are not checked
	fixed   bool        `fingerprint:"-"`
}

type memberForm uint8

const (
	structForm memberForm = iota
	recordForm
	tupleForm
)

type memberPart struct {
	node *Node `fingerprint:"-"` // the declaration of the member
	key  *Node `fingerprint:"-"` // the name of the member as a node; nil if a tuple has none
	name string
	disp *number // the value of `disp`, the offset; nil: the member follows the previous one
	typ  part
}

func (env *Env) parseStruct(d *declaration) part {
	p := &membersPart{node: d.Node, form: structForm}
	members := d.Lookup("members")
	switch {
	case env.absent(d, "struct", "members", members):
	case members.Kind != SequenceNode:
		e := env.refuse(WrongShape, members, "expected the members of a struct as a list of `- name: type`, found %s", members.name()).
			Upstream("Expected an ordered mapping, found a %s", map[NodeKind]string{ScalarNode: "scalar", MappingNode: "(unordered) mapping"}[members.Kind])
		e.Expected = "members of a C struct have an order, a mapping has none"
	default:
		for _, item := range members.Items {
			switch {
			case env.full:
			case item.Kind != MappingNode || len(item.Pairs) != 1:
				what := "no key"
				if item.Kind == MappingNode {
					what = "multiple keys" // the original program says so even for an empty mapping
				}
				env.refuse(WrongShape, item, "expected one member, `name: type`, found %s", item.memberName()).
					Upstream("Invalid ordered mapping found (%s)", what)
			default:
				env.addMember(p, item.Pairs[0].Key, item.Pairs[0].Value)
			}
		}
	}
	return env.finish(p, d)
}

// memberName describes an item that is not a member, for messages.
func (n *Node) memberName() string {
	if n.Kind == MappingNode && len(n.Pairs) > 1 {
		return "several in one item"
	}
	return n.name()
}

// absent reports an error and returns true if a type has no list of members. The original
// program refuses such types or, in most cases, crashes.
func (env *Env) absent(d *declaration, word, key string, list *Node) bool {
	if !list.Blank() && (list.Kind != SequenceNode || len(list.Items) > 0) {
		return false
	}
	n := list
	if n == nil {
		n = d.Node
	}
	e := env.differ(n, "", "the original program refuses a %s without %s", word, key)
	switch {
	case e == nil, list != nil && list.Kind == SequenceNode: // the original program reports no error here but crashes later
	case word == "struct" && list == nil:
		e.NoKey(key, "")
	case word == "struct":
		e.Upstream("Expected an ordered mapping, found a scalar")
	case list == nil:
		e.Upstream("Tuple datatype must have `elements' subtree")
	default:
		e.Upstream(noElements)
	}
	return true
}

func (env *Env) parseRecord(d *declaration) part {
	p := &membersPart{node: d.Node, form: recordForm}
	p.size = env.parseSize(d)
	if p.size == nil {
		env.missing(d, "a record", "buffersize", "its size in bytes, holes included", "Record must have defined buffersize")
	}
	members := d.Lookup("members")
	switch {
	case members.Blank():
	case members.Kind != MappingNode:
		const message = "expected the members of a record as a mapping `name: {disp: N, type: T}`, found %s"
		if env.Dialect == Documented || members.Kind == ScalarNode || len(members.Items) > 0 {
			env.refuse(WrongShape, members, message, members.name()).NoMapping(members, "{")
		} else if env.Lint { // the original program treats an empty list as a missing one
			env.warn(WrongShape, members, message, members.name())
		}
	default:
		for _, pair := range members.Pairs {
			if env.full {
				break
			}
			if pair.Value.Lookup("disp") == nil {
				name := ""
				if t := pair.Value.Lookup("type"); t != nil {
					name = t.Text
				}
				env.missing(&declaration{pair.Value, name, nil, memberKeys}, "member "+pair.Key.name()+" of a record", "disp", "its offset in bytes", "All members must have displacements")
			}
			env.addMember(p, pair.Key, pair.Value)
		}
	}
	return env.finish(p, d)
}

// parseSize reads `buffersize`. It returns nil if the key is absent.
func (env *Env) parseSize(d *declaration) *number {
	n := d.Lookup("buffersize")
	if n == nil {
		return nil
	}
	size := env.number(n, "buffersize")
	return &size
}

func (env *Env) addMember(p *membersPart, key, value *Node) {
	if key.Kind != ScalarNode {
		env.refuse(WrongShape, key, "expected the name of a member, found %s", key.name()).NoScalar(key)
		return
	}
	m := memberPart{node: value, key: key, name: key.Text}
	if p.form == structForm {
		m.typ = env.parse(value, nil)
	} else {
		env.parseMember(&m)
	}
	p.members = append(p.members, m)
}

// parseMember reads the type of a member, and its offset `disp` if there is one.
func (env *Env) parseMember(m *memberPart) {
	if n := m.node.Lookup("disp"); n != nil {
		disp := env.number(n, "disp")
		m.disp = &disp
	}
	m.typ = env.parse(m.node, memberKeys)
}

func (env *Env) finish(p *membersPart, d *declaration) part {
	p.loose = env.Dialect == Upstream
	p.fixed = p.size == nil || p.size.constant()
	seen := make(map[string]*Node, len(p.members))
	for i := range p.members {
		m := &p.members[i]
		p.fixed = p.fixed && m.typ.constant() && (m.disp == nil || m.disp.constant())
		if m.key == nil {
			continue
		}
		first, twice := seen[m.name]
		if !twice {
			seen[m.name] = m.key
		} else if !p.loose || env.Lint {
			e := env.warn(DuplicateKey, m.key, "member `%s` is declared twice", problem.Clip(m.name, problem.Short))
			e.Related, e.Expected = firstHere(first), "keep one of them"
			if !p.loose {
				e.Severity = problem.Error
			}
		}
	}
	p.attrs = env.attributes(d)
	return p
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
			return nil, Errorf(StatusValue, m.node, "member `%s` ends outside any possible memory", p.nameOf(i))
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

// sizeOf returns the size of the type: `buffersize` or, without it, the end of the last member
// rounded up to the alignment. As in C++, a struct has at least one byte; in upstream's
// dialect, a tuple has too.
func (p *membersPart) sizeOf(members []Member, widest int64) (int64, error) {
	if p.size != nil {
		return p.size.eval()
	}
	var end int64
	for i := range members {
		last := members[i].Offset + members[i].Type.Size()
		if end = max(end, last); p.loose {
			end = last // the last member counts in upstream's dialect, even if its end has overflowed
		}
	}
	size := roundUp(end, widest)
	if !p.loose && size < 0 {
		return 0, Errorf(StatusValue, p.node, "the type does not fit into any memory")
	}
	if size == 0 && (p.loose || p.form == structForm) {
		size = 1
	}
	return size, nil
}

func (p *membersPart) nameOf(i int) string { return memberName(p.members[i].name, i) }

func (env *Env) parseTuple(d *declaration) part {
	p := &membersPart{node: d.Node, form: tupleForm}
	p.size = env.parseSize(d)
	elements := d.Lookup("elements")
	switch {
	case elements == nil && d.Lookup("members") != nil:
		env.refuse(WrongShape, d.Lookup("members"), "a tuple has `elements`, not `members`").
			UpstreamAt(d.Node, "Tuple datatype must have `elements' subtree")
	case env.absent(d, "tuple", "elements", elements):
	case elements.Kind != SequenceNode:
		env.refuse(WrongShape, elements, "expected the elements of a tuple as a list, found %s", elements.name()).Upstream(noElements)
	default:
		for _, item := range elements.Items {
			if env.full {
				break
			}
			env.addElement(p, item)
		}
		env.upstreamDisps(p, elements)
	}
	return env.finish(p, d)
}

// noElements is the original program's message if the elements of a tuple are not a list.
const noElements = "Tuple elements subtree must be a seqence or ordered mapping"

// NamedElement splits an element of a tuple that is written `name: type`. named is false
// if the element is a type without a name.
func (n *Node) NamedElement() (key, value *Node, named bool) {
	if n == nil || n.Kind != MappingNode || len(n.Pairs) != 1 {
		return nil, nil, false
	}
	key = n.Pairs[0].Key
	return key, n.Pairs[0].Value, key.Kind == ScalarNode && key.Text != "type" && !strings.Contains(key.Text, "+")
}

// addElement reads an element of a tuple. The element is a type, which may have `disp`, or has
// the form `name: type`.
func (env *Env) addElement(p *membersPart, item *Node) {
	if key, value, named := item.NamedElement(); named {
		e := env.differ(key, "leave the name out if the original program must read it: `- {type: …}`",
			"the original program refuses elements with a name, although its documentation shows them")
		if e != nil {
			e.NoScalar(item)
		} else {
			env.addMember(p, key, value)
		}
		return
	}
	m := memberPart{node: item}
	env.parseMember(&m)
	p.members = append(p.members, m)
}

// upstreamDisps reports offsets that the original program refuses: either all elements must
// have `disp`, and the tuple must have `buffersize`, or no element may have it.
func (env *Env) upstreamDisps(p *membersPart, elements *Node) {
	with := 0
	for i := range p.members {
		if p.members[i].disp != nil {
			with++
		}
	}
	var e *Error
	var original string
	switch {
	case with != 0 && with != len(p.members):
		e = env.differ(p.node, "", "%d of %d elements have `disp`: the original program accepts it on all or none", with, len(p.members))
		original = "None or all of tuple elements must to have `disp' defined"
	case with == 0 && p.size != nil:
		e = env.differ(p.node, "", "the original program accepts `buffersize` only together with `disp` on every element")
		original = "If tuple buffersize is defined, all `disp' must be defined also"
	case with != 0 && p.size == nil:
		e = env.differ(p.node, "", "the original program accepts `disp` only together with `buffersize`")
		original = "If tuple buffersize is not defined, `disp' cannot be defined also"
	}
	if e != nil {
		e.UpstreamAt(elements, "%s", original)
	}
}

// check returns an error if a member lies outside the buffer or overlaps another one.
func (p *membersPart) check(members []Member, size int64) error {
	if p.loose {
		return nil
	}
	if size < 0 {
		return Errorf(StatusValue, p.size.node, "`buffersize` is %d, which is negative", size)
	}
	order := make([]int, 0, len(members))
	for i, m := range members {
		node := p.members[i].node
		switch bytes := m.Type.Size(); {
		case m.Offset < 0:
			return Errorf(StatusValue, node, "member `%s` is at offset %d, which is negative", p.nameOf(i), m.Offset)
		case bytes > size || m.Offset > size-bytes:
			return Errorf(StatusValue, node, "member `%s` takes the bytes %d to %d of a buffer of %d", p.nameOf(i), m.Offset, m.Offset+bytes-1, size)
		case bytes > 0:
			order = append(order, i)
		}
	}
	if p.form == structForm {
		return nil
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(members[a].Offset, members[b].Offset)
	})
	for k := 1; k < len(order); k++ {
		before, i := order[k-1], order[k]
		if end := members[before].Offset + members[before].Type.Size(); end > members[i].Offset {
			return Errorf(StatusValue, p.members[i].node, "member `%s` begins at byte %d, inside member `%s`, which ends at byte %d",
				p.nameOf(i), members[i].Offset, p.nameOf(before), end)
		}
	}
	return nil
}

// memberName returns the name of a member for messages and drawings; a member without a name is
// named by its index.
func memberName(name string, i int) string {
	if name == "" {
		return "[" + strconv.Itoa(i) + "]"
	}
	return name
}
