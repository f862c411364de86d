package debuginfo

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Retarget returns the address in a new build of a program that corresponds to an address
// in an old one: the same place in the same function. For the return address of a call,
// the function is the innermost one. The reason says how the new address was
// found, or why it was not.
func Retarget(old, rebuilt *File, addr uint64) (newAddr uint64, reason string, ok bool) {
	from, err := old.place(addr - old.Base)
	if err != nil {
		return 0, err.Error(), false
	}
	within := innermost(old, rebuilt, from)
	to, err := rebuilt.counterpart(from.part().Function, old.name())
	if err != nil && within == nil {
		return 0, err.Error(), false
	}
	m := &mapping{from, to, old, rebuilt}
	if err == nil && (within == nil || within.keeps(to)) {
		newAddr, reason, ok = m.byCode()
	}
	switch {
	case ok:
	case within != nil:
		newAddr, reason, ok = within.follow()
	default:
		newAddr, reason, ok = m.byLine()
	}
	if !ok {
		return 0, reason, false
	}
	return newAddr + rebuilt.Base, reason, true
}

func (f *File) place(addr uint64) (*place, error) {
	return guarded(f, func() (*place, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		fn := x.function(addr)
		if fn == nil {
			fn = x.function(addr - 1) // the function's last instruction may be a call that never returns
		}
		if fn == nil || fn.Name == "" {
			return nil, fmt.Errorf("`0x%x` lies in no function of `%s`", addr+f.Base, f.name())
		}
		p, err := f.body(x, fn)
		if err != nil {
			return nil, err
		}
		p.addr = addr
		if addr >= fn.High && !f.returning(p, addr) {
			return nil, fmt.Errorf("`0x%x` lies in no function of `%s`", addr+f.Base, f.name())
		}
		return p, nil
	})
}

// counterpart returns the function, or the part of it, that corresponds to one in an older
// build.
func (f *File) counterpart(fn Function, oldName string) (*place, error) {
	return guarded(f, func() (*place, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		name := fn.Name
		if fn.alias != "" && len(x.called(fn.alias)) > 0 {
			name = fn.alias // the linker's name distinguishes overloads and name spaces
		}
		var same []*Function
		for _, i := range x.called(name) {
			same = append(same, &x.funcs[i])
		}
		if len(same) == 0 {
			return nil, fmt.Errorf("function `%s` of `%s` does not exist in `%s`", fn.Name, oldName, f.name())
		}
		for _, equal := range []func(s *Function) bool{
			func(s *Function) bool { return s.alias == fn.alias },
			func(s *Function) bool { return s.Unit == fn.Unit },
			func(s *Function) bool { return path.Base(s.Unit) == path.Base(fn.Unit) },
		} {
			if narrowed := slices.DeleteFunc(slices.Clone(same), func(s *Function) bool { return !equal(s) }); len(narrowed) > 0 {
				same = narrowed
			}
		}
		for _, s := range same[1:] {
			if s.entry == 0 || s.entry != same[0].entry {
				return nil, fmt.Errorf("function `%s` exists %d times in `%s`", fn.Name, len(same), f.name())
			}
		}
		if a, b := fn.Unit, same[0].Unit; a != "" && b != "" && path.Base(a) != path.Base(b) {
			return nil, fmt.Errorf("function `%s` was compiled from `%s` and is now compiled from `%s`", fn.Name, a, b)
		}
		return f.body(x, same[0])
	})
}

// mapping relates a function in two builds.
type mapping struct {
	from, to     *place
	old, rebuilt *File
}

// byCode keeps the offset if the code of the function or part is unchanged except for
// distances to other code and data.
func (m *mapping) byCode() (uint64, string, bool) {
	if len(m.from.parts) != len(m.to.parts) {
		return 0, "", false
	}
	a, b := m.from.part(), m.to.part()
	offset := m.from.addr - a.Low
	moved := fmt.Sprintf("offset 0x%x in `%s`, whose code kept its layout", offset, a.Name)
	if a.code == nil || len(a.code) != len(b.code) || !sameCode(a.code, b.code) {
		return 0, "", false
	}
	if !sameShape(m.from.within(a), m.to.within(b), a.Low, b.Low) {
		return 0, "", false
	}
	return b.Low + offset, moved, true
}

// sameCode reports whether two functions differ only in sequences of at most four bytes,
// the size of a distance.
func sameCode(a, b []byte) bool {
	const distance = 4
	start := -distance // where the last range of different bytes begins
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		switch {
		case i < start+distance:
		case i == start+distance && start >= 0:
			return false
		default:
			start = i
		}
	}
	return true
}

// sameShape reports whether the rows of two functions agree, if both have rows.
func sameShape(a, b []row, lowA, lowB uint64) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	return slices.EqualFunc(a, b, func(r, s row) bool {
		return r.low-lowA == s.low-lowB && r.high-r.low == s.high-s.low && r.column == s.column &&
			r.line-a[0].line == s.line-b[0].line
	})
}

// inner finds a call in code that was inlined or outlined. The compiler may put this code
// into another function of the new build, so the call is looked for in all places that
// have code of the same source function.
type inner struct {
	function     named
	container    *Function // the function that contained the code
	call         call      // the call that returns to the address
	from, to     *place    // all code of the function, in both builds
	old, rebuilt *File
}

// innermost returns an inner for the innermost function at an address. It returns nil if
// no call returns to the address, or if the function was not inlined there and still
// exists.
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

// everywhere returns all code whose innermost function is the given one.
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

// keeps reports whether the call may be at the same offset in the container of the new
// build. It may not if the compiler made the container, because the numbers in such names
// change with every build.
func (m *inner) keeps(to *place) bool {
	offset := m.call.next - m.container.Low
	at := m.rebuilt.index.at(to.part().Low + offset - 1)
	return !(named{m.container.Name, m.container.alias}).outlined() && at != none && m.rebuilt.index.names[at] == m.function
}

// follow finds the same call in the new build. It looks on the corresponding source line.
// If there is none, it uses the order of the lines with calls of the same function,
// because other compiler flags do not change that order.
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

// lineOf returns the index of the line with the call.
func (m *inner) lineOf(lines []sourceLine) int {
	return slices.IndexFunc(lines, func(l sourceLine) bool {
		return slices.Contains(m.same(m.old, m.from, l), m.call.next)
	})
}

// same returns the calls of a line to the same callee, by the addresses they return to.
func (m *inner) same(f *File, p *place, l sourceLine) []uint64 {
	var list []uint64
	for _, c := range f.calls(p, l.rows) {
		if c.callee == m.call.callee {
			list = append(list, c.next)
		}
	}
	return list
}

// byOrder pairs the lines that call the same function, if both builds have the same number
// of such lines.
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

// contained returns the calls in functions with the container's name, or all calls if
// there are none.
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

// sourceLine is the code of one source line in a function.
type sourceLine struct {
	file  string
	line  int
	rows  []row
	print string // a fingerprint, equal for two lines with the same text
	loose string // an approximate fingerprint, which stays the same if instructions change their size
}

// byLine finds the corresponding source line. It compares the lines of both functions by
// their fingerprints, so added or removed lines above do not matter. For a return address,
// it finds the corresponding call, even if the code after the call has moved.
func (m *mapping) byLine() (uint64, string, bool) {
	name := m.from.part().Name
	if len(m.from.rows) == 0 || len(m.to.rows) == 0 {
		file := m.old
		if len(m.from.rows) > 0 {
			file = m.rebuilt
		}
		return 0, fmt.Sprintf("the code of `%s` has changed, and `%s` has no lines to follow: compile with -g", name, file.name()), false
	}
	inside, returning := m.from.addr, m.old.returning(m.from, m.from.addr)
	if returning {
		inside--
	}
	at := slices.IndexFunc(m.from.rows, func(r row) bool { return r.low <= inside && inside < r.high })
	if at < 0 {
		return 0, fmt.Sprintf("`0x%x` in `%s` belongs to no source line", m.from.addr+m.old.Base, name), false
	}
	r := m.from.rows[at]
	before, after := m.old.sourceLines(m.from), m.rebuilt.sourceLines(m.to)
	i := slices.IndexFunc(before, func(l sourceLine) bool { return l.file == r.file && l.line == r.line })
	j := match(before, after)[i]
	where := fmt.Sprintf("line %d of `%s`", r.line, path.Base(r.file))
	if j < 0 {
		return 0, fmt.Sprintf("%s in `%s` has changed or is gone", where, name), false
	}
	addr, ok := uint64(0), false
	if returning {
		addr, ok = m.sameCall(before[i], after[j])
	} else {
		addr, ok = m.within(before[i], after[j])
	}
	if !ok {
		return 0, fmt.Sprintf("the code of %s in `%s` has changed", where, name), false
	}
	return addr, fmt.Sprintf("%s in `%s`, now line %d", where, name, after[j].line), true
}

// sourceLines groups the rows of a function by source line, in the order of the source.
func (f *File) sourceLines(p *place) []sourceLine {
	type key struct {
		file string
		line int
	}
	at := make(map[key]int)
	var lines []sourceLine
	for _, r := range p.rows {
		k := key{r.file, r.line}
		i, ok := at[k]
		if !ok {
			i = len(lines)
			at[k] = i
			lines = append(lines, sourceLine{file: r.file, line: r.line})
		}
		lines[i].rows = append(lines[i].rows, r)
	}
	for i := range lines {
		var print, loose strings.Builder
		for _, r := range lines[i].rows {
			fmt.Fprintf(&print, "%d:%d ", r.column, r.high-r.low)
			fmt.Fprintf(&loose, "%d ", r.column)
		}
		for _, c := range f.calls(p, lines[i].rows) {
			fmt.Fprintf(&print, "%s ", c.callee)
			fmt.Fprintf(&loose, "%s ", c.callee)
		}
		lines[i].print, lines[i].loose = print.String(), loose.String()
	}
	slices.SortStableFunc(lines, func(a, b sourceLine) int {
		return cmp.Or(cmp.Compare(path.Base(a.file), path.Base(b.file)), cmp.Compare(a.line, b.line))
	})
	return lines
}

// match pairs the lines of two functions: first the longest common subsequence of
// fingerprints, then the lines between two pairs if both sides have the same number.
// Unpaired lines get -1.
func match(a, b []sourceLine) []int {
	pairs := make([]int, len(a))
	for i := range pairs {
		pairs[i] = -1
	}
	common(a, b, pairs)
	for i := 0; i < len(a); {
		if pairs[i] >= 0 {
			i++
			continue
		}
		end := i
		for end < len(a) && pairs[end] < 0 {
			end++
		}
		first, last := 0, len(b)
		if i > 0 {
			first = pairs[i-1] + 1
		}
		if end < len(a) {
			last = pairs[end]
		}
		if last-first == end-i {
			for k := i; k < end; k++ {
				if a[k].loose == b[first+k-i].loose || end-i == 1 {
					pairs[k] = first + k - i
				}
			}
		}
		i = end
	}
	return pairs
}

// maxPairs is the largest size of the comparison table. If two functions need a larger
// one, only equal lines at their beginnings and ends are paired.
const maxPairs = 4 << 20

// common pairs a longest common subsequence.
func common(a, b []sourceLine, pairs []int) {
	start := 0
	for start < len(a) && start < len(b) && a[start].print == b[start].print {
		pairs[start] = start
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1].print == b[endB-1].print {
		endA--
		endB--
		pairs[endA] = endB
	}
	n, m := endA-start, endB-start
	if (n+1)*(m+1) > maxPairs {
		return
	}
	length := make([]int32, (n+1)*(m+1)) // [i, j]: the longest common subsequence of a[i:] and b[j:]
	at := func(i, j int) *int32 { return &length[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[start+i].print == b[start+j].print {
				*at(i, j) = *at(i+1, j+1) + 1
			} else {
				*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case a[start+i].print == b[start+j].print:
			pairs[start+i] = start + j
			i++
			j++
		case *at(i+1, j) >= *at(i, j+1):
			i++
		default:
			j++
		}
	}
}

// sameCall returns the address that the same call of a line returns to.
func (m *mapping) sameCall(a, b sourceLine) (uint64, bool) {
	before, after := m.old.calls(m.from, a.rows), m.rebuilt.calls(m.to, b.rows)
	k := slices.IndexFunc(before, func(c call) bool { return c.next == m.from.addr })
	if k < 0 || len(before) != len(after) || before[k].callee != after[k].callee {
		return 0, false
	}
	return after[k].next, true
}

// within finds the corresponding place in a line: the start of the same row, or the same
// offset in a row of equal length.
func (m *mapping) within(a, b sourceLine) (uint64, bool) {
	i := slices.IndexFunc(a.rows, func(r row) bool { return r.low <= m.from.addr && m.from.addr < r.high })
	offset := m.from.addr - a.rows[i].low
	if i < len(b.rows) && len(a.rows) == len(b.rows) {
		if offset == 0 || a.rows[i].high-a.rows[i].low == b.rows[i].high-b.rows[i].low {
			return b.rows[i].low + offset, true
		}
	} else if offset == 0 && i == 0 {
		return b.rows[0].low, true
	}
	return 0, false
}
