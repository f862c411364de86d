package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/run/trace"
)

// Budget limits what tracing may cost; 0 means no limit.
type Budget struct {
	Overhead float64 // as in Forecast.Overhead
	Bytes    int64
}

// Excess returns how much of the budget a forecast uses: 1 is all of it, more is over budget.
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

// Setting is a key of a configuration and its new value.
type Setting struct{ Key, Value string }

// Plan is a change of a configuration that keeps a budget.
type Plan struct {
	Settings []Setting
	After    *Forecast
	Excess   float64 // above 1: the budget cannot be kept, and this plan is the nearest
}

// Search holds the parameters for finding a plan.
type Search struct {
	Budget Budget
	Now    *Forecast
	Kept   func(*Row) bool // rows that must not change
	// Try returns the forecast with further settings. An error means that the settings are not possible.
	Try func([]Setting) (*Forecast, error)
}

// maxSettings is the maximum number of settings in a plan.
const maxSettings = 6

// Find returns the smallest change: the one setting that keeps the budget and the most events, or otherwise the setting that helps
// most, with another one on top.
func (s *Search) Find() *Plan {
	plan := &Plan{After: s.Now, Excess: s.Budget.Excess(s.Now)}
	for len(plan.Settings) < maxSettings && plan.Excess > 1 {
		next := s.extend(plan)
		if next == nil || next.Excess >= plan.Excess {
			break
		}
		plan = next
	}
	return plan
}

// extend returns the plan with one more setting, or nil if nothing helps. Rates and events sample the whole run, but a limit shows
// only its beginning. A limit, or fewer units, must therefore keep a quarter more events to be preferred.
func (s *Search) extend(plan *Plan) *Plan {
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

// better returns the plan that keeps the budget and the most events, or otherwise
// the plan nearest to the budget. other must keep times as many events.
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
	fixed string // its only possible value
	now   uint64 // for a rate: the number it must be a multiple of
	most  uint64 // for a limit or units: their number without the setting
	units bool
	share float64
}

// value returns the setting for n executions or units.
func (c *candidate) value(n uint64) string {
	switch {
	case !c.units:
		return strconv.FormatUint(n, 10)
	case n == 1:
		return "(0)"
	}
	return fmt.Sprintf("(0-%d)", n-1)
}

// maxTried is the number of regions and of events tried in each round.
const maxTried = 4

// candidates returns the rates and limits of the regions, and the events, with
// the most bytes or time, the rate and limit of all regions, and the units.
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
			continue // events outside of regions have no rate
		}
		add(regions, r.Section+".tracing_rate", candidate{now: uint64(max(r.Every, 1))}, weight)
		add(limits, r.Section+"."+trace.MaxKey, candidate{most: executions}, weight)
	}
	all.share = total
	list := slices.Concat(largest(regions), []candidate{{key: "Lexgion.default.tracing_rate", now: 1, share: total}}, largest(events), largest(limits), largest(units))
	if all.most > 0 {
		list = append(list, all)
	}
	for i := range list {
		list[i].share /= max(total, 1)
	}
	return list
}

// weight returns the share of a row in the resource that exceeds the budget most.
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

// largest returns the candidates with the largest shares.
func largest(list map[string]*candidate) []candidate {
	var all []candidate
	for _, c := range list {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.key, b.key)) })
	return all[:min(len(all), maxTried)]
}

// maxRate is the largest rate to try; with it, almost nothing is traced.
const maxRate = 1 << 20

// rounding is the tolerance for rounding errors: a result of 899.9999 counts as 900.
const rounding = 1e-6

// fit chooses the weakest value of a setting that keeps the budget, or, if none does, the strongest value. It returns nil if the
// setting cannot be used.
func (s *Search) fit(plan *Plan, c candidate) *Plan {
	if c.fixed != "" {
		return s.try(plan, Setting{c.key, c.fixed})
	}
	// rest is the part of the budget that the other rows leave; this setting cannot change them.
	rest := 1/plan.Excess - (1 - c.share)
	if c.most > 0 && c.share > 0 {
		return s.keepFewer(plan, c, rest)
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

// keepFewer keeps as many executions or units as the rest of the budget allows.
func (s *Search) keepFewer(plan *Plan, c candidate, rest float64) *Plan {
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

// try adds a setting to a plan. It returns nil if the setting changes a row that must be kept.
func (s *Search) try(plan *Plan, further Setting) *Plan {
	settings := append(slices.Clone(plan.Settings), further)
	f, err := s.Try(settings)
	if err != nil || !s.keeps(f) {
		return nil
	}
	return &Plan{settings, f, s.Budget.Excess(f)}
}

// keeps reports whether all rows that must be kept are unchanged.
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

// key identifies a row in two forecasts.
func (r *Row) key() string {
	return fmt.Sprint(r.Domain, " ", r.Region, " ", r.Event, " ", r.Rank, " ", r.Team, " ", r.Thread)
}
