package data

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

func (env *Env) parseTuple(n *Node) (part, error) {
	p := &membersPart{node: n, form: tupleForm}
	upstream := env.Dialect == Upstream
	if size := n.Lookup("buffersize"); size != nil {
		bytes, err := parseNumber(env, size)
		if err != nil {
			return nil, err
		}
		p.size = &bytes
	}
	elements := n.Lookup("elements")
	switch {
	case upstream && elements == nil:
		return nil, Errorf(StatusSpecTree, n, "a tuple needs `elements`")
	case upstream && elements.Kind == SequenceNode && len(elements.Items) == 0:
		return nil, Errorf(StatusSpecTree, elements, "a tuple without elements cannot be had: upstream stops with a fault")
	case elements == nil && n.Lookup("members") != nil:
		return nil, Errorf(StatusSpecTree, n.Lookup("members"), "a tuple has `elements`, not `members`")
	case !upstream && elements.Blank():
		return env.finish(p)
	case elements.Kind != SequenceNode:
		return nil, Errorf(StatusSpecTree, elements, "expected the elements of a tuple as a list, found %s", elements.name())
	}
	for _, item := range elements.Items {
		if err := env.addElement(p, item); err != nil {
			return nil, err
		}
	}
	if upstream {
		if err := upstreamDisps(p); err != nil {
			return nil, err
		}
	}
	return env.finish(p)
}

// addElement reads a type, with or without `disp`, or a pair of a name and one.
func (env *Env) addElement(p *membersPart, item *Node) error {
	if env.Dialect != Upstream && item.Kind == MappingNode && len(item.Pairs) == 1 {
		key := item.Pairs[0].Key
		if key.Kind == ScalarNode && key.Text != "type" && !strings.Contains(key.Text, "+") {
			return env.addMember(p, key, item.Pairs[0].Value)
		}
	}
	m := memberPart{node: item}
	var err error
	if disp := item.Lookup("disp"); disp != nil {
		if m.disp, err = env.parseDisp(disp); err != nil {
			return err
		}
	}
	if m.typ, err = env.parse(item); err != nil {
		return err
	}
	p.members = append(p.members, m)
	return nil
}

// upstreamDisps keeps upstream's rule that offsets are written for all elements
// or for none, together with the size.
func upstreamDisps(p *membersPart) error {
	with := 0
	for i := range p.members {
		if p.members[i].disp != nil {
			with++
		}
	}
	switch {
	case with != 0 && with != len(p.members):
		return Errorf(StatusSpecTree, p.node, "`disp` stands on %d of %d elements: upstream takes all or none", with, len(p.members))
	case with == 0 && p.size != nil:
		return Errorf(StatusSpecTree, p.node, "upstream takes `buffersize` only together with `disp` on every element")
	case with != 0 && p.size == nil:
		return Errorf(StatusSpecTree, p.node, "upstream takes `disp` only together with `buffersize`")
	}
	return nil
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
