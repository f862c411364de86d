package problem

import "strings"

// Misspelt reports whether a name must be a misspelling of the nearest
// candidate. That is so if the two differ only in case, by two neighbouring
// letters exchanged, by a letter missing after the first of a word, or by one
// extra or wrong letter inside a word. Real names of one family differ in other
// ways: in their first or last letters, in digits, or in whole words (MPI_Send
// and MPI_Isend, MPI_Waitany and MPI_Waitall). So a valid name that is missing
// from the candidates is not taken for a misspelling.
func Misspelt(name string, candidates []string) bool {
	near, ok := Nearest(name, candidates)
	if !ok || !slip(strings.ToLower(name), strings.ToLower(near)) {
		return false
	}
	for _, c := range candidates { // another candidate that is equally near makes the result uncertain
		if c != near && !strings.EqualFold(c, near) && distance(strings.ToLower(name), strings.ToLower(c), 2) < 2 {
			return strings.EqualFold(name, near)
		}
	}
	return true
}

// inside is the smallest number of letters that a word must have on each side
// of a wrong or extra letter. One would be too few: MPI_Ibsend is not a
// misspelt MPI_Isend.
const inside = 2

// slip reports whether a and b are equal or differ by one typing mistake.
func slip(a, b string) bool {
	if a == b {
		return true
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	end := 0
	for end < len(a)-i && end < len(b)-i && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	wrong, right := a[i:len(a)-end], b[i:len(b)-end]
	if !letters(wrong) || !letters(right) {
		return false
	}
	if len(wrong) == 2 && len(right) == 2 {
		return wrong[0] == right[1] && wrong[1] == right[0]
	}
	if len(wrong) > 1 || len(right) > 1 {
		return false
	}
	before, after := i-wordStart(b[:i]), wordEnd(b[len(b)-end:])
	if doubled := wrong + right; len(doubled) == 1 { // a doubled letter, as in MPI_Ssend: either s may be the extra one
		for before > 0 && b[i-1] == doubled[0] {
			i, before = i-1, before-1
		}
	}
	if wrong == "" { // a letter is missing
		return before > 0 && (after > 0 || !strings.Contains(endings, right))
	}
	return before >= inside && after >= inside
}

// endings are letters that make a different name when added to one: image and
// images, acquire and acquired, MPI_Gather and MPI_Gatherv.
const endings = "sdrv"

func letters(s string) bool { return strings.Trim(s, lowerCase) == "" }

const lowerCase = "abcdefghijklmnopqrstuvwxyz"

// wordStart returns the index at which the trailing letters of s begin.
func wordStart(s string) int { return len(strings.TrimRight(s, lowerCase)) }

// wordEnd returns the number of letters that s begins with.
func wordEnd(s string) int { return len(s) - len(strings.TrimLeft(s, lowerCase)) }
