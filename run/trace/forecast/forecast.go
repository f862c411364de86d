// Package forecast predicts what another configuration would have recorded of a recorded run.
//
//	recorded.Trace ──Walk──▶ kind ──▶ thread ──Begin, Due, Allows, Decide, End──▶ trace.Unit
//	                                     └──▶ cells (region, event, unit), ctf.Footprint (bytes)
//
// It decides with the same engine as `trace decide` and the tests of agents. A question that the record cannot answer gives an error
// with the reason. Numbers that depend on time or on the order of threads are ranges.
package forecast

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Options describes what Simulate is to predict.
type Options struct {
	Was    *trace.Policy // the policy of the recorded run
	Policy *trace.Policy // the policy to predict
	Flush  time.Duration // as in `trace record`
	Cost   Cost
}

// Cost is the cost of events on a machine, in nanoseconds.
type Cost struct {
	Recorded float64 `json:"recorded_ns"`
	Against  float64 `json:"against_ns"` // decided against: by a rate, a unit, or because the event is off
	Off      float64 `json:"off_ns"`     // in a domain that is OFF or STANDBY
	Measured bool    `json:"measured"`   // whether it was measured on this machine; otherwise it is an estimate
}

// Typical returns the cost of events on recent machines.
func Typical() Cost { return Cost{Recorded: 35, Against: 3, Off: 2} }

// Forecast is the result of Simulate.
type Forecast struct {
	Version  int     `json:"version"`
	Program  string  `json:"program,omitempty"`
	Traced   uint64  `json:"traced"`
	Happened uint64  `json:"happened"`
	Bytes    int64   `json:"bytes"`    // the size of the streams
	Time     int64   `json:"time_ns"`  // the time that tracing takes, summed over all threads
	Overhead float64 `json:"overhead"` // the tracing time of the most affected thread, relative to the run's length without tracing
	Elapsed  int64   `json:"elapsed_ns"`
	Cost     Cost    `json:"cost"`

	Low  uint64 `json:"low"` // the lower bound of Traced, if it depends on time or on the order of threads
	High uint64 `json:"high"`

	Rows  []Row    `json:"rows"`  // by region, event, rank, team and thread
	Ranks []Rank   `json:"ranks"` // the number of events of each rank, by event
	Notes []string `json:"notes"` // what cannot be determined
}

// Row is an event of a region on a unit.
type Row struct {
	Region   string `json:"region"` // its name, or its address
	Where    string `json:"where,omitempty"`
	Domain   string `json:"domain"`
	Event    string `json:"event"`
	Rank     uint32 `json:"rank"`
	Team     uint32 `json:"team"`
	Thread   uint32 `json:"thread"`
	Traced   uint64 `json:"traced"`
	Happened uint64 `json:"happened"`
	First    uint32 `json:"first"` // the first traced execution, counted from 0, if any is traced
	Last     uint32 `json:"last"`
	Bytes    int64  `json:"bytes"` // of the events
	Time     int64  `json:"time_ns"`
	Low      uint64 `json:"low"`
	High     uint64 `json:"high"`

	Section string `json:"section,omitempty"` // the section of the configuration for the region; empty: it has none
	Every   uint32 `json:"every"`             // its rate
}

// Open reports whether the number of traced events depends on time or on the order of threads.
func (r *Row) Open() bool { return r.Low != r.High }

// Title returns the name of the region for people.
func (r *Row) Title() string {
	if r.Where != "" {
		return r.Where + " (" + r.Region + ")"
	}
	return r.Region
}

// Is reports whether the event or the region of a row has a name: the region's name, address, section,
// function or place in the source.
func (r *Row) Is(name string) bool {
	place, function, _ := strings.Cut(r.Where, " in ")
	return name == r.Event || name == r.Domain+"."+r.Event || name == r.Region || name == r.Section ||
		r.Where != "" && (name == place || "`"+name+"`" == function || place == "in `"+name+"`")
}

// Rank is the number of events that a rank would have.
type Rank struct {
	Rank   uint32            `json:"rank"`
	Events map[string]uint64 `json:"events"`
}

// Simulate predicts what o.Policy would have recorded in a recorded run: it decides again about every event.
func Simulate(t *recorded.Trace, o Options) (*Forecast, error) {
	if why := missing(o.Was, o.Policy, false); why != nil {
		audited, err := hasAudit(t)
		if err != nil {
			return nil, err
		}
		if why := missing(o.Was, o.Policy, audited); why != nil {
			return nil, why
		}
	}
	s := newSimulation(&o)
	s.first, s.last = t.Start, t.Start
	if err := t.Walk(recorded.Handler{Any: s.take}); err != nil {
		return nil, err
	}
	for _, th := range t.Threads {
		if th.Lost > 0 {
			return nil, fmt.Errorf("%d events of %s were lost to full buffers, and what they were is not known; record the run again with `full = \"wait\"` in `[trace]` of pentode.toml", th.Lost, th.Name())
		}
	}
	f := s.result()
	f.Program = t.Program()
	return f, nil
}

// result sums up the decisions.
func (s *simulation) result() *Forecast {
	f := &Forecast{Version: 1, Cost: s.Cost, Elapsed: s.last - s.first, Ranks: []Rank{}, Notes: s.notes()}
	for _, p := range s.process {
		s.assignRank(p) // for processes whose rank is still unknown
	}
	f.Rows = make([]Row, 0, len(s.cells))
	ranks := map[uint32]map[string]uint64{}
	for key, c := range s.cells {
		r := s.row(key, c)
		f.Traced, f.Happened = f.Traced+r.Traced, f.Happened+r.Happened
		f.Low, f.High = f.Low+r.Low, f.High+r.High
		if ranks[r.Rank] == nil {
			ranks[r.Rank] = map[string]uint64{}
		}
		ranks[r.Rank][r.Event] += r.Traced
		f.Rows = append(f.Rows, r)
	}
	slices.SortFunc(f.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Where, b.Where), cmp.Compare(a.Region, b.Region), cmp.Compare(a.Event, b.Event),
			cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Team, b.Team), cmp.Compare(a.Thread, b.Thread))
	})
	for rank, events := range ranks {
		f.Ranks = append(f.Ranks, Rank{rank, events})
	}
	slices.SortFunc(f.Ranks, func(a, b Rank) int { return cmp.Compare(a.Rank, b.Rank) })
	for _, th := range s.threads {
		f.Bytes += th.footprint.Bytes()
		cost, was := s.Cost.of(th.traced, th.against, th.off), s.Cost.of(th.recorded, 0, 0)
		f.Time += int64(cost)
		if rest := float64(f.Elapsed) - was; rest > 0 {
			f.Overhead = max(f.Overhead, cost/rest)
		}
	}
	return f
}

// row returns a cell as a row with names.
func (s *simulation) row(key cellKey, c *cell) Row {
	region, unit := s.regions[key.region], s.units[key.unit]
	r := Row{
		Region: region.name, Where: region.where, Domain: s.catalog.Name(region.Domain), Event: s.catalog.Row(region.Domain, key.event).Name,
		Rank: unit.rank, Team: unit.team, Thread: unit.thread,
		Traced: c.traced, Happened: c.happened, First: c.first, Last: c.last, Bytes: c.bytes, Low: c.traced, High: c.traced,
		Section: region.section, Every: region.every,
	}
	r.Time = int64(s.Cost.of(c.traced, c.happened-c.traced-c.off, c.off))
	if s.open[region.Domain] || s.moving[region.Domain] && s.unordered {
		r.Low, r.High = 0, c.happened
	}
	return r
}

// of returns the cost of that many events.
func (c *Cost) of(recorded, against, off uint64) float64 {
	return c.Recorded*float64(recorded) + c.Against*float64(against) + c.Off*float64(off)
}
