package query

import (
	"cmp"
	"math"
	"regexp"
	"slices"
)

// node is a part of a condition. The compiled function is for one walk: it remembers its
// results, and allocates nothing per row.
type node interface{ compile() func(*row) bool }

type (
	join struct {
		and  bool
		list []node
	}
	negation struct{ of node }

	textTest struct {
		column  *column
		any     []string
		negated bool
	}
	patternTest struct {
		column  *column
		pattern *regexp.Regexp
		negated bool
	}
	numberTest struct {
		column  *column
		any     []interval
		negated bool
	}
)

// interval holds the numbers from low to high, including both; it is empty if low is larger.
type interval struct{ low, high int64 }

// between returns the numbers that a sign allows.
func between(sign string, n int64) interval {
	switch sign {
	case "<":
		return interval{math.MinInt64, n - 1} // n is not negative
	case "<=":
		return interval{math.MinInt64, n}
	case ">":
		if n == math.MaxInt64 {
			return interval{1, 0}
		}
		return interval{n + 1, math.MaxInt64}
	case ">=":
		return interval{n, math.MaxInt64}
	}
	return interval{n, n}
}

func (j join) compile() func(*row) bool {
	// Tests of numbers are the fastest, so they come first.
	parts := slices.Clone(j.list)
	slices.SortStableFunc(parts, func(a, b node) int { return cmp.Compare(effort(a), effort(b)) })
	list := make([]func(*row) bool, len(parts))
	for i, n := range parts {
		list[i] = n.compile()
	}
	stop := !j.and // the result that decides the whole
	return func(r *row) bool {
		for _, meets := range list {
			if meets(r) == stop {
				return stop
			}
		}
		return !stop
	}
}

func effort(n node) int {
	switch n.(type) {
	case numberTest:
		return 0
	case textTest:
		return 1
	}
	return 2
}

func (n negation) compile() func(*row) bool {
	of := n.of.compile()
	return func(r *row) bool { return !of(r) }
}

func (t numberTest) compile() func(*row) bool {
	get, want := t.column.number, !t.negated
	if len(t.any) == 1 {
		only := t.any[0]
		return func(r *row) bool {
			n, ok := get(r)
			return ok && (n >= only.low && n <= only.high) == want
		}
	}
	return func(r *row) bool {
		n, ok := get(r)
		return ok && slices.ContainsFunc(t.any, func(i interval) bool { return n >= i.low && n <= i.high }) == want
	}
}

func (t textTest) compile() func(*row) bool {
	get, want := t.column.text, !t.negated
	return t.column.once(func(r *row) bool {
		s := get(r)
		return s != "" && slices.Contains(t.any, s) == want
	})
}

func (t patternTest) compile() func(*row) bool {
	get, want := t.column.text, !t.negated
	known := map[string]bool{}
	return t.column.once(func(r *row) bool {
		s := get(r)
		if s == "" {
			return false
		}
		matches, ok := known[s]
		if !ok {
			matches = t.pattern.MatchString(s)
			if len(known) < maxKept {
				known[s] = matches
			}
		}
		return matches == want
	})
}

// once returns the test. If all frames with the same ID have the same value in the column, it runs
// the test only once for each ID.
func (c *column) once(test func(*row) bool) func(*row) bool {
	if !c.fixed {
		return test
	}
	var verdicts []verdict // by ID
	return func(r *row) bool {
		if r.frame == nil || r.frame.ID >= maxKept {
			return test(r)
		}
		for r.frame.ID >= len(verdicts) {
			verdicts = append(verdicts, untested)
		}
		v := &verdicts[r.frame.ID]
		if *v == untested {
			if *v = fails; test(r) {
				*v = meets
			}
		}
		return *v == meets
	}
}

// verdict says whether the frames with an ID meet a test.
type verdict uint8

const (
	untested verdict = iota
	meets
	fails
)
