package diag

import "strings"

// Nearest returns the candidate that a person most likely meant by name:
// the same but for case, or within a third of its length in edits (insert,
// delete, change, or swap of neighbours). Of two equally near the first wins.
func Nearest(name string, candidates []string) (string, bool) {
	if name == "" || len(name) > 200 {
		return "", false
	}
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
		if cost := distance(strings.ToLower(name), strings.ToLower(c), bestCost); cost < bestCost {
			best, bestCost = c, cost
		}
	}
	// Two letters that share nothing are one edit apart from everything short.
	if best == "" || bestCost >= len(name) {
		return "", false
	}
	return best, true
}

// distance is the optimal string alignment distance, or limit when it is
// at least that.
func distance(a, b string, limit int) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
			least = min(least, next[j])
		}
		if least >= limit {
			return limit
		}
		before, row = row, next
	}
	return row[len(b)]
}
