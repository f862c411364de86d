package forecast

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Stretch is what a thread did in a gap, in which nothing that begins is recorded, or between two gaps.
type Stretch struct {
	Number     uint32        // odd ones are gaps
	Executions uint64        // of regions, that began
	Events     uint64        // that were recorded
	Time       time.Duration // of a processor; 0: it cannot be compared
}

// Gaps measures what recording takes of a run's time: executions take longer between gaps than in them. Each gap is compared
// with what is on both sides of it, so that a program that becomes slower or faster does not count.
type Gaps struct {
	Extra float64 // what it costs to record an event that would else be decided against, in nanoseconds, as far as that is known

	Left uint64 // executions that began in gaps

	threads map[string]*neighbours
	rounds  []round // by their number
}

// neighbours are the last stretches of a thread: one between gaps, and the gap behind it.
type neighbours struct{ before, gap Stretch }

// round is one gap on all threads, which count by their time in it.
type round struct {
	number   uint32
	weight   float64
	measured float64 // what recording takes, as a share of the time without it
	computed float64 // the same by the number of events and what each costs
}

// Measured is what recording takes, as a share of the time without it.
type Measured struct {
	Gaps     int     // that were compared
	Share    float64 // by gaps
	Within   float64 // how far that may be from the truth, in 19 of 20 runs
	Computed float64 // by the number of events and what each costs
}

const (
	maxRounds  = 2400 // gaps that are kept, the last ones
	maxTracked = 4096 // threads whose last stretches are kept
	fewRounds  = 8    // with fewer nothing can be said of their spread
	manyRounds = 20   // with fewer costs are not corrected

	// The median of normal errors is 1.25 times as uncertain as their mean; their deviation is 1.48 times the median of what is left.
	uncertain = 2 * 1.2533 * 1.4826

	surely       = 0.25 // of the factor, that it may be wrong by
	leastFactor  = 0.25
	largestOther = 8
)

// Add takes a stretch of a thread. They come in their order.
func (g *Gaps) Add(thread string, s Stretch) {
	n := g.threads[thread]
	if n == nil {
		if g.threads == nil || len(g.threads) == maxTracked {
			g.threads = map[string]*neighbours{}
		}
		n = &neighbours{}
		g.threads[thread] = n
	}
	if s.Number&1 == 1 {
		g.Left += s.Executions
		n.gap = s
		return
	}
	g.compare(n.before, n.gap, s)
	n.before, n.gap = s, Stretch{}
}

// compare compares a gap with its neighbours. A thread that did nothing in one of them, or did it elsewhere, says nothing.
func (g *Gaps) compare(before, gap, after Stretch) {
	if before.Executions == 0 || gap.Executions == 0 || after.Executions == 0 || before.Time <= 0 || gap.Time <= 0 || after.Time <= 0 {
		return
	}
	executions := float64(before.Executions + after.Executions)
	without := float64(gap.Time) / float64(gap.Executions)
	with := float64(before.Time+after.Time) / executions
	events := float64(before.Events+after.Events) / executions
	i, found := slices.BinarySearchFunc(g.rounds, gap.Number, func(r round, number uint32) int { return cmp.Compare(r.number, number) })
	if !found {
		g.rounds = slices.Insert(g.rounds, i, round{number: gap.Number})
	}
	r, weight := &g.rounds[i], float64(gap.Time)
	r.weight += weight
	r.measured += (with/without - 1 - r.measured) * weight / r.weight
	r.computed += (events*g.Extra/without - r.computed) * weight / r.weight
	if len(g.rounds) > maxRounds {
		g.rounds = slices.Delete(g.rounds, 0, len(g.rounds)-maxRounds)
	}
}

// Last is the number of the last gap that was compared.
func (g *Gaps) Last() uint32 {
	if len(g.rounds) == 0 {
		return 0
	}
	return g.rounds[len(g.rounds)-1].number
}

// Measured is what recording took in the gaps behind one.
func (g *Gaps) Measured(since uint32) Measured {
	var one, measured, computed []float64
	for _, r := range g.rounds {
		if r.number > since {
			one, measured, computed = append(one, 1), append(measured, r.measured), append(computed, r.computed)
		}
	}
	m := Measured{Gaps: len(one), Within: math.Inf(1)}
	m.Computed, _ = fit(computed, one)
	share, within := fit(measured, one)
	if m.Share = share; m.Gaps >= fewRounds {
		m.Within = within
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
		return fmt.Sprintf("in %d gaps what recording takes is not determinable within ±%.2g points; by counts and costs it is %s", m.Gaps, 100*m.Within, Percent(m.Computed))
	}
	return fmt.Sprintf("recording took %s ± %.2g points of the time, by %d gaps without it; by counts and costs %s", Percent(m.Share), 100*m.Within, m.Gaps, Percent(m.Computed))
}

// Factor is by how much recording an event costs more than is known, and whether the gaps so far say so surely enough.
func (g *Gaps) Factor() (factor, within float64, sure bool) {
	var measured, computed []float64
	for _, r := range g.rounds {
		if r.computed > 0 {
			measured, computed = append(measured, r.measured), append(computed, r.computed)
		}
	}
	factor, within = fit(measured, computed)
	sure = len(computed) >= manyRounds && within <= surely*factor
	return min(max(factor, leastFactor), largestOther), within, sure
}

// Times is what events cost where recording one costs so many times what it is known to.
func (c Cost) Times(factor float64) Cost {
	c.Recorded = c.Against + factor*(c.Recorded-c.Against)
	return c
}

// fit is the number by which x is to be multiplied to be y, each in the median, and how far that may be from the truth: a few
// pairs that something else has disturbed, such as a change of phase, do not count. Each x is positive.
func fit(y, x []float64) (factor, within float64) {
	order := make([]int, len(x))
	weight, squares := 0.0, 0.0
	for i := range x {
		order[i] = i
		weight += x[i]
		squares += x[i] * x[i]
	}
	if len(x) == 0 {
		return 0, math.Inf(1)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(y[i]/x[i], y[j]/x[j]) })
	below := 0.0
	for _, i := range order {
		if below += x[i]; below >= weight/2 {
			factor = y[i] / x[i]
			break
		}
	}
	left := make([]float64, len(x))
	for i := range x {
		left[i] = math.Abs(y[i] - factor*x[i])
	}
	slices.Sort(left)
	return factor, uncertain * left[len(left)/2] / math.Sqrt(squares)
}
