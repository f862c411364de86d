package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/columns"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/forecast"
)

// explainRecorded explains an event of a recorded run.
func (a *app) explainRecorded(q *traceQuestion, dir, at string, paths []string) error {
	colon := strings.LastIndexByte(at, ':')
	index, err := strconv.Atoi(at[colon+1:])
	switch {
	case dir == "" || at == "":
		return errors.New("--record and --at go together: the folder of a recorded run, and STREAM:INDEX of an event in it")
	case q.lexgion != "" || q.event != "":
		return errors.New("--at names the region and the event: leave --lexgion and --event out")
	case colon < 1 || err != nil || index < 0:
		return fmt.Errorf("--at takes STREAM:INDEX, for instance stream_4711_4711_0:12, not `%s`", at)
	}
	own := len(paths) == 0
	if own {
		file, err := ownConfiguration(dir)
		if err != nil {
			return err
		}
		paths = []string{file}
	}
	_, _, policy, err := a.tracePolicy(paths)
	if err != nil {
		return err
	}
	s, err := forecast.Locate(dir, policy, at[:colon], index)
	if err != nil {
		return a.no(err)
	}
	x, err := policy.Explain(s.Query)
	if err != nil {
		return err
	}
	a.spot(policy, s, &x, own)
	return nil
}

// spot prints an event, what decided about it, and what kept out its neighbours.
func (a *app) spot(p *trace.Policy, s *forecast.Spot, x *trace.Explanation, own bool) {
	out := visible.Below(a.out)
	name := p.Catalog().Row(s.Query.Region.Domain, s.Query.Event).Name
	where := s.Region
	if s.Where != "" {
		where = s.Where + " (" + s.Region + ")"
	}
	execution := ""
	if s.Numbered {
		execution = fmt.Sprintf(", execution %d", s.Execution)
	}
	fmt.Fprintf(out, "%s:%d: `%s` of %s%s, rank %d, team %d, thread %d: %s\n", s.Stream, s.Index, name, where, execution, s.Rank, s.Team, s.Thread, s.Name)
	fmt.Fprintf(out, "%s\n\n", verdict(x))
	var rows [][]string
	for _, r := range chain(x) {
		rows = append(rows, r.cells())
	}
	columns.Write(out, rows, "  ")
	if !own && s.Numbered && x.Verdict == trace.Traced {
		fmt.Fprintf(out, "execution %d is %s\n", s.Execution, tracedWord(p, s))
	}
	if rows := neighbours(p, s, x); len(rows) > 0 {
		fmt.Fprintf(out, "\nkept out next to it:\n")
		columns.Write(out, rows, "  ")
	}
}

func tracedWord(p *trace.Policy, s *forecast.Spot) string {
	for n := range p.Executions(s.Query.Region, s.Query.Event, s.Query.IDs, s.Execution+1) {
		if n == s.Execution {
			return "traced"
		}
	}
	return "left out by the rate"
}

// neighbours are the executions and the events of the region that are not in the record, each with
// what keeps it out.
func neighbours(p *trace.Policy, s *forecast.Spot, x *trace.Explanation) [][]string {
	var rows [][]string
	add := func(what string, by trace.Answer, key string) {
		rows = append(rows, []string{what, key + " = " + by.Value, by.Layer, by.Place.String()})
	}
	executions := func(from, to uint32) { // from one to below another
		if early := min(x.Rate.Start, to); from < early {
			add(span(from, early), x.Start, "trace_starts_at")
			from = early
		}
		if from < to && x.Rate.Every > 1 {
			add(span(from, to), x.Every, "tracing_rate")
		}
	}
	if s.Numbered && x.Verdict == trace.Traced {
		first := uint32(0)
		if s.Before != nil {
			first = *s.Before + 1
		}
		executions(first, s.Execution)
		switch {
		case s.After != nil:
			executions(s.Execution+1, *s.After)
		case x.Rate.Max != trace.Unlimited:
			add("executions behind the last", x.Max, "max_num_traces")
		}
	}
	c := p.Catalog()
	silent := 0
	for _, e := range c.Domains()[s.Query.Region.Domain].Events {
		other, err := p.Explain(trace.Query{Region: s.Query.Region, Event: e.ID, IDs: s.Query.IDs})
		if err != nil || e.ID == s.Query.Event || other.Verdict != trace.EventOff {
			continue
		}
		if other.Event[0].Place.IsZero() {
			silent++
			continue
		}
		add(e.Name, other.Event[0], e.Name)
	}
	if silent > 0 {
		rows = append(rows, []string{count(silent, "other event", "other events"), "off", "catalogue", ""})
	}
	return rows
}

// span is the executions from one to below another.
func span(from, to uint32) string {
	if to == from+1 {
		return fmt.Sprintf("execution %d", from)
	}
	return fmt.Sprintf("executions %d to %d", from, to-1)
}
