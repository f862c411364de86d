package data

import (
	"fmt"
	"strings"
)

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
