package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/run/trace"
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

// further is the plan with one more setting; nil: nothing helps. Rates and events show the whole run: a limit, which shows
// its begin, or fewer units have to keep a quarter more.
func (s *Search) further(plan *Plan) *Plan {
	var best, part *Plan
	for _, c := range s.candidates(plan) {
		p := s.fit(plan, c)
		if c.most > 0 {
			part = better(part, p, 1)
		} else {
			best = better(best, p, 1)
		}
	}
	return better(best, part, 1.25)
}

// better is the plan that keeps the budget and most events, else the one that is nearest to it. The other one has to keep so many
// times as many.
func better(best, other *Plan, times float64) *Plan {
	switch {
	case other == nil:
	case best == nil,
		other.Excess <= 1 && best.Excess > 1,
		other.Excess <= 1 && float64(other.After.Traced) > times*float64(best.After.Traced),
		other.Excess > 1 && best.Excess > 1 && other.Excess < best.Excess:
		return other
	}
	return best
}

// candidate is a setting that may help.
type candidate struct {
	key   string
	fixed string // its only value
	now   uint64 // of a rate: the number that it is a multiple of
	most  uint64 // of a limit or of units: how many there are
	units bool
	share float64
}

// value is the setting for so many executions or units.
func (c *candidate) value(n uint64) string {
	switch {
	case !c.units:
		return strconv.FormatUint(n, 10)
	case n == 1:
		return "(0)"
	}
	return fmt.Sprintf("(0-%d)", n-1)
}

// maxTried is how many regions and how many events are tried in each round.
const maxTried = 4

// candidates are the rates and limits of the regions and the events with most bytes or time, the rate and limit of all regions, and
// the units.
func (s *Search) candidates(plan *Plan) []candidate {
	regions, limits, events, total := map[string]*candidate{}, map[string]*candidate{}, map[string]*candidate{}, 0.0
	units, all := map[string]*candidate{}, candidate{key: "Lexgion.default." + trace.MaxKey}
	for i := range plan.After.Rows {
		r := &plan.After.Rows[i]
		weight := s.weight(r)
		total += weight
		if r.Traced == 0 {
			continue
		}
		executions := uint64(r.Last-r.First)/uint64(max(r.Every, 1)) + 1
		all.most = max(all.most, executions)
		switch r.Domain {
		case mpi:
			add(units, unitsKey(mpi, "rank"), candidate{most: uint64(r.Rank) + 1, units: true}, weight)
		case openMP:
			add(units, unitsKey(openMP, "thread"), candidate{most: uint64(r.Thread) + 1, units: true}, weight)
		}
		add(events, r.Domain+".default."+r.Event, candidate{fixed: "off"}, weight)
		if r.Section == "" {
			continue // what is outside of all regions has none
		}
		add(regions, r.Section+".tracing_rate", candidate{now: uint64(max(r.Every, 1))}, weight)
		add(limits, r.Section+"."+trace.MaxKey, candidate{most: executions}, weight)
	}
	all.share = total
	list := slices.Concat(most(regions), []candidate{{key: "Lexgion.default.tracing_rate", now: 1, share: total}}, most(events), most(limits), most(units))
	if all.most > 0 {
		list = append(list, all)
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
	list[key].most = max(list[key].most, c.most)
}

func unitsKey(domain, kind string) string { return domain + ".default." + domain + "." + kind }

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

// rounding is what computing may be off by: nine hundred are not one fewer.
const rounding = 1e-6

// fit makes a setting as weak as the budget allows, or as strong as it can be; nil: it cannot be made.
func (s *Search) fit(plan *Plan, c candidate) *Plan {
	if c.fixed != "" {
		return s.try(plan, Setting{c.key, c.fixed})
	}
	// What the others take cannot be had here.
	rest := 1/plan.Excess - (1 - c.share)
	if c.most > 0 && c.share > 0 {
		return s.fewer(plan, c, rest)
	}
	factor := float64(maxRate)
	if rest > 0 {
		factor = math.Ceil(c.share/rest - rounding)
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

// fewer leaves as many executions or units as the rest of the budget has room for.
func (s *Search) fewer(plan *Plan, c candidate, rest float64) *Plan {
	least := uint64(0)
	if c.units {
		least = 1
	}
	n := c.most
	room := float64(n) * rest / c.share
	var found *Plan
	for range 6 {
		if n <= least {
			break
		}
		n = min(n-1, uint64(max(room+rounding, float64(least))))
		p := s.try(plan, Setting{c.key, c.value(n)})
		if p == nil || p.Excess <= 1 || p.Excess >= plan.Excess {
			return cmp.Or(p, found)
		}
		found = p
		room = float64(n) / (p.Excess * 1.02)
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
