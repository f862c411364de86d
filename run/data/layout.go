package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Row is one line of the picture of a type: a member, or bytes that belong to
// none.
type Row struct {
	Depth        int    // 0 for the members of the type itself
	Name         string // empty for a hole
	Type         Type   // nil for a hole
	Offset, Size int64  // from the begin of the whole
	Tail         bool   // a hole behind the last member: padding
}

// Layout lists the members of a record or tuple in the order of their offsets,
// with the holes between them, and those of members that are records
// themselves. Any other type is one row.
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

// Advice is a way to make a struct smaller.
type Advice struct {
	Saves int64 // bytes

	// Move names the one member to move, and After the member to put it behind
	// (empty: to the front), where a single move is enough.
	Move, After string

	// Order is the order of all members that saves the bytes.
	Order []string
}

// maxMoves bounds the members among which a single move is searched.
const maxMoves = 64

// Advise says how the members of a struct could be ordered to waste less. There
// is no advice for records: their offsets are given by the tree.
func Advise(r *Record) (Advice, bool) {
	if !r.Struct || len(r.Members) < 2 || !r.fits() {
		return Advice{}, false
	}
	// Members from the strictest alignment down to the loosest leave no holes
	// between them: their sizes are multiples of their alignments.
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
			to := (i + 1) % len(r.Members) // behind another member rather than to the front
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
	Type  Type   // of the first machine that has the line; nil for a hole
	Tail  bool   // a hole that is padding on some machine
	Rows  []*Row // for each machine, nil where it has no such line
}

// Word is what a line is: its type, a hole or padding.
func (l *Line) Word() string {
	switch {
	case l.Type != nil:
		return l.Type.String()
	case l.Tail:
		return "padding"
	}
	return "hole"
}

// Beside puts the layouts that one type has on several machines beside each other: members in their order, and
// before each the holes that some machine has there. A type without members has no lines.
func Beside(types []Type) []Line {
	lists := make([][]Row, len(types))
	for i, t := range types {
		lists[i] = Layout(t)
	}
	at := make([]int, len(lists))
	// next takes the next row of each machine of which one is wanted.
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

// HeadWord is what a type is, without its own name.
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

// String is the change that saves the bytes.
func (a Advice) String() string {
	switch {
	case a.Move != "" && a.After != "":
		return fmt.Sprintf("`%s` after `%s`", a.Move, a.After)
	case a.Move != "":
		return fmt.Sprintf("`%s` first", a.Move)
	}
	return "the order " + strings.Join(a.Order, ", ")
}
