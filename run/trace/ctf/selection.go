package ctf

import "slices"

// Selection is the set of event members that are read when others are not needed.
type Selection struct{ plans []plan }

// Select plans to read only some of the kinds' own members, given by the index of the kind and of the member. The other
// members are zero. Lists and the content of variants are always read.
func (r *Reader) Select(want func(kind, member int) bool) *Selection {
	s := &Selection{}
	for kind, k := range r.Kinds {
		s.plans = append(s.plans, k.plan.only(func(slot int) bool { return want(kind, slot) }))
	}
	return s
}

// Only restricts the cursor to the selected members.
func (c *Cursor) Only(s *Selection) { c.plans = s.plans }

// only returns the plan without unwanted numbers and texts, except those that decide how others are read.
func (p *plan) only(want func(slot int) bool) plan {
	needed := map[int]bool{}
	p.needs(needed)
	q := *p
	q.ops = slices.Clone(p.ops)
	for i := range q.ops {
		switch o := &q.ops[i]; {
		case o.do == fixedRun:
			o.fixed = slices.DeleteFunc(slices.Clone(o.fixed), func(n number) bool { return !want(n.slot) && !needed[n.slot] })
		case o.do == text && !want(o.slot):
			o.do = skipText
		}
	}
	return q
}

// needs collects the slots that lists and variants depend on.
func (p *plan) needs(slots map[int]bool) {
	for i := range p.ops {
		o := &p.ops[i]
		if o.length.typ != nil && o.length.frame == eventFrame {
			slots[o.length.slot] = true
		}
		if o.elem != nil {
			o.elem.needs(slots)
		}
		for _, c := range o.choice {
			c.plan.needs(slots)
		}
	}
}

// steady reports whether the plan, when it begins at a byte boundary, depends on the bytes alone and has no lists or variants.
func (p *plan) steady() bool {
	for i := range p.ops {
		switch o := &p.ops[i]; o.do {
		case fixedRun, text:
		case alignTo:
			if o.align > 8 {
				return false
			}
		case byteArray:
			if o.length.typ != nil {
				return false
			}
		default:
			return false
		}
	}
	return true
}
