package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Row is one line in the drawing of a type's layout: a member, or a hole between two members.
type Row struct {
	Depth        int    // nesting depth; 0 for direct members of the type
	Name         string // empty for a hole
	Type         Type   // nil for a hole
	Offset, Size int64  // in bytes; Offset is from the start of the whole type
	Tail         bool   // the hole is at the end of the type, as padding
}

// Layout lists the members of a record or tuple in the order of their offsets, with the holes between them. A
// member that is itself a record is followed by its own members. For any other type, the result is a single
// row.
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

// Advice describes how reordering the members makes a struct smaller.
type Advice struct {
	Saves int64 // number of bytes saved

	// If it is enough to move one member, Move is its name, and After is the name of the member to put it
	// after. An empty After means the front.
	Move, After string

	// Order lists all members in an order that saves the bytes.
	Order []string
}

// maxMoves is the number of members up to which Advise looks for a single move.
const maxMoves = 64

// Advise returns a better order for the members of a struct, and false if there is none. It gives no advice
// for records, because the tree sets the offsets of their members.
func Advise(r *Record) (Advice, bool) {
	if !r.Struct || len(r.Members) < 2 || !r.fits() {
		return Advice{}, false
	}
	// If members are sorted from the largest alignment to the smallest, there are no holes between them,
	// because the size of each is a multiple of its alignment.
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
			to := (i + 1) % len(r.Members) // try the front last: advice to move a member after another one is preferred
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

// Line compares one member of a type, or one hole, on several machines.
type Line struct {
	Depth int
	Name  string // empty for a hole
	Type  Type   // the member's type on the first machine that has it; nil for a hole
	Tail  bool   // the hole is padding at the end of the type on at least one machine
	Rows  []*Row // the row of each machine; nil if the machine does not have this member or hole
}

// Word returns the word for the line in a drawing: the type of the member, `hole` or `padding`.
func (l *Line) Word() string {
	switch {
	case l.Type != nil:
		return l.Type.String()
	case l.Tail:
		return "padding"
	}
	return "hole"
}

// Beside compares the layouts of one type on several machines. It lists the members in order; each is preceded
// by the holes that at least one machine has before it. The result is empty if the type has no members.
func Beside(types []Type) []Line {
	lists := make([][]Row, len(types))
	for i, t := range types {
		lists[i] = Layout(t)
	}
	at := make([]int, len(lists))
	// next makes a line from the next row of each machine, if wanted accepts that row. any is false if no
	// machine has such a row.
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
