package debuginfo

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// sourceLine is the code that one source line became in a function.
type sourceLine struct {
	file  string
	line  int
	rows  []row
	print string // a fingerprint: two lines with the same text have the same
	loose string // one that survives other code sizes
}

// byLine follows the source line: the lines of both functions are compared by
// their fingerprints, so that lines added or removed above do not matter. The
// address that a call returns to follows the call, wherever the code behind it went.
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

// sourceLines gathers the rows of a function by source line, in the order of
// the source.
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

// match pairs the lines of two functions: the longest common sequence of
// equal fingerprints, and between two pairs the lines that are left, where
// both sides have as many. Unpaired lines get -1.
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

// maxPairs bounds the table of the comparison; functions with more lines are
// compared from both ends only.
const maxPairs = 4 << 20

// common pairs a longest common sequence.
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
	length := make([]int32, (n+1)*(m+1)) // of what is common from i, j on
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

// sameCall finds the address that the same call of a line returns to.
func (m *mapping) sameCall(a, b sourceLine) (uint64, bool) {
	before, after := m.old.calls(m.from, a.rows), m.rebuilt.calls(m.to, b.rows)
	k := slices.IndexFunc(before, func(c call) bool { return c.next == m.from.addr })
	if k < 0 || len(before) != len(after) || before[k].callee != after[k].callee {
		return 0, false
	}
	return after[k].next, true
}

// within finds the place in a line: at the start of the same row, or at the
// same distance from it where the row is as long.
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
