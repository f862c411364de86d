package forecast

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/trace"
)

// Window holds what threads recorded in a part of a live run.
type Window struct {
	Length  time.Duration
	Threads []Spent
	Rates   map[string]Rates // of every section with events, and of every section whose rate was changed
}

// Spent is what one thread recorded.
type Spent struct {
	Thread   string             // the name of the thread for people
	Recorded map[string]float64 // events by the section of their region; events with an empty section have no rate
	Lost     uint64             // events for which its buffer had no room
	Queued   time.Duration      // time waiting for a processor, which is not counted as the thread's time
}

// Rates are the configured rate of a section and its current one.
type Rates struct {
	Configured, Now uint64
	Call            float64 // the time in nanoseconds to call the tracer for an event, in addition to the cost of the event
}

// CallOf returns the time to call the tracer in a domain. Python's interpreter needs a long time for the call.
func CallOf(domain string) float64 {
	if domain == trace.Python {
		return 50
	}
	return 0
}

// Adjustment is a change of a rate, with its reason.
type Adjustment struct {
	Section  string
	From, To uint64
	Why      string
}

// Governor keeps tracing within a share of a run's time: its input is what was recorded, its output are rates. It multiplies the rates of the
// costliest regions if tracing takes more, and lowers the rates again if there has been room for a while.
type Governor struct {
	Share float64 // of the time of any thread without tracing
	Cost  Cost

	most map[string]uint64 // the largest rate that each section has had

	room     Window // the sum of the latest consecutive windows in which tracing took clearly less than the share
	roomy    int    // the number of these windows
	patience int    // the number of such windows needed before rates are lowered
	relaxed  bool   // whether the last change lowered rates
	skipNext bool   // whether the next window has events from before a change

	kept Kept
}

// Kept reports how far a share was kept.
type Kept struct {
	Windows int
	Over    int  // windows in which tracing took more
	Stuck   int  // windows among these in which changing a rate could not save a noticeable amount
	Worst   Load // the load of the worst window
}

// Load is the share of a thread's time that tracing takes.
type Load struct {
	Thread  string
	Share   float64
	Against float64 // the part for events that are decided against
	Fixed   float64 // the part for events without a rate
}

const (
	fullness    = 0.8 // the part of the share that a change aims for, so that a small increase does not cause another change
	roominess   = 0.5 // the part of the share available to events with a rate; below it there is room
	modesty     = 0.9 // the part of the usual aim that is the aim when rates are lowered
	minPatience = 3
	maxPatience = 64
	leastGain   = 0.001 // of the share: smaller savings are ignored
	leastPart   = 0.025 // of the cost of events decided against: smaller savings are ignored
)

// Next takes a window, and returns the changes that keep the share in similar windows, sorted by section.
func (g *Governor) Next(w Window) []Adjustment {
	if g.skipNext {
		g.skipNext = false
		return nil
	}
	g.kept.Windows++
	w = w.withLost()
	rates := map[string]uint64{}
	for section, r := range w.Rates {
		rates[section] = r.Now
	}
	now := g.worstOf(&w, rates)
	if now.Share > g.Share {
		g.roomy = 0
		return g.raiseRates(&w, rates, now)
	}
	if !g.hasRoom(&w, rates, now) {
		g.roomy = 0
		return nil
	}
	return g.lowerRates(&w, rates, now)
}

// hasRoom reports whether a rate could have been halved, even if tracing without a rate takes most of the share.
func (g *Governor) hasRoom(w *Window, rates map[string]uint64, now Load) bool {
	fixed := now.Against + now.Fixed
	if now.Share-fixed > roominess*(g.Share-fixed) {
		return false
	}
	for section, r := range w.Rates {
		if !r.raised() {
			continue
		}
		rates[section] = max(r.Configured, r.Now/2)
		enough := g.worstOf(w, rates).Share <= modesty*fullness*g.Share
		if rates[section] = r.Now; enough {
			return true
		}
	}
	return false
}

func (r Rates) raised() bool { return r.Now > r.Configured }

// Made tells the governor that these changes have been made.
func (g *Governor) Made(list []Adjustment) {
	if g.most == nil {
		g.most = map[string]uint64{}
	}
	for _, a := range list {
		g.most[a.Section] = max(g.most[a.Section], a.From, a.To)
		g.skipNext = true
	}
}

// Settings returns the rates that would have kept the share from the start: the largest rate of each section.
func (g *Governor) Settings() []Setting {
	var list []Setting
	for _, section := range slices.Sorted(maps.Keys(g.most)) {
		list = append(list, Setting{section + ".tracing_rate", fmt.Sprint(g.most[section])})
	}
	return list
}

// Kept returns how far the share has been kept so far.
func (g *Governor) Kept() Kept { return g.kept }

// raiseRates multiplies rates until every thread keeps the share, or nothing more can be saved.
func (g *Governor) raiseRates(w *Window, rates map[string]uint64, now Load) []Adjustment {
	if g.relaxed { // the rates were lowered too early
		g.patience = min(2*max(g.patience, minPatience), maxPatience)
		g.relaxed = false
	}
	for i := range w.Threads {
		for g.load(w, i, rates).Share > fullness*g.Share {
			section := g.costliest(w, i, rates)
			if section == "" {
				break
			}
			rates[section] *= 2
		}
	}
	list := g.changes(w, rates, fmt.Sprintf("tracing took %s of %s, more than %s", g.approximate(now.Share), now.Thread, quantity.Share(g.Share)))
	g.kept.Over++
	if len(list) == 0 {
		g.kept.Stuck++
		if now.Share > g.kept.Worst.Share {
			g.kept.Worst = now
		}
	}
	return list
}

// costliest returns the section that saves most on a thread if its rate is doubled, or "" if none saves a noticeable amount.
func (g *Governor) costliest(w *Window, thread int, rates map[string]uint64) string {
	best, gain := "", 0.0
	least := leastGain * g.Share * g.untracedTime(w, thread)
	for _, section := range slices.Sorted(maps.Keys(w.Threads[thread].Recorded)) {
		if section == "" || rates[section] >= maxRate {
			continue
		}
		happened := g.happened(w, thread, section)
		saved := happened / float64(rates[section]) / 2 * (g.Cost.Recorded - g.Cost.Against)
		if saved > max(gain, least, leastPart*happened*(g.Cost.Against+w.Rates[section].Call)) {
			best, gain = section, saved
		}
	}
	return best
}

// lowerRates lowers rates again if there has been room for a while, beginning with the rates that leave out most.
func (g *Governor) lowerRates(w *Window, rates map[string]uint64, now Load) []Adjustment {
	if g.roomy == 0 {
		g.room = Window{}
	}
	g.roomy++
	g.room.add(w)
	if g.roomy < max(g.patience, minPatience) {
		return nil
	}
	// On each thread, one more execution than recorded may have been in progress.
	all := g.room
	all.Threads = nil
	for _, t := range g.room.Threads {
		t.Recorded = maps.Clone(t.Recorded)
		for section, r := range w.Rates {
			if r.raised() {
				t.Recorded[section]++
			}
		}
		all.Threads = append(all.Threads, t)
	}
	raised := slices.DeleteFunc(slices.Sorted(maps.Keys(w.Rates)), func(s string) bool { return !w.Rates[s].raised() })
	slices.SortStableFunc(raised, func(a, b string) int { return cmp.Compare(rates[b], rates[a]) })
	for _, section := range raised {
		was := rates[section]
		for rate := w.Rates[section].Configured; rate < was; rate *= 2 {
			rates[section] = rate
			if g.worstOf(&all, rates).Share <= modesty*fullness*g.Share {
				break
			}
			rates[section] = was
		}
	}
	list := g.changes(w, rates, fmt.Sprintf("tracing took %s of %s, and there has been room within %s for %s", g.approximate(now.Share), now.Thread, quantity.Share(g.Share), quantity.Duration(all.Length)))
	if len(list) > 0 {
		g.relaxed, g.roomy = true, 0
	}
	return list
}

// changes returns the rates that have changed.
func (g *Governor) changes(w *Window, rates map[string]uint64, why string) []Adjustment {
	var list []Adjustment
	for _, section := range slices.Sorted(maps.Keys(rates)) {
		if was := w.Rates[section].Now; was != rates[section] {
			list = append(list, Adjustment{section, was, rates[section], why})
		}
	}
	return list
}

// worstOf returns the load of the thread with the largest load at these rates.
func (g *Governor) worstOf(w *Window, rates map[string]uint64) Load {
	worst := Load{Thread: "any thread"}
	for i := range w.Threads {
		if l := g.load(w, i, rates); l.Share > worst.Share {
			worst = l
		}
	}
	return worst
}

// load returns the load that tracing would have put on a thread at these rates.
func (g *Governor) load(w *Window, thread int, rates map[string]uint64) Load {
	l := Load{Thread: w.Threads[thread].Thread}
	rest := g.untracedTime(w, thread)
	for section := range w.Threads[thread].Recorded {
		happened := g.happened(w, thread, section)
		if section == "" {
			l.Fixed += happened * g.Cost.Recorded / rest
			continue
		}
		recorded := happened / float64(rates[section])
		l.Share += recorded * g.Cost.Recorded / rest
		l.Against += ((happened-recorded)*g.Cost.Against + happened*w.Rates[section].Call) / rest
	}
	l.Share += l.Against + l.Fixed
	return l
}

// happened returns the number of events of a section on a thread, including the events that its rate left out.
func (g *Governor) happened(w *Window, thread int, section string) float64 {
	n := w.Threads[thread].Recorded[section]
	if section == "" {
		return n
	}
	return n * float64(w.Rates[section].Now)
}

// untracedTime returns the time of a thread without tracing, in nanoseconds. If costs are uncertain, it keeps a reserve.
func (g *Governor) untracedTime(w *Window, thread int) float64 {
	cost := 0.0
	for section := range w.Threads[thread].Recorded {
		happened := g.happened(w, thread, section)
		recorded := happened
		if section != "" {
			recorded /= float64(w.Rates[section].Now)
		}
		cost += recorded*g.Cost.Recorded + (happened-recorded)*g.Cost.Against + happened*w.Rates[section].Call
	}
	length := max(w.Length-w.Threads[thread].Queued, w.Length/10) // in a shorter time, most events would come from another time
	return max(float64(length)-cost, float64(length)/10)
}

// withLost returns the window with the lost events, which are assumed to be distributed like the thread's other events.
func (w Window) withLost() Window {
	threads := w.Threads
	w.Threads = nil
	for _, t := range threads {
		taken := 0.0
		for _, n := range t.Recorded {
			taken += n
		}
		all := make(map[string]float64, len(t.Recorded))
		for section, n := range t.Recorded {
			all[section] = n * (1 + float64(t.Lost)/max(taken, 1))
		}
		w.Threads = append(w.Threads, Spent{Thread: t.Thread, Recorded: all, Queued: t.Queued})
	}
	return w
}

// add extends a window by the next one.
func (w *Window) add(next *Window) {
	w.Length += next.Length
	w.Rates = next.Rates
	for _, t := range next.Threads {
		i := slices.IndexFunc(w.Threads, func(s Spent) bool { return s.Thread == t.Thread })
		if i < 0 {
			w.Threads = append(w.Threads, Spent{Thread: t.Thread, Recorded: maps.Clone(t.Recorded), Queued: t.Queued})
			continue
		}
		w.Threads[i].Queued += t.Queued
		for section, n := range t.Recorded {
			w.Threads[i].Recorded[section] += n
		}
	}
}

// approximate returns a share with the precision of the known costs.
func (g *Governor) approximate(share float64) string {
	if g.Cost.Measured {
		return quantity.Share(share)
	}
	return "about " + quantity.Share(share)
}
