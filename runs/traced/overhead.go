package traced

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/suite"
)

// Overhead says how tracing was kept within a share of a run's time.
type Overhead struct {
	Share    float64
	Measured bool   // the cost of an event was measured on this machine
	Log      string // the file with the log of rate changes
	Made     int    // the number of changes
	Kept     forecast.Kept
	// Gaps is the cost of recording since the last change of a rate, measured by gaps without recording; nil: no gaps.
	Gaps *forecast.Measured
	Left uint64 // executions that began in gaps, and are missing in the trace
	// Edit is the change to the configuration that would have had the same effect from the start; empty if no rate was changed.
	Edit []source.Change
}

const (
	overheadLog    = "overhead.log"
	overheadWindow = time.Second

	// A gap is long enough to contain executions that can be compared with others, and all gaps together are a small part of the run.
	OverheadGap   = 4 * time.Millisecond
	overheadGapIn = 100 * time.Millisecond
)

// overhead keeps the tracing of a program within a share of its time. Between two turns, the collector reports to it what threads have recorded.
type overhead struct {
	live     *liveTrace
	governor forecast.Governor
	begun    time.Time
	log      io.WriteCloser
	made     int
	cost     forecast.Cost  // measured before the run
	gaps     *forecast.Gaps // nil: there are none
	changed  uint32         // the gap in which rates were last changed
	failed   error          // the first error in writing the log
	refused  string         // why a change could not be made, as reported in the log

	of       *trace.Policy // the policy to which the sections belong
	sections map[regionOf]section
	rates    map[string]forecast.Rates // rates set in the configuration, by section
}

// regionOf identifies a region as the collector knows it.
type regionOf struct {
	domain  string
	address uint64
	name    string
	file    string // only for a Python function
}

// section has the name of a region in a configuration, and a title for people.
type section struct{ name, title string }

// newOverhead creates the log of changes in the folder of the trace.
func (l *liveTrace) newOverhead(share float64, gaps bool) (*overhead, error) {
	log, err := os.Create(filepath.Join(l.run.keep.Out, overheadLog))
	if err != nil {
		return nil, err
	}
	cost := Calibrated()
	l.within = &overhead{live: l, begun: time.Now(), log: log, cost: cost, governor: forecast.Governor{Share: share, Cost: cost}}
	if gaps {
		l.within.gaps = &forecast.Gaps{Extra: cost.Recorded - cost.Against}
	}
	return l.within, nil
}

// spent changes rates after a window if that is needed to keep the share.
func (o *overhead) spent(s *collect.Session, length time.Duration, threads []collect.Spent) {
	if o.gaps != nil {
		for _, t := range threads {
			for _, one := range t.Stretches {
				o.gaps.Add(threadName(&t), forecast.Stretch(one))
			}
		}
	}
	if !o.live.mu.TryLock() {
		return // a configuration or a large library is being read, and the rings must be emptied meanwhile
	}
	defer o.live.mu.Unlock()
	o.correct()
	list := o.governor.Next(o.window(length, threads))
	if len(list) == 0 {
		return
	}
	if err := o.live.adjust(s, list); err != nil {
		if why := err.Error(); o.refused != why { // report it once: the next window tries again
			o.refused = why
			o.say("nothing changes: %s", why)
		}
		return
	}
	o.governor.Made(list)
	o.measured()
	titles := o.titles()
	for _, a := range list {
		o.made++
		o.say("%s tracing_rate %d, was %d%s: %s", a.Section, a.To, a.From, titles[a.Section], a.Why)
	}
}

// correct replaces the assumed cost of an event by the cost that gaps show, if the two differ.
func (o *overhead) correct() {
	if o.gaps == nil {
		return
	}
	factor, within, sure := o.gaps.Factor()
	was, now := o.governor.Cost.Recorded, o.cost.Times(factor)
	if least := max(leastCorrection*was, within*(o.cost.Recorded-o.cost.Against)); !sure || math.Abs(now.Recorded-was) <= least {
		return
	}
	o.governor.Cost = now
	o.say("the assumed cost of a recorded event is now %.3g ns, was %.3g ns: gaps without recording show %.2g ± %.1g times the cost before the run", now.Recorded, was, factor, within)
}

// leastCorrection is the least relative change to the cost of an event.
const leastCorrection = 0.1

// measured logs what gaps have shown since rates were last changed, before they are changed again.
func (o *overhead) measured() {
	if o.gaps == nil {
		return
	}
	if m := o.gaps.Measured(o.changed); m.Gaps > 0 {
		o.say("%s", m)
	}
	o.changed = o.gaps.Last()
}

// threadName returns the name of a thread for people.
func threadName(t *collect.Spent) string {
	return fmt.Sprintf("thread %d of process %d", t.Thread, t.PID)
}

// window sums what threads have recorded, by the sections of a configuration.
func (o *overhead) window(length time.Duration, threads []collect.Spent) forecast.Window {
	if o.of != o.live.policy { // the configuration was read again, or more of the program is known
		known := o.sections
		o.of, o.sections, o.rates = o.live.policy, map[regionOf]section{}, map[string]forecast.Rates{}
		for at := range known {
			o.section(at)
		}
		maps.DeleteFunc(o.live.rates, func(name string, _ uint64) bool { return o.rates[name].Configured == 0 })
	}
	w := forecast.Window{Length: length, Rates: map[string]forecast.Rates{}}
	for _, t := range threads {
		recorded := map[string]float64{}
		for _, r := range t.Regions {
			recorded[o.section(regionOf{r.Domain, r.Address, r.Region, r.File}).name] += float64(r.Events)
		}
		w.Threads = append(w.Threads, forecast.Spent{Thread: threadName(&t), Recorded: recorded, Lost: t.Lost, Queued: t.Queued})
	}
	for name, rates := range o.rates {
		rates.Now = cmp.Or(o.live.rates[name], rates.Configured)
		w.Rates[name] = rates
	}
	return w
}

// section returns the section of a region. A region without a rate, or with a name that cannot be written, has no section.
func (o *overhead) section(at regionOf) section {
	found, known := o.sections[at]
	if known {
		return found
	}
	d, ok := o.of.Catalog().Domain(at.domain)
	if ok {
		region, where := trace.Region{Domain: d, Name: at.name}, (*recorded.Region)(nil)
		switch {
		case at.address != 0:
			where = o.live.run.regionAt(at.address)
			region = forecast.Placed(o.of, d, at.address, where)
		case at.file != "":
			region = forecast.Function(o.of, d, at.name, at.file)
		case at.domain == "CUDA" && forecast.OtherName(o.of, at.name):
			region.Name = "" // its section may belong to a caller that names the kernel differently
		}
		if name := forecast.Section(o.of, region, where); name != "" && o.live.run.ratable(name) {
			_, rate := o.of.Units(region, 0, nil)
			found = section{name: name}
			if text := where.Where(); text != "" {
				found.title = " (" + text + ")"
			}
			o.rates[name] = forecast.Rates{Configured: uint64(max(rate.Every, 1)), Call: forecast.CallOf(at.domain)}
		}
	}
	o.sections[at] = found
	return found
}

// titles returns the titles of sections.
func (o *overhead) titles() map[string]string {
	list := map[string]string{}
	for _, s := range o.sections {
		list[s.name] = s.title
	}
	return list
}

// say writes a line to the log, with the time since tracing began.
func (o *overhead) say(format string, args ...any) {
	_, err := fmt.Fprintf(o.log, "%8.3fs  %s\n", time.Since(o.begun).Seconds(), fmt.Sprintf(format, args...))
	o.failed = cmp.Or(o.failed, err)
}

// end closes the log and reports how the share was kept.
func (o *overhead) end() (*Overhead, error) {
	r := o.live.run
	result := &Overhead{
		Share: o.governor.Share, Measured: o.governor.Cost.Measured, Log: filepath.Join(r.keep.Out, overheadLog), Made: o.made, Kept: o.governor.Kept(),
	}
	if o.gaps != nil {
		m := o.gaps.Measured(o.changed)
		result.Gaps, result.Left = &m, o.gaps.Left
		o.measured()
	}
	if settings := o.governor.Settings(); len(settings) > 0 {
		edited, err := r.config.Edit(Assignments(settings)...)
		if err != nil {
			r.warn("the rates of `%s` cannot be written into the configuration: %s", result.Log, err)
		} else {
			result.Edit = edited.Changes
		}
	}
	if r.Config == "" {
		for i := range result.Edit {
			result.Edit[i].File = source.NewFile(suite.DefaultPolicy, "") // the next run reads this file
		}
	}
	if err := errors.Join(o.failed, o.log.Close()); err != nil {
		return result, fmt.Errorf("`%s` cannot be written: %w", result.Log, err)
	}
	return result, nil
}

// Assignments converts settings to assignments that edit a configuration.
func Assignments(list []forecast.Setting) []lang.Assignment {
	var all []lang.Assignment
	for _, s := range list {
		all = append(all, lang.Assignment(s))
	}
	return all
}

// adjust changes rates, in addition to earlier changes, over the active configuration.
func (l *liveTrace) adjust(s *collect.Session, list []forecast.Adjustment) error {
	next := &liveTrace{run: l.run, model: l.model, policy: l.policy, rates: maps.Clone(l.rates)}
	if next.rates == nil {
		next.rates = map[string]uint64{}
	}
	for _, a := range list {
		next.rates[a.Section] = a.To
	}
	policy, table, err := next.inForce()
	if err == nil {
		err = s.Adjust(policy, table)
	}
	if err == nil {
		l.rates = next.rates
	}
	return err
}

// inForce returns the active configuration with the rates of the budget over it, and its encoding for agents.
func (l *liveTrace) inForce() (*trace.Policy, []byte, error) {
	now := &liveTrace{run: l.run, model: l.model, policy: l.policy}
	if len(l.rates) > 0 {
		rates, err := l.run.rated(l.rates)
		if err == nil {
			_, err = now.over(rates)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	table, err := l.run.table(now.policy, now.model.Knobs())
	return now.policy, table, err
}

// ratable reports whether a section can be written, and gets its rate from what is written.
func (r *Run) ratable(name string) bool {
	_, err := r.rated(map[string]uint64{name: 1})
	return err == nil
}

// rated returns a configuration with only the rates of sections.
func (r *Run) rated(rates map[string]uint64) (*pinsight.Model, error) {
	empty, err := r.resolve("")
	if err != nil {
		return nil, err
	}
	var list []lang.Assignment
	for _, name := range slices.Sorted(maps.Keys(rates)) {
		list = append(list, lang.Assignment{Key: name + ".tracing_rate", Value: strconv.FormatUint(rates[name], 10)})
	}
	edited, err := empty.Edit(list...)
	if err != nil {
		return nil, err
	}
	model, err := modelOf(edited.Config)
	if err != nil {
		return nil, err
	}
	return model.Loaded(r.modules.code)[0], nil
}
