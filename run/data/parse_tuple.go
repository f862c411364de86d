package data

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

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

// noElements is what the original program says of elements that are no list.
const noElements = "Tuple elements subtree must be a seqence or ordered mapping"

// NamedElement splits an element of a tuple that is written `name: type` from
// one that is a type itself.
func (n *Node) NamedElement() (key, value *Node, named bool) {
	if n == nil || n.Kind != MappingNode || len(n.Pairs) != 1 {
		return nil, nil, false
	}
	key = n.Pairs[0].Key
	return key, n.Pairs[0].Value, key.Kind == ScalarNode && key.Text != "type" && !strings.Contains(key.Text, "+")
}

// addElement reads a type, with or without `disp`, or a pair of a name and one.
func (env *Env) addElement(p *membersPart, item *Node) {
	if key, value, named := item.NamedElement(); named {
		e := env.differ(key, "leave the name out where it must run there: `- {type: …}`",
			"the original program refuses elements with a name, although its document shows them")
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

// upstreamDisps reports offsets that upstream refuses: they are written for all
// elements or for none, together with the size.
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
		e = env.differ(p.node, "", "`disp` stands on %d of %d elements: the original program takes all or none", with, len(p.members))
		original = "None or all of tuple elements must to have `disp' defined"
	case with == 0 && p.size != nil:
		e = env.differ(p.node, "", "the original program takes `buffersize` only together with `disp` on every element")
		original = "If tuple buffersize is defined, all `disp' must be defined also"
	case with != 0 && p.size == nil:
		e = env.differ(p.node, "", "the original program takes `disp` only together with `buffersize`")
		original = "If tuple buffersize is not defined, `disp' cannot be defined also"
	}
	if e != nil {
		e.UpstreamAt(elements, "%s", original)
	}
}

// check finds members outside the buffer and members over each other.
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
			return Errorf(StatusValue, p.members[i].node, "member `%s` begins at byte %d, inside member `%s`, which ends at %d",
				p.nameOf(i), members[i].Offset, p.nameOf(before), end)
		}
	}
	return nil
}

// memberName is how a message or a drawing calls a member.
func memberName(name string, i int) string {
	if name == "" {
		return "[" + strconv.Itoa(i) + "]"
	}
	return name
}
