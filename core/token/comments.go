package token

import "slices"

// Comments are the indices of the comment tokens that belong to a piece of the
// text: on the lines directly above it, at the end of its last line and, for the
// last piece of a file, after it.
type Comments struct {
	Before, Suffix, After []int
}

// Roles are the token kinds of a language for comments, blanks and line breaks.
type Roles struct {
	Comment, Blank, Newline Kind
}

// Attach finds the comments that belong to the tokens from first up to, but not
// including, end. A comment above them belongs to them only if no empty line is in
// between.
func (l *List) Attach(r Roles, first, end int) Comments {
	var c Comments
	breaks := 0
	for i := first - 1; i >= 0; i-- {
		switch l.Kind(i) {
		case r.Blank:
			continue
		case r.Newline:
			breaks++
			if breaks > 1 {
				i = 0
			}
			continue
		case r.Comment:
			// A comment after other text on its line belongs to that text.
			if !l.startsLine(r, i) {
				i = 0
				continue
			}
			c.Before = append(c.Before, i)
			breaks = 0
			continue
		}
		break
	}
	slices.Reverse(c.Before)
	i := end
	for ; i < len(l.Tokens); i++ {
		if l.Kind(i) == r.Comment {
			c.Suffix = append(c.Suffix, i)
		} else if l.Kind(i) != r.Blank {
			break
		}
	}
	rest := []int{}
	for ; i < len(l.Tokens); i++ {
		switch l.Kind(i) {
		case r.Blank, r.Newline:
		case r.Comment:
			rest = append(rest, i)
		default:
			return c
		}
	}
	c.After = rest
	return c
}

func (l *List) startsLine(r Roles, i int) bool {
	for i--; i >= 0; i-- {
		switch l.Kind(i) {
		case r.Blank:
		case r.Newline:
			return true
		default:
			return false
		}
	}
	return true
}
