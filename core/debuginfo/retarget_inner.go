package debuginfo

import (
	"fmt"
	"path"
	"slices"
)

// inner follows a call in code of a function that was inlined elsewhere, or that a compiler
// made a function of its own from: it is found wherever the code of that function is now.
type inner struct {
	function     named
	container    *Function // what the code was in
	call         call      // that returns to the address
	from, to     *place    // all code of the function, in both builds
	old, rebuilt *File
}

// innermost is what can follow an address by its innermost function; nil where that is
// not a call, or where the function has the address to itself and still exists.
func innermost(old, rebuilt *File, from *place) *inner {
	m := &inner{container: &from.part().Function, old: old, rebuilt: rebuilt}
	known, err := guarded(old, func() (bool, error) {
		x := old.index
		fn := x.at(from.addr - 1)
		if fn == none || !old.returning(from, from.addr) {
			return false, nil
		}
		m.function = x.names[fn]
		var err error
		m.from, err = old.everywhere(m.function)
		return true, err
	})
	if err != nil || !known {
		return nil
	}
	m.from.addr = from.addr
	if calls := old.calls(m.from, m.from.rows); !slices.ContainsFunc(calls, func(c call) bool { m.call = c; return c.next == from.addr }) {
		return nil
	}
	to, err := guarded(rebuilt, func() (*place, error) {
		x, err := rebuilt.contents()
		if err != nil {
			return nil, err
		}
		if m.function.name == m.container.Name && len(x.called(m.container.Name)) > 0 {
			return nil, nil
		}
		return rebuilt.everywhere(m.function)
	})
	if m.to = to; err != nil || to == nil || len(to.rows) == 0 {
		return nil
	}
	return m
}

// everywhere collects all code of which a function is the innermost.
func (f *File) everywhere(function named) (*place, error) {
	x := f.index
	same := func(n named) bool { return n.linkage != "" && n.linkage == function.linkage }
	if function.linkage == "" || !slices.ContainsFunc(x.names, same) {
		same = func(n named) bool { return n.name == function.name }
	}
	p, seen := &place{}, map[uint64]bool{}
	for _, s := range x.segments {
		if s.fn == none || !same(x.names[s.fn]) {
			continue
		}
		fn := x.function(s.low)
		if fn == nil || seen[fn.Low] {
			continue
		}
		seen[fn.Low] = true
		rows, err := f.rowsOf(x, fn)
		if err != nil {
			return nil, err
		}
		p.parts = append(p.parts, part{*fn, f.code(fn)})
		for _, r := range rows {
			if n := x.at(r.low); n != none && same(x.names[n]) {
				p.rows = append(p.rows, r)
			}
		}
	}
	return p, nil
}

// keeps reports whether the offset in the container may stand for the same call: compilers
// number the functions that they make anew.
func (m *inner) keeps(to *place) bool {
	offset := m.call.next - m.container.Low
	at := m.rebuilt.index.at(to.part().Low + offset - 1)
	return !(named{m.container.Name, m.container.alias}).outlined() && at != none && m.rebuilt.index.names[at] == m.function
}

// follow finds the same call: on the line that the old one became, else by its order among
// the lines of the function with such calls, which other flags of the compiler do not change.
func (m *inner) follow() (newAddr uint64, reason string, ok bool) {
	before, after := m.old.sourceLines(m.from), m.rebuilt.sourceLines(m.to)
	i := m.lineOf(before)
	j := match(before, after)[i]
	if j < 0 || len(m.same(m.rebuilt, m.to, after[j])) == 0 {
		j = m.byOrder(before, after, i)
	}
	where := fmt.Sprintf("line %d of `%s`", before[i].line, path.Base(before[i].file))
	if j < 0 {
		return 0, fmt.Sprintf("%s in `%s` has changed or is gone", where, m.function.name), false
	}
	was, now := m.same(m.old, m.from, before[i]), m.same(m.rebuilt, m.to, after[j])
	k := slices.Index(was, m.call.next)
	if !(named{m.container.Name, m.container.alias}).outlined() {
		was, now = m.contained(m.old, was), m.contained(m.rebuilt, now)
		k = slices.Index(was, m.call.next)
	}
	switch {
	case len(now) == 1:
		k = 0
	case len(now) != len(was):
		return 0, fmt.Sprintf("%s in `%s` is now at %d places", where, m.function.name, len(now)), false
	}
	return now[k], fmt.Sprintf("%s in `%s`, now line %d", where, m.function.name, after[j].line), true
}

// lineOf is the line that has the call.
func (m *inner) lineOf(lines []sourceLine) int {
	return slices.IndexFunc(lines, func(l sourceLine) bool {
		return slices.Contains(m.same(m.old, m.from, l), m.call.next)
	})
}

// same are the calls of a line with the callee that is looked for, by what they return to.
func (m *inner) same(f *File, p *place, l sourceLine) []uint64 {
	var list []uint64
	for _, c := range f.calls(p, l.rows) {
		if c.callee == m.call.callee {
			list = append(list, c.next)
		}
	}
	return list
}

// byOrder pairs the lines that have such calls, where both builds have as many.
func (m *inner) byOrder(before, after []sourceLine, i int) int {
	with := func(f *File, p *place, lines []sourceLine) (list []int) {
		for k, l := range lines {
			if len(m.same(f, p, l)) > 0 {
				list = append(list, k)
			}
		}
		return list
	}
	was, now := with(m.old, m.from, before), with(m.rebuilt, m.to, after)
	if len(was) != len(now) {
		return -1
	}
	return now[slices.Index(was, i)]
}

// contained are those of some calls that are in a function of the container's name, or all
// where none is.
func (m *inner) contained(f *File, list []uint64) []uint64 {
	in := slices.DeleteFunc(slices.Clone(list), func(next uint64) bool {
		fn := f.index.function(next - 1)
		return fn == nil || fn.Name != m.container.Name
	})
	if len(in) == 0 {
		return list
	}
	return in
}
