package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Row is one line of the drawing of a type: a member, or a hole between members.
type Row struct {
	Depth        int    // 0 for the members of the type itself
	Name         string // empty for a hole
	Type         Type   // nil for a hole
	Offset, Size int64  // from the start of the whole
	Tail         bool   // a hole after the last member: padding
}

// Layout lists the members of a record or tuple in the order of their offsets, with the holes between them.
// The members of a member that is a record itself follow it. Any other type is one row.
func Layout(t Type) []Row {
	members := membersOf(t)
	if members == nil {
		return []Row{{Type: t, Size: t.Size()}}
	}
	return appendRows(nil, members, t.Size(), 0, 0)
}

func membersOf(t Type) []Member {
	switch t := t.(type) {
	case *Record:
		return t.Members
	case *Tuple:
		return t.Elements
	}
	return nil
}

func appendRows(rows []Row, members []Member, size, base int64, depth int) []Row {
	order := make([]int, len(members))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(members[a].Offset, members[b].Offset) })
	end := int64(0)
	for _, i := range order {
		m := members[i]
		if m.Offset > end {
			rows = append(rows, Row{Depth: depth, Offset: base + end, Size: m.Offset - end})
		}
		rows = append(rows, Row{Depth: depth, Name: memberName(m.Name, i), Type: m.Type, Offset: base + m.Offset, Size: m.Type.Size()})
		if inner := membersOf(m.Type); inner != nil {
			rows = appendRows(rows, inner, m.Type.Size(), base+m.Offset, depth+1)
		}
		end = max(end, m.Offset+m.Type.Size())
	}
	if size > end {
		rows = append(rows, Row{Depth: depth, Offset: base + end, Size: size - end, Tail: true})
	}
	return rows
}

// Advice describes how to make a struct smaller.
type Advice struct {
	Saves int64 // bytes

	// If moving a single member is enough, Move names it and After names the member to put it after (empty:
	// move it to the front).
	Move, After string

	// Order is an order of all members that saves the bytes.
	Order []string
}

// maxMoves limits the number of members for which a single move is searched.
const maxMoves = 64

// Advise returns an order of a struct's members that wastes less. There is no advice for records: the tree
// sets their offsets.
func Advise(r *Record) (Advice, bool) {
	if !r.Struct || len(r.Members) < 2 || !r.fits() {
		return Advice{}, false
	}
	// Members sorted from the largest alignment to the smallest leave no holes between them, because their
	// sizes are multiples of their alignments.
	best := slices.Clone(r.Members)
	slices.SortStableFunc(best, func(a, b Member) int { return cmp.Compare(b.Type.Align(), a.Type.Align()) })
	least := max(pack(slices.Clone(best)), 1)
	if least >= r.size {
		return Advice{}, false
	}
	advice := Advice{Saves: r.size - least, Order: memberNames(best)}
	if len(r.Members) > maxMoves {
		return advice, true
	}
	for from := len(r.Members) - 1; from >= 0; from-- {
		for i := range r.Members {
			to := (i + 1) % len(r.Members) // after another member rather than to the front
			moved := slices.Insert(slices.Delete(slices.Clone(r.Members), from, from+1), to, r.Members[from])
			if pack(moved) > least {
				continue
			}
			advice.Move, advice.Order = r.Members[from].Name, memberNames(moved)
			if to > 0 {
				advice.After = moved[to-1].Name
			}
			return advice, true
		}
	}
	return advice, true
}

func memberNames(members []Member) []string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	return names
}

// Line is a member of a type, or a hole in it, on several machines.
type Line struct {
	Depth int
	Name  string // empty for a hole
	Type  Type   // on the first machine that has the line; nil for a hole
	Tail  bool   // a hole that is padding on some machine
	Rows  []*Row // one for each machine, nil if the machine has no such line
}

// Word describes a line: its type, a hole or padding.
func (l *Line) Word() string {
	switch {
	case l.Type != nil:
		return l.Type.String()
	case l.Tail:
		return "padding"
	}
	return "hole"
}

// Beside compares the layouts of one type on several machines: it lists the members in their order, and before
// each the holes that some machine has there. A type without members has no lines.
func Beside(types []Type) []Line {
	lists := make([][]Row, len(types))
	for i, t := range types {
		lists[i] = Layout(t)
	}
	at := make([]int, len(lists))
	// next takes the next row of every machine whose next row is wanted.
	next := func(wanted func(*Row) bool) (l Line, any bool) {
		l.Rows = make([]*Row, len(lists))
		for i, list := range lists {
			if at[i] >= len(list) || !wanted(&list[at[i]]) {
				continue
			}
			r := &list[at[i]]
			at[i]++
			l.Rows[i] = r
			if !any || r.Type == nil {
				l.Depth, l.Name, l.Type = r.Depth, r.Name, r.Type
			}
			l.Tail = l.Tail || r.Tail
			any = true
		}
		return l, any
	}
	var lines []Line
	for {
		l, any := next(func(r *Row) bool { return r.Type == nil })
		if !any {
			l, any = next(func(*Row) bool { return true })
		}
		if !any {
			return lines
		}
		if l.Type == nil || l.Name != "" {
			lines = append(lines, l)
		}
	}
}

// HeadWord describes a type without its own name.
func HeadWord(t Type) string {
	switch t := t.(type) {
	case *Record:
		if t.Struct {
			return "struct"
		}
		return "record"
	case *Tuple:
		return "tuple"
	}
	return t.String()
}

// String describes the change that saves the bytes.
func (a Advice) String() string {
	switch {
	case a.Move != "" && a.After != "":
		return fmt.Sprintf("`%s` after `%s`", a.Move, a.After)
	case a.Move != "":
		return fmt.Sprintf("`%s` first", a.Move)
	}
	return "the order " + strings.Join(a.Order, ", ")
}
