package report

import (
	"cmp"
	"math"
	"slices"
)

// Change is what happened to a row.
type Change string

const (
	Slower Change = "slower"
	Faster Change = "faster"
	Within Change = "within its noise"
	Single Change = "executed once" // before or after: its noise is unknown
	More   Change = "more often"    // for rows with counts only
	Fewer  Change = "less often"
	Equal  Change = "as often"
	New    Change = "new"
	Gone   Change = "gone"
)

// JSONValues returns all changes, for the JSON Schema of answers.
func (Change) JSONValues() []string {
	return []string{string(Slower), string(Faster), string(Within), string(Single), string(More), string(Fewer), string(Equal), string(New), string(Gone)}
}

// Difference is a row of two reports.
type Difference struct {
	Name   string `json:"name"`
	Change Change `json:"change"`
	Before *Row   `json:"before,omitempty"`
	After  *Row   `json:"after,omitempty"`
	Cost   int64  `json:"cost_ns"` // the increase of the total
}

// Comparison holds the differences between two reports.
type Comparison struct {
	By     By           `json:"by"`
	Rows   []Difference `json:"rows"`
	Before *Report      `json:"-"`
	After  *Report      `json:"-"`
}

// Compare returns what became slower or faster from one trace to another. The mean of several executions varies by chance, less
// the more there are; its uncertainty follows from the spread of the durations. A difference counts only if it is larger than
// three times the uncertainty of both means.
func Compare(before, after *Report) *Comparison {
	c := &Comparison{By: after.By, Before: before, After: after, Rows: []Difference{}}
	earlier := map[string]*Row{}
	for i := range before.Rows {
		earlier[before.Rows[i].Name] = &before.Rows[i]
	}
	for i := range after.Rows {
		now := &after.Rows[i]
		then := earlier[now.Name]
		delete(earlier, now.Name)
		c.Rows = append(c.Rows, differ(after.By, then, now))
	}
	for _, then := range earlier {
		c.Rows = append(c.Rows, differ(after.By, then, nil))
	}
	slices.SortFunc(c.Rows, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Change.rank(), b.Change.rank()), cmp.Compare(magnitude(b), magnitude(a)), cmp.Compare(a.Name, b.Name))
	})
	return c
}

// magnitude returns the size of a difference.
func magnitude(d Difference) int64 {
	if d.Cost == 0 && d.Before != nil && d.After != nil { // counts
		return max(int64(d.After.Count-d.Before.Count), int64(d.Before.Count-d.After.Count))
	}
	return max(d.Cost, -d.Cost)
}

// rank orders changes: the certain ones come first.
func (c Change) rank() int {
	switch c {
	case Within, Single, Equal:
		return 1
	}
	return 0
}

func differ(by By, then, now *Row) Difference {
	switch {
	case then == nil:
		return Difference{Name: now.Name, Change: New, After: now, Cost: now.Total}
	case now == nil:
		return Difference{Name: then.Name, Change: Gone, Before: then, Cost: -then.Total}
	}
	d := Difference{Name: now.Name, Before: then, After: now, Cost: now.Total - then.Total, Change: Within}
	switch {
	case by == Event:
		d.Change = map[int]Change{-1: Fewer, 0: Equal, 1: More}[cmp.Compare(now.Count, then.Count)]
	case now.Count < 2 || then.Count < 2:
		d.Change = Single
	case float64(now.Mean-then.Mean) > certain*noise(then, now):
		d.Change = Slower
	case float64(then.Mean-now.Mean) > certain*noise(then, now):
		d.Change = Faster
	}
	return d
}

// certain is the number of standard errors from which two means differ by more than chance.
const certain = 3

// noise returns the standard error of the difference of two means. A clock with a resolution of
// nanoseconds adds an uncertainty of one to each.
func noise(a, b *Row) float64 {
	of := func(r *Row) float64 { return float64(r.Spread) * float64(r.Spread) / float64(r.Count) }
	return math.Sqrt(of(a) + of(b) + 1)
}
