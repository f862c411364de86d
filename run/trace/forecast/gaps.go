package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
)

// Stretch is what a thread did in a gap, during which executions that begin are not recorded, or in a comparable time outside.
type Stretch struct {
	Turn       uint32        // stretches of one turn are compared
	Place      uint32        // in the turn, from 1 on; 0: the time outside of turns, which is not compared
	Gap        bool          // whether executions that began were not recorded
	Executions uint64        // executions of regions that began
	Events     uint64        // recorded events
	Time       time.Duration // processor time; 0 if it cannot be compared
}

// Gaps measures the share of a run's time that recording takes: executions take longer outside of gaps than in them. A gap is
// compared only with stretches of the same length and the same turn. An average over a longer time would be wrong: an occasional
// disturbance affects every long time and only few short ones, so most gaps would seem faster.
//
// The gap of a turn is chosen at random. If recording cost nothing, a gap would be slower than another stretch exactly as often as
// it is faster, whatever the noise, and independently in each turn, however long a disturbance lasts. The result depends only on
// this: it counts how often gaps are faster.
type Gaps struct {
	Extra float64 // the cost, in nanoseconds, of recording an event instead of deciding against it, as far as known

	Left uint64 // executions that began in gaps

	threads map[string]*turn
	rounds  []round // sorted by turn
}

// turn holds the stretches of one thread in its current turn.
type turn struct {
	number uint32
	gap    Stretch
	beside []Stretch
}

// round holds the comparisons of all threads in one turn.
type round struct {
	turn  uint32
	pairs map[uint32]*pair // by the place of the stretch that the gap is compared with
}

// pair compares a gap with another stretch of the turn, on all threads, weighted by their time in both.
type pair struct {
	weight   float64
	measured float64 // the logarithm of the ratio between the times of executions outside of the gap and in it
	computed float64 // the expected additional time, from the number of events and their costs, relative to the geometric mean of both times
}

// Measured is the time that recording takes, relative to the time without it.
type Measured struct {
	Gaps     int     // the number of compared gaps
	Share    float64 // measured by gaps
	Within   float64 // the 95 % confidence interval of Share
	Computed float64 // computed from the number of events and their costs
}

const (
	maxRounds  = 2400 // the number of recent turns that are kept
	maxTracked = 4096 // the number of threads whose last turns are kept
	fewRounds  = 8    // with fewer turns, the uncertainty of the result is unknown
	manyRounds = 20   // with fewer turns, costs are not corrected

	surely       = 0.33 // the largest relative error of the factor
	leastFactor  = 0.25
	largestOther = 64 // the upper limit of the factor; it is large because, if every processor is busy, waking the collector costs more than handling a few events
)

// Add adds a stretch of a thread. Stretches must be added in order.
func (g *Gaps) Add(thread string, s Stretch) {
	if s.Gap {
		g.Left += s.Executions
	}
	if s.Place == 0 || s.Executions == 0 || s.Time <= 0 { // the thread did nothing in the stretch, or was outside of turns
		return
	}
	t := g.threads[thread]
	if t == nil {
		if g.threads == nil || len(g.threads) == maxTracked {
			g.threads = map[string]*turn{}
		}
		t = &turn{}
		g.threads[thread] = t
	}
	if t.number != s.Turn {
		*t = turn{number: s.Turn, beside: t.beside[:0]}
	}
	if !s.Gap {
		t.beside = append(t.beside, s)
		if t.gap.Gap {
			g.compare(s, t.gap)
		}
		return
	}
	t.gap = s
	for _, beside := range t.beside {
		g.compare(beside, s)
	}
}

// compare compares a gap with another stretch. It is symmetric except for the sign of the result.
func (g *Gaps) compare(beside, gap Stretch) {
	with, without := float64(beside.Time)/float64(beside.Executions), float64(gap.Time)/float64(gap.Executions)
	events := float64(beside.Events) / float64(beside.Executions)
	p, weight := g.round(gap.Turn).pair(beside.Place), float64(beside.Time+gap.Time)
	p.weight += weight
	p.measured += (math.Log(with/without) - p.measured) * weight / p.weight
	p.computed += (events*g.Extra/math.Sqrt(with*without) - p.computed) * weight / p.weight
}

// round returns the round of a turn.
func (g *Gaps) round(turn uint32) *round {
	i, found := slices.BinarySearchFunc(g.rounds, turn, func(r round, turn uint32) int { return cmp.Compare(r.turn, turn) })
	if !found {
		if len(g.rounds) == maxRounds && i > 0 {
			g.rounds = slices.Delete(g.rounds, 0, 1)
			i--
		}
		g.rounds = slices.Insert(g.rounds, i, round{turn, map[uint32]*pair{}})
	}
	return &g.rounds[i]
}

func (r *round) pair(place uint32) *pair {
	p := r.pairs[place]
	if p == nil {
		p = &pair{}
		r.pairs[place] = p
	}
	return p
}

// Last returns the last turn that was compared.
func (g *Gaps) Last() uint32 {
	if len(g.rounds) == 0 {
		return 0
	}
	return g.rounds[len(g.rounds)-1].turn
}

// Measured returns the measurement of the turns after since.
func (g *Gaps) Measured(since uint32) Measured {
	var measured, computed []sample
	gaps := 0
	for i, r := range g.rounds {
		if r.turn <= since {
			continue
		}
		gaps++
		for _, p := range r.pairs {
			measured = append(measured, sample{i, p.measured, 1})
			computed = append(computed, sample{i, p.computed, 1})
		}
	}
	m := Measured{Gaps: gaps, Within: math.Inf(1)}
	share, low, high := fit(measured)
	m.Computed, _, _ = fit(computed)
	m.Computed *= math.Exp(share / 2) // relative to the time in gaps
	if m.Share = math.Expm1(share); gaps >= fewRounds {
		m.Within = max(m.Share-math.Expm1(low), math.Expm1(high)-m.Share)
	}
	return m
}

// Known reports whether the difference is larger than its uncertainty.
func (m Measured) Known() bool { return m.Share > m.Within }

// String returns the measurement in words.
func (m Measured) String() string {
	switch {
	case math.IsInf(m.Within, 1):
		return fmt.Sprintf("%d gaps without recording are too few to measure its time", m.Gaps)
	case !m.Known():
		return fmt.Sprintf("%d gaps do not show the time that recording takes within ±%.2g points; by counts and costs it is %s", m.Gaps, 100*m.Within, quantity.Share(m.Computed))
	}
	return fmt.Sprintf("recording took %s ± %.2g points of the time, measured with %d gaps; by counts and costs %s", quantity.Share(m.Share), 100*m.Within, m.Gaps, quantity.Share(m.Computed))
}

// Factor returns the ratio between the measured and the known cost of recording an event, and whether it is certain enough.
func (g *Gaps) Factor() (factor, within float64, sure bool) {
	var list []sample
	rounds := 0
	for i, r := range g.rounds {
		some := false
		for _, p := range r.pairs {
			if p.computed > 0 {
				some = true
				list = append(list, sample{i, 2 * math.Sinh(p.measured/2), p.computed}) // relative to the same mean
			}
		}
		if some {
			rounds++
		}
	}
	factor, low, high := fit(list)
	within = max(factor-low, high-factor)
	sure = rounds >= manyRounds && within <= surely*factor
	return min(max(factor, leastFactor), largestOther), within, sure
}

// Times returns the costs if recording an event costs factor times what is known.
func (c Cost) Times(factor float64) Cost {
	c.Recorded = c.Against + factor*(c.Recorded-c.Against)
	return c
}

// sample is a pair of numbers of a round. x is positive.
type sample struct {
	round int
	y, x  float64
}

// fit returns the factor by which x must be multiplied to give y, as the median, and its 95 % confidence interval. The median
// ignores a few samples disturbed by something else, such as a change of phase. Each sample has x votes for a larger or a smaller
// factor; the samples of one round share a gap and vote together, and rounds vote independently.
func fit(list []sample) (factor, low, high float64) {
	if len(list) == 0 {
		return 0, math.Inf(-1), math.Inf(1)
	}
	slices.SortFunc(list, func(a, b sample) int { return cmp.Compare(a.y/a.x, b.y/b.x) })
	all := 0.0
	for _, s := range list {
		all += s.x
	}
	factor = quantile(list, all/2)
	votes := map[int]float64{}
	for _, s := range list {
		switch {
		case s.y > factor*s.x:
			votes[s.round] += s.x
		case s.y < factor*s.x:
			votes[s.round] -= s.x
		}
	}
	squares := 0.0
	for _, v := range votes {
		squares += v * v
	}
	// Two standard deviations of the difference of votes are one standard deviation of the votes on one side.
	return factor, quantile(list, all/2-math.Sqrt(squares)), quantile(list, all/2+math.Sqrt(squares))
}

// quantile returns y/x at the given number of votes in a sorted list, or infinity if there are fewer votes.
func quantile(list []sample, votes float64) float64 {
	if votes <= 0 {
		return math.Inf(-1)
	}
	for _, s := range list {
		if votes -= s.x; votes <= 0 {
			return s.y / s.x
		}
	}
	return math.Inf(1)
}
