package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/debuginfo"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
)

func (a *app) traceExplainVerb() *cobra.Command {
	var q traceQuestion
	cmd := &cobra.Command{
		Use:     "explain --lexgion ADDRESS --event EVENT FILE",
		Short:   "Show the chain that decides whether an event is traced",
		Example: examples("pentode trace explain --lexgion 0x4010bd --event omp_work examples/trace/trace_config.txt", "pentode trace explain --lexgion main.c:42 --event omp_work --elf app trace_config.txt"),
		RunE: func(_ *cobra.Command, paths []string) error {
			c, err := a.traceCase(&q, paths)
			if err != nil {
				return err
			}
			x, err := c.policy.Explain(c.query)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s\n\n", verdict(&x))
			a.columns(c.chain(&x))
			a.executed(c, q.count)
			return a.region(c)
		},
	}
	q.flags(cmd)
	return a.reads(cmd)
}

// verdict is the answer as a sentence.
func verdict(x *trace.Explanation) string {
	switch {
	case x.Mode.Value != trace.Tracing.String():
		return "not traced: the domain's mode is " + x.Mode.Value
	case x.Event[0].Value != "on":
		return "not traced: the event is off"
	case !x.Traced:
		return "not traced: this unit is not one of those that are"
	case x.Rate.Max == 0:
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

// chain is the explanation as rows.
func (c *traceCase) chain(x *trace.Explanation) [][]string {
	rows := [][]string{{"mode", x.Mode.Value, x.Mode.Layer, x.Mode.Place}}
	for i, e := range x.Event {
		head, over := "event", ""
		if i > 0 {
			head, over = "", "over "
		}
		rows = append(rows, []string{head, over + e.Value, e.Layer, e.Place})
	}
	for _, u := range x.Units {
		pass := "pass"
		if !u.Pass {
			pass = "fail"
		}
		rows = append(rows, []string{"units", pass, fmt.Sprintf("%s, here %d", u.Constraint, u.ID), u.Place})
	}
	for _, r := range []struct {
		name string
		trace.Answer
	}{{"start", x.Start}, {"limit", x.Max}, {"rate", x.Every}} {
		rows = append(rows, []string{r.name, r.Value, r.Layer, r.Place})
	}
	return rows
}

func (a *app) executed(c *traceCase, count uint32) {
	const most = 6
	traced := c.executions(count, most+1)
	text := numbers(traced[:min(len(traced), most)])
	switch {
	case len(traced) == 0:
		text = fmt.Sprintf("none of the first %d", count)
	case len(traced) > most:
		text += ", …"
	}
	fmt.Fprintf(a.out, "executions traced: %s\n", text)
}

// region says where the region is, if the program was given.
func (a *app) region(c *traceCase) error {
	path := a.files.options.program
	if path == "" || c.query.Region.Address == 0 {
		return nil
	}
	program, err := debuginfo.Open(path, debuginfo.Options{})
	if err != nil {
		return err
	}
	defer program.Close()
	where := pinsight.Where(program.Region(c.query.Region.Address))
	if c.byLine {
		where = pinsight.Where(program.Lookup(c.query.Region.Address))
	}
	if where == "" {
		where = "is in no function"
	}
	_, err = fmt.Fprintf(a.out, "region 0x%x: %s of %s\n", c.query.Region.Address, where, filepath.Base(path))
	return err
}

type jsonDecision struct {
	Version int       `json:"version"`
	Traced  []uint32  `json:"traced"`
	Count   uint32    `json:"count"`
	Why     []jsonWhy `json:"why"`
}

type jsonWhy struct {
	What   string `json:"what"`
	Key    string `json:"key"`
	Value  string `json:"value"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func (c *traceCase) decision(traced []uint32, count uint32) jsonDecision {
	out := jsonDecision{Version: 1, Traced: traced, Count: count, Why: []jsonWhy{}}
	x, err := c.policy.Explain(c.query)
	if err != nil {
		return out
	}
	for _, row := range c.chain(&x) {
		why := jsonWhy{What: row[0], Value: row[1], Key: row[2]}
		if why.What == "" {
			why.What, why.Value = "over", strings.TrimPrefix(row[1], "over ")
		}
		why.Path, why.Line, why.Column = splitPlace(row[3])
		out.Why = append(out.Why, why)
	}
	return out
}

// splitPlace cuts `path:line:column`.
func splitPlace(place string) (path string, line, column int) {
	j := strings.LastIndexByte(place, ':')
	if j < 0 {
		return place, 0, 0
	}
	i := strings.LastIndexByte(place[:j], ':')
	if i < 0 {
		return place, 0, 0
	}
	line, _ = strconv.Atoi(place[i+1 : j])
	column, _ = strconv.Atoi(place[j+1:])
	return place[:i], line, column
}
