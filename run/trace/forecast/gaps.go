package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
)

// Stretch is what a thread did in a gap, in which nothing that begins is recorded, or beside one.
type Stretch struct {
	Turn       uint32        // those of one turn are compared
	Place      uint32        // in the turn, from 1 on; 0: the time between turns, which is compared with nothing
	Gap        bool          // nothing that began was recorded
	Executions uint64        // of regions, that began
	Events     uint64        // that were recorded
	Time       time.Duration // of a processor; 0: it cannot be compared
}

// Gaps measures what recording takes of a run's time: executions take longer beside gaps than in them. A gap is compared with
// stretches of the same length and of the same turn only. An average over a longer time would not do: something that disturbs
// a program now and then is in every long time and in few short ones, so that most gaps would seem quicker.
//
// Which stretch of a turn is the gap is drawn by lot. Without a cost of recording, a gap is then slower than another stretch
// exactly as often as it is quicker, whatever the noise is like, and independently of all other turns, however long a
// disturbance lasts. What is said rests on that alone: it counts how often gaps are quicker.
type Gaps struct {
	Extra float64 // what it costs to record an event that would else be decided against, in nanoseconds, as far as that is known

	Left uint64 // executions that began in gaps

	threads map[string]*turn
	rounds  []round // by their turn
}

// turn is what a thread has done so far in a turn.
type turn struct {
	number uint32
	gap    Stretch
	beside []Stretch
}

// round is a turn on all threads.
type round struct {
	turn  uint32
	pairs map[uint32]*pair // by the place of the stretch that the gap is compared with
}

// pair is a gap and another stretch, on all threads, which count by their time in both.
type pair struct {
	weight   float64
	measured float64 // the logarithm of how many times as long executions take beside the gap
	computed float64 // how much longer they would take by the number of events and what each costs, as a part of the mean of both, the geometric one
}

// Measured is what recording takes, as a share of the time without it.
type Measured struct {
	Gaps     int     // that were compared
	Share    float64 // by gaps
	Within   float64 // how far that may be from the truth, in 19 of 20 runs
	Computed float64 // by the number of events and what each costs
}

const (
	maxRounds  = 2400 // turns that are kept, the last ones
	maxTracked = 4096 // threads whose last turns are kept
	fewRounds  = 8    // with fewer nothing can be said of their spread
	manyRounds = 20   // with fewer costs are not corrected

	surely       = 0.33 // of the factor, that it may be wrong by
	leastFactor  = 0.25
	largestOther = 64 // where every processor computes, waking the collector costs more than the few events that it takes
)

// Add takes a stretch of a thread. They come in their order.
func (g *Gaps) Add(thread string, s Stretch) {
	if s.Gap {
		g.Left += s.Executions
	}
	if s.Place == 0 || s.Executions == 0 || s.Time <= 0 { // a thread that did nothing, or did it elsewhere, says nothing
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

// compare compares a gap with another stretch. All but the result is the same with the two exchanged, as if the other were the gap.
func (g *Gaps) compare(beside, gap Stretch) {
	with, without := float64(beside.Time)/float64(beside.Executions), float64(gap.Time)/float64(gap.Executions)
	events := float64(beside.Events) / float64(beside.Executions)
	p, weight := g.round(gap.Turn).pair(beside.Place), float64(beside.Time+gap.Time)
	p.weight += weight
	p.measured += (math.Log(with/without) - p.measured) * weight / p.weight
	p.computed += (events*g.Extra/math.Sqrt(with*without) - p.computed) * weight / p.weight
}

// round finds the round of a turn.
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

// Last is the last turn that was compared.
func (g *Gaps) Last() uint32 {
	if len(g.rounds) == 0 {
		return 0
	}
	return g.rounds[len(g.rounds)-1].turn
}

// Measured is what recording took after a turn.
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
	m.Computed *= math.Exp(share / 2) // of the time in gaps
	if m.Share = math.Expm1(share); gaps >= fewRounds {
		m.Within = max(m.Share-math.Expm1(low), math.Expm1(high)-m.Share)
	}
	return m
}

// Known reports whether there is a difference at all that is larger than its uncertainty.
func (m Measured) Known() bool { return m.Share > m.Within }

// String says it in words.
func (m Measured) String() string {
	switch {
	case math.IsInf(m.Within, 1):
		return fmt.Sprintf("%d gaps without recording are too few to say what it takes", m.Gaps)
	case !m.Known():
		return fmt.Sprintf("in %d gaps what recording takes is not determinable within ±%.2g points; by counts and costs it is %s", m.Gaps, 100*m.Within, quantity.Share(m.Computed))
	}
	return fmt.Sprintf("recording took %s ± %.2g points of the time, by %d gaps without it; by counts and costs %s", quantity.Share(m.Share), 100*m.Within, m.Gaps, quantity.Share(m.Computed))
}

// Factor is by how much recording an event costs more than is known, and whether the gaps so far say so surely enough.
func (g *Gaps) Factor() (factor, within float64, sure bool) {
	var list []sample
	rounds := 0
	for i, r := range g.rounds {
		some := false
		for _, p := range r.pairs {
			if p.computed > 0 {
				some = true
				list = append(list, sample{i, 2 * math.Sinh(p.measured/2), p.computed}) // a part of the same mean
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

// Times is what events cost where recording one costs so many times what it is known to.
func (c Cost) Times(factor float64) Cost {
	c.Recorded = c.Against + factor*(c.Recorded-c.Against)
	return c
}

// sample is a pair of numbers of a round. x is positive.
type sample struct {
	round int
	y, x  float64
}

// fit is the number by which x is to be multiplied to be y, in the median, and between which numbers it is in 19 of 20 cases.
// A few samples that something else has disturbed, such as a change of phase, do not count. Each sample has x votes for a larger
// or a smaller number; those of one round are of one gap and vote together, rounds vote independently.
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
	// Two standard deviations of the difference of votes are one of those on one side.
	return factor, quantile(list, all/2-math.Sqrt(squares)), quantile(list, all/2+math.Sqrt(squares))
}

// quantile is y/x of a sorted list where so many votes are below it, and infinite where there are not as many.
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
