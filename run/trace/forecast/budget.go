package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Budget is what tracing may take; 0 is any amount.
type Budget struct {
	Overhead float64 // as Forecast.Overhead
	Bytes    int64
}

// Excess is how many times the budget a forecast takes: up to 1 it keeps it.
func (b Budget) Excess(f *Forecast) float64 {
	excess := 0.0
	if b.Overhead > 0 {
		excess = f.Overhead / b.Overhead
	}
	if b.Bytes > 0 {
		excess = max(excess, float64(f.Bytes)/float64(b.Bytes))
	}
	return excess
}

// Setting is a key of a configuration and the value that it gets.
type Setting struct{ Key, Value string }

// Plan is a change of a configuration that keeps a budget.
type Plan struct {
	Settings []Setting
	After    *Forecast
	Excess   float64 // above 1: it cannot be kept, and this is the nearest
}

// Search is how a plan is looked for.
type Search struct {
	Budget Budget
	Now    *Forecast
	Kept   func(*Row) bool // rows that stay as they are
	// Try is the forecast with further settings. An error says that they cannot be made.
	Try func([]Setting) (*Forecast, error)
}

// maxSettings is how many settings a plan has at most.
const maxSettings = 6

// Find looks for the smallest change: one setting that keeps the budget and most events, else one that does most for it and
// another on top.
func (s *Search) Find() *Plan {
	plan := &Plan{After: s.Now, Excess: s.Budget.Excess(s.Now)}
	for len(plan.Settings) < maxSettings && plan.Excess > 1 {
		next := s.further(plan)
		if next == nil || next.Excess >= plan.Excess {
			break
		}
		plan = next
	}
	return plan
}

// further is the plan with one more setting; nil: nothing helps.
func (s *Search) further(plan *Plan) *Plan {
	var best *Plan
	for _, c := range s.candidates(plan) {
		p := s.fit(plan, c)
		switch {
		case p == nil:
		case best == nil,
			p.Excess <= 1 && best.Excess > 1,
			p.Excess <= 1 && p.After.Traced > best.After.Traced,
			p.Excess > 1 && best.Excess > 1 && p.Excess < best.Excess:
			best = p
		}
	}
	return best
}

// candidate is a setting that may help.
type candidate struct {
	key   string
	fixed string // its only value
	now   uint64 // else the number that it is a multiple of
	share float64
}

// maxTried is how many regions and how many events are tried in each round.
const maxTried = 4

// candidates are the rates of the regions and the events with most bytes or time, the rate of all regions, and the units.
func (s *Search) candidates(plan *Plan) []candidate {
	regions, events, total := map[string]*candidate{}, map[string]*candidate{}, 0.0
	several := map[string]bool{}
	for i := range plan.After.Rows {
		r := &plan.After.Rows[i]
		weight := s.weight(r)
		total += weight
		if r.Traced == 0 {
			continue
		}
		several[r.Domain] = several[r.Domain] || r.Domain == openMP && r.Thread > 0 || r.Domain == mpi && r.Rank > 0
		add(regions, r.Section+".tracing_rate", candidate{now: uint64(max(r.Every, 1))}, weight)
		add(events, r.Domain+".default."+r.Event, candidate{fixed: "off"}, weight)
	}
	delete(regions, ".tracing_rate") // what is outside of all regions has no section
	list := slices.Concat(most(regions), []candidate{{key: "Lexgion.default.tracing_rate", now: 1, share: total}}, most(events))
	for domain, kind := range map[string]string{mpi: "rank", openMP: "thread"} {
		if several[domain] {
			list = append(list, candidate{key: domain + ".default." + domain + "." + kind, fixed: "(0)"})
		}
	}
	for i := range list {
		list[i].share /= max(total, 1)
	}
	return list
}

// weight is what a row takes of what there is too much of.
func (s *Search) weight(r *Row) float64 {
	if s.Budget.Bytes > 0 && float64(s.Now.Bytes)/float64(s.Budget.Bytes) >= s.Budget.Excess(s.Now) {
		return float64(r.Bytes)
	}
	return s.Now.Cost.Recorded * float64(r.Traced)
}

func add(list map[string]*candidate, key string, c candidate, weight float64) {
	if list[key] == nil {
		c.key = key
		list[key] = &c
	}
	list[key].share += weight
}

// most are those with the largest shares.
func most(list map[string]*candidate) []candidate {
	var all []candidate
	for _, c := range list {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.key, b.key)) })
	return all[:min(len(all), maxTried)]
}

// maxRate is the largest rate that is tried: with it next to nothing is traced.
const maxRate = 1 << 20

// fit makes a setting as weak as the budget allows, or as strong as it can be; nil: it cannot be made.
func (s *Search) fit(plan *Plan, c candidate) *Plan {
	if c.fixed != "" {
		return s.try(plan, Setting{c.key, c.fixed})
	}
	// What the others take cannot be had here.
	rest := 1/plan.Excess - (1 - c.share)
	factor := float64(maxRate)
	if rest > 0 {
		factor = math.Ceil(c.share / rest)
	}
	var found *Plan
	for range 5 {
		factor = max(2, min(factor, maxRate))
		p := s.try(plan, Setting{c.key, strconv.FormatUint(c.now*uint64(factor), 10)})
		if p == nil || p.Excess <= 1 || factor == maxRate {
			return cmp.Or(p, found)
		}
		found = p
		factor = math.Ceil(factor * max(1.1, min(p.Excess*1.05, 64)))
	}
	return found
}

// try makes a setting besides those of a plan. One that changes what is to be kept is none.
func (s *Search) try(plan *Plan, further Setting) *Plan {
	settings := append(slices.Clone(plan.Settings), further)
	f, err := s.Try(settings)
	if err != nil || !s.keeps(f) {
		return nil
	}
	return &Plan{settings, f, s.Budget.Excess(f)}
}

// keeps reports whether all rows that are to be kept are as they were.
func (s *Search) keeps(f *Forecast) bool {
	now := map[string]uint64{}
	for i := range s.Now.Rows {
		if r := &s.Now.Rows[i]; s.Kept != nil && s.Kept(r) {
			now[r.key()] = r.Traced
		}
	}
	for i := range f.Rows {
		if n, kept := now[f.Rows[i].key()]; kept && n != f.Rows[i].Traced {
			return false
		}
	}
	return true
}

// key is what rows of two forecasts are compared by.
func (r *Row) key() string {
	return fmt.Sprint(r.Domain, " ", r.Region, " ", r.Event, " ", r.Rank, " ", r.Team, " ", r.Thread)
}
