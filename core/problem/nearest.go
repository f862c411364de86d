package problem

import (
	"cmp"
	"path/filepath"
	"strings"
)

// maxName is the length of the longest name for which Nearest looks for a candidate.
const maxName = 200

// Nearest returns the candidate that a person most likely intended by name. It is equal but for case, or
// differs by at most a third of its length in edits (insert, delete, change, or swap of neighbours). If two
// are equally near, the first wins.
func Nearest(name string, candidates []string) (string, bool) {
	if name == "" || len(name) > maxName {
		return "", false
	}
	lower := strings.ToLower(name)
	best, bestCost := "", max(1, (len(name)+1)/3)+1
	for _, c := range candidates {
		if c == name {
			return "", false
		}
		if c == "" {
			continue
		}
		if strings.EqualFold(c, name) {
			return c, true
		}
		if diff := len(c) - len(name); diff >= bestCost || -diff >= bestCost {
			continue
		}
		if cost := distance(lower, strings.ToLower(c), bestCost); cost < bestCost {
			best, bestCost = c, cost
		}
	}
	// A candidate that has no letter in common with a short name is not suggested.
	if best == "" || bestCost >= len(name) {
		return "", false
	}
	return best, true
}

// NearestFile is Nearest for file names: either the extension is the same and the rest is similar, or only
// the extension differs.
func NearestFile(name string, candidates []string) (string, bool) {
	ending := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ending)
	var stems []string
	other := ""
	for _, c := range candidates {
		switch e := filepath.Ext(c); {
		case strings.TrimSuffix(c, e) == stem && c != name:
			other = cmp.Or(other, c)
		case strings.EqualFold(e, ending):
			stems = append(stems, strings.TrimSuffix(c, e))
		}
	}
	if near, ok := Nearest(stem, stems); ok {
		for _, c := range candidates { // the one with the same extension
			if strings.TrimSuffix(c, filepath.Ext(c)) == near && strings.EqualFold(filepath.Ext(c), ending) {
				return c, true
			}
		}
	}
	return other, other != ""
}

// distance returns the optimal string alignment distance of a and b, but at most limit.
func distance(a, b string, limit int) int {
	// A lower-case letter may need more bytes than its upper-case form.
	var rows [3][2 * maxName]int
	if len(b) >= len(rows[0]) {
		return limit
	}
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, before := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= limit {
			return limit
		}
	}
	return rows[len(a)%3][len(b)]
}
