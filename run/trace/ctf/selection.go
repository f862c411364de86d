package ctf

import "slices"

// Selection is the members of events that are read where others are not asked for.
type Selection struct{ plans []plan }

// Select plans the reading of those members of events' own that are wanted, by the places of their kinds and their own.
// The others are zero. Lists, and what variants hold, are always read.
func (r *Reader) Select(want func(kind, member int) bool) *Selection {
	s := &Selection{}
	for kind, k := range r.Kinds {
		s.plans = append(s.plans, k.plan.only(func(slot int) bool { return want(kind, slot) }))
	}
	return s
}

// Only lets the cursor read those members alone.
func (c *Cursor) Only(s *Selection) { c.plans = s.plans }

// only is the plan without numbers and texts that are not wanted, save those that say how others are read.
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

// needs collects the slots of an event by which lists and variants are read.
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

// steady reports whether what it reads at the begin of a byte depends on the bytes alone, and is neither a list nor a variant.
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
