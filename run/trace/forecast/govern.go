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

// Window is what threads recorded in a part of a run that goes on.
type Window struct {
	Length  time.Duration
	Threads []Spent
	Rates   map[string]Rates // of every section that threads have, and of every one whose rate was changed
}

// Spent is what one thread recorded.
type Spent struct {
	Thread   string             // what a person calls it
	Recorded map[string]float64 // events by the section of their region; those of an empty one have no rate
	Lost     uint64             // events that its full buffer had no room for
	Queued   time.Duration      // for a processor that others had, which is none of its time
}

// Rates are the rate of a section as the configuration has it, and as it is now.
type Rates struct {
	Configured, Now uint64
	Call            float64 // what it takes to call the tracer for an event, besides what the event costs, in nanoseconds
}

// CallOf is what it takes to call the tracer in a domain. The interpreter of Python takes long for it.
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

// Governor keeps tracing within a share of a run's time: what was recorded goes in, and rates come out. It multiplies the
// rates of the costliest regions where tracing takes more, and takes that back where there has been room for a while.
type Governor struct {
	Share float64 // of the time of any thread, without tracing
	Cost  Cost

	most map[string]uint64 // the largest rate that each section had

	room     Window // windows in a row with room, added up
	roomy    int    // how many these are
	patience int    // how many it takes
	relaxed  bool   // the last change was one for more events
	settling bool   // the next window has events from before a change

	kept Kept
}

// Kept is how far a share was kept.
type Kept struct {
	Windows int
	Over    int  // that took more
	Stuck   int  // of these, in which no change of a rate saved anything to speak of
	Worst   Load // of these
}

// Load is what tracing takes of the time of a thread.
type Load struct {
	Thread  string
	Share   float64
	Against float64 // of it for events that are decided against
	Fixed   float64 // of it for events without a rate
}

const (
	fullness    = 0.8 // of the share, which a change aims at: a little more does not lead to the next one
	roominess   = 0.5 // of what the share leaves for events with a rate, below which there is room
	modesty     = 0.9 // of what a change for fewer events aims at, which one for more does
	minPatience = 3
	maxPatience = 64
	leastGain   = 0.001 // of the share: a change that saves less is none
	leastPart   = 0.025 // of what events cost that are decided against: likewise
)

// Next takes a window, and returns the changes that keep the share in windows like it, in the order of their sections.
func (g *Governor) Next(w Window) []Adjustment {
	if g.settling {
		g.settling = false
		return nil
	}
	g.kept.Windows++
	w = w.whole()
	rates := map[string]uint64{}
	for section, r := range w.Rates {
		rates[section] = r.Now
	}
	now := g.worstOf(&w, rates)
	if now.Share > g.Share {
		g.roomy = 0
		return g.raise(&w, rates, now)
	}
	if !g.hasRoom(&w, rates, now) {
		g.roomy = 0
		return nil
	}
	return g.relax(&w, rates, now)
}

// hasRoom reports whether a rate could have been half of what it is: what no rate changes may take most of the share.
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

// Made takes note of changes that have been made.
func (g *Governor) Made(list []Adjustment) {
	if g.most == nil {
		g.most = map[string]uint64{}
	}
	for _, a := range list {
		g.most[a.Section] = max(g.most[a.Section], a.From, a.To)
		g.settling = true
	}
}

// Settings are the rates that would have kept the share from the start: the largest that each section had.
func (g *Governor) Settings() []Setting {
	var list []Setting
	for _, section := range slices.Sorted(maps.Keys(g.most)) {
		list = append(list, Setting{section + ".tracing_rate", fmt.Sprint(g.most[section])})
	}
	return list
}

// Kept is how far the share was kept so far.
func (g *Governor) Kept() Kept { return g.kept }

// raise multiplies rates until every thread keeps the share, or nothing more is saved.
func (g *Governor) raise(w *Window, rates map[string]uint64, now Load) []Adjustment {
	if g.relaxed { // it was too early
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
	list := g.changes(w, rates, fmt.Sprintf("tracing took %s of %s, more than %s", g.about(now.Share), now.Thread, quantity.Share(g.Share)))
	g.kept.Over++
	if len(list) == 0 {
		g.kept.Stuck++
		if now.Share > g.kept.Worst.Share {
			g.kept.Worst = now
		}
	}
	return list
}

// costliest is the section whose rate saves most on a thread where it is doubled; empty: none saves anything to speak of.
func (g *Governor) costliest(w *Window, thread int, rates map[string]uint64) string {
	best, gain := "", 0.0
	least := leastGain * g.Share * g.rest(w, thread)
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

// relax lowers rates again, those first that leave out most, once there has been room for a while.
func (g *Governor) relax(w *Window, rates map[string]uint64, now Load) []Adjustment {
	if g.roomy == 0 {
		g.room = Window{}
	}
	g.roomy++
	g.room.add(w)
	if g.roomy < max(g.patience, minPatience) {
		return nil
	}
	// An execution more than was recorded may have been on its way on each thread.
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
	list := g.changes(w, rates, fmt.Sprintf("tracing took %s of %s, and there has been room within %s for %s", g.about(now.Share), now.Thread, quantity.Share(g.Share), quantity.Duration(all.Length)))
	if len(list) > 0 {
		g.relaxed, g.roomy = true, 0
	}
	return list
}

// changes are the rates that are not what they were.
func (g *Governor) changes(w *Window, rates map[string]uint64, why string) []Adjustment {
	var list []Adjustment
	for _, section := range slices.Sorted(maps.Keys(rates)) {
		if was := w.Rates[section].Now; was != rates[section] {
			list = append(list, Adjustment{section, was, rates[section], why})
		}
	}
	return list
}

// worstOf is the load of the thread with most, at these rates.
func (g *Governor) worstOf(w *Window, rates map[string]uint64) Load {
	worst := Load{Thread: "any thread"}
	for i := range w.Threads {
		if l := g.load(w, i, rates); l.Share > worst.Share {
			worst = l
		}
	}
	return worst
}

// load is what tracing would have taken of a thread at these rates.
func (g *Governor) load(w *Window, thread int, rates map[string]uint64) Load {
	l := Load{Thread: w.Threads[thread].Thread}
	rest := g.rest(w, thread)
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

// happened is how many events of a section a thread had: those that were left out too, as far as its rate says.
func (g *Governor) happened(w *Window, thread int, section string) float64 {
	n := w.Threads[thread].Recorded[section]
	if section == "" {
		return n
	}
	return n * float64(w.Rates[section].Now)
}

// rest is the time of a thread without tracing, in nanoseconds. Where costs are not known well, some of it is left.
func (g *Governor) rest(w *Window, thread int) float64 {
	cost := 0.0
	for section := range w.Threads[thread].Recorded {
		happened := g.happened(w, thread, section)
		recorded := happened
		if section != "" {
			recorded /= float64(w.Rates[section].Now)
		}
		cost += recorded*g.Cost.Recorded + (happened-recorded)*g.Cost.Against + happened*w.Rates[section].Call
	}
	length := max(w.Length-w.Threads[thread].Queued, w.Length/10) // of less its events are mostly of another time
	return max(float64(length)-cost, float64(length)/10)
}

// whole is the window with the events that were lost, which are taken to be as the others of their thread.
func (w Window) whole() Window {
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

// add makes a window longer by the next one.
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

// about is a share that is known as well as costs are.
func (g *Governor) about(share float64) string {
	if g.Cost.Measured {
		return quantity.Share(share)
	}
	return "about " + quantity.Share(share)
}
