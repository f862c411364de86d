package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/forecast"
)

// explainDecision prints the chain of lines that decides about one event on one unit.
func (a *app) explainDecision(q *traceQuestion, paths []string) error {
	if q.several() {
		return errors.New("--explain explains one event on one unit: give one of each, or leave --explain out")
	}
	c, err := a.traceCase(q, paths)
	if err != nil {
		return err
	}
	x, err := c.policy.Explain(c.query)
	if err != nil {
		return err
	}
	a.line("%s", verdict(&x))
	fmt.Fprintln(a.out)
	var table [][]string
	for _, r := range chain(&x) {
		table = append(table, r.cells())
	}
	a.columns(table, chainKinds[:]...)
	a.executed(c, q.count)
	a.reportOtherDialect(c, q)
	return a.region(c)
}

// verdict returns the decision as a sentence.
func verdict(x *trace.Explanation) string {
	switch x.Verdict {
	case trace.NotTracing:
		return "not traced: the domain's mode is " + x.Mode.Value
	case trace.EventOff:
		return "not traced: the event is off"
	case trace.OutsideUnit:
		return "not traced: the configuration selects other units"
	case trace.OutsideModule:
		return "not traced: the configuration selects other modules"
	}
	if x.Rate.Max == 0 {
		return "not traced: max_num_traces is 0"
	}
	s := "traced: every execution"
	if x.Rate.Every > 1 {
		s = fmt.Sprintf("traced: 1 in %d executions", x.Rate.Every)
	}
	if x.Rate.Start > 0 {
		s += fmt.Sprintf(", from number %d on (counted from 0)", x.Rate.Start)
	}
	if x.Rate.Max != trace.Unlimited {
		s += fmt.Sprintf(", at most %d", x.Rate.Max)
	}
	return s
}

// question is the question that a row of an explanation answers.
type question string

const (
	aboutMode    question = "mode"
	aboutEvent   question = "event"
	aboutOver    question = "over" // a value that a higher layer overrode
	aboutUnits   question = "units"
	aboutModules question = "modules"
	aboutStart   question = "start"
	aboutLimit   question = "limit"
	aboutRate    question = "rate"
)

// JSONValues returns all questions, for the JSON Schema.
func (question) JSONValues() []string {
	return []string{string(aboutMode), string(aboutEvent), string(aboutOver), string(aboutUnits), string(aboutModules), string(aboutStart), string(aboutLimit), string(aboutRate)}
}

// row is one row of an explanation.
type row struct {
	about question
	trace.Answer
}

// chain returns the explanation as rows.
func chain(x *trace.Explanation) []row {
	rows := []row{{aboutMode, x.Mode}}
	for i, e := range x.Event {
		about := aboutEvent
		if i > 0 {
			about = aboutOver
		}
		rows = append(rows, row{about, e})
	}
	for _, u := range x.Units {
		pass := "pass"
		if !u.Pass {
			pass = "fail"
		}
		rows = append(rows, row{aboutUnits, trace.Answer{Layer: fmt.Sprintf("%s, here %d", u.Constraint, u.ID), Value: pass, Place: u.Place}})
	}
	if m := x.Modules; m != nil {
		here, value := "unknown without --module", "pass"
		if m.Module != "" {
			here = "`" + m.Module + "`"
		}
		if !m.Pass {
			value = "fail"
		}
		rows = append(rows, row{aboutModules, trace.Answer{Layer: fmt.Sprintf("%s = %s, here %s", trace.ModulesKey, m.Value, here), Value: value, Place: m.Place}})
	}
	return append(rows, row{aboutStart, x.Start}, row{aboutLimit, x.Max}, row{aboutRate, x.Every})
}

// chainKinds are the kinds of the columns of a chain.
var chainKinds = [...]columns.Kind{columns.Text, columns.Name, columns.Name, columns.Name}

// cells returns the row as shown on the terminal.
func (r row) cells() []string {
	if r.about == aboutOver {
		return []string{"", "over " + r.Value, r.Layer, r.Place.String()}
	}
	return []string{string(r.about), r.Value, r.Layer, r.Place.String()}
}

func (a *app) executed(c *traceCase, count uint32) {
	fmt.Fprintf(a.out, "executions traced: %s\n", firstOf(c.executions(count, maxShown+1), count))
}

// region prints the place of the region in the source, if the program was given.
func (a *app) region(c *traceCase) error {
	program, err := a.files.options.tracedProgram(c.project)
	if err != nil || program == nil || c.query.Region.Address == 0 {
		return err
	}
	defer program.Close()
	where := pinsight.Where(program.Region(c.query.Region.Address))
	if c.lineStart {
		where = pinsight.Where(program.Lookup(c.query.Region.Address))
	}
	if where == "" {
		where = "is in no function"
	}
	a.line("region 0x%x: %s of %s", c.query.Region.Address, where, filepath.Base(program.Path))
	return nil
}

type jsonDecision struct {
	Version int       `json:"version"`
	Traced  []uint32  `json:"traced"`
	Count   uint32    `json:"count"`
	Why     []jsonWhy `json:"why"`
}

type jsonWhy struct {
	What   question `json:"what"`
	Key    string   `json:"key"`
	Value  string   `json:"value"`
	Path   string   `json:"path"`
	Line   int      `json:"line"`
	Column int      `json:"column"`
}

func (c *traceCase) decision(traced []uint32, count uint32) jsonDecision {
	out := jsonDecision{Version: 1, Traced: traced, Count: count, Why: []jsonWhy{}}
	x, err := c.policy.Explain(c.query)
	if err != nil {
		return out
	}
	for _, r := range chain(&x) {
		why := jsonWhy{What: r.about, Value: r.Value, Key: r.Layer}
		if at := r.Place; !at.IsZero() {
			why.Path, why.Line, why.Column = at.File.Path(), at.Position().Line, at.Position().Column
		}
		out.Why = append(out.Why, why)
	}
	return out
}

// explainRecorded explains an event of a recorded run.
func (a *app) explainRecorded(q *traceQuestion, dir, at string, paths []string) error {
	colon := strings.LastIndexByte(at, ':')
	index, err := strconv.Atoi(at[colon+1:])
	switch {
	case dir == "" || at == "":
		return errors.New("--record and --at need each other: give the folder of a recorded run, and STREAM:INDEX of an event in it")
	case q.region != "" || q.event != "":
		return errors.New("--at already identifies the region and the event: leave --region and --event out")
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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		return a.no(err)
	}
	x, err := policy.Explain(s.Query)
	if err != nil {
		return err
	}
	a.spot(policy, s, &x, own)
	return nil
}

// spot prints an event, the decision about it, and why its neighbours are missing.
func (a *app) spot(p *trace.Policy, s *forecast.Spot, x *trace.Explanation, own bool) {
	name := p.Catalog().Row(s.Query.Region.Domain, s.Query.Event).Name
	where := s.Region
	if s.Where != "" {
		where = s.Where + " (" + s.Region + ")"
	}
	execution := ""
	if s.Numbered {
		execution = fmt.Sprintf(", execution %d", s.Execution)
	}
	a.line("%s:%d: `%s` of %s%s, rank %d, team %d, thread %d: %s", s.Stream, s.Index, name, where, execution, s.Rank, s.Team, s.Thread, s.Name)
	a.line("%s", verdict(x))
	fmt.Fprintln(a.out)
	var rows [][]string
	for _, r := range chain(x) {
		rows = append(rows, r.cells())
	}
	a.columns(rows, chainKinds[:]...)
	if !own && s.Numbered && x.Verdict == trace.Traced {
		a.line("execution %d is %s", s.Execution, tracedWord(p, s))
	}
	if rows := neighbours(p, s, x); len(rows) > 0 {
		fmt.Fprintf(a.out, "\nnot traced next to it:\n")
		a.columns(rows, columns.Name, columns.Name, columns.Name, columns.Name)
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

// neighbours lists the executions and events of the region that are not in the record, each with
// the reason.
func neighbours(p *trace.Policy, s *forecast.Spot, x *trace.Explanation) [][]string {
	var rows [][]string
	add := func(what string, by trace.Answer, key string) {
		rows = append(rows, []string{what, key + " = " + by.Value, by.Layer, by.Place.String()})
	}
	executions := func(from, to uint32) { // from inclusive, to exclusive
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
			add("executions after the last", x.Max, "max_num_traces")
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
		rows = append(rows, []string{quantity.Count(silent, "other event", "other events"), "off", "catalogue", ""})
	}
	return rows
}

// span formats the executions from one up to, but not including, another.
func span(from, to uint32) string {
	if to == from+1 {
		return fmt.Sprintf("execution %d", from)
	}
	return fmt.Sprintf("executions %d to %d", from, to-1)
}
