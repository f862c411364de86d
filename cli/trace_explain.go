package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
)

func (a *app) traceExplainVerb() *cobra.Command {
	var q traceQuestion
	var record, at string
	cmd := &cobra.Command{
		Use:   "explain --lexgion ADDRESS --event EVENT FILE",
		Short: "Show the chain that decides whether an event is traced",
		Long: "Shows which line of which file decides whether an event of a region is traced on a unit. With --record and --at it is an event of a\n" +
			"recorded run, by the file of its stream and its number there, counted from 0: what let it through, and what kept out those next to\n" +
			"it. Without FILE that is the configuration that the run was recorded with.",
		Example: examples("pentode trace explain --lexgion 0x4010bd --event omp_work examples/trace/trace_config.txt", "pentode trace explain --record traced --at stream_4711_4711_0:12"),
		RunE: func(_ *cobra.Command, paths []string) error {
			if record != "" || at != "" {
				return a.explainRecorded(&q, record, at, paths)
			}
			if err := q.oneUnit(); err != nil {
				return err
			}
			c, err := a.traceCase(&q, paths)
			if err != nil {
				return err
			}
			x, err := c.policy.Explain(c.query)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s\n\n", verdict(&x))
			var table [][]string
			for _, r := range chain(&x) {
				table = append(table, r.cells())
			}
			a.columns(table)
			a.executed(c, q.count)
			a.sayOther(c, &q)
			return a.region(c)
		},
	}
	q.flags(cmd)
	cmd.Flags().StringVar(&record, "record", "", "the `DIR` of a run that `pentode trace run` has recorded")
	cmd.Flags().StringVar(&at, "at", "", "an event of the record: `STREAM:INDEX`")
	return a.reads(cmd, "pinsight")
}

// verdict is the answer as a sentence.
func verdict(x *trace.Explanation) string {
	switch x.Verdict {
	case trace.NotTracing:
		return "not traced: the domain's mode is " + x.Mode.Value
	case trace.EventOff:
		return "not traced: the event is off"
	case trace.OutsideUnit:
		return "not traced: this unit is not one of those that are"
	case trace.OutsideModule:
		return "not traced: the module is not one of those that are"
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

// question is what a row of an explanation answers.
type question string

const (
	aboutMode    question = "mode"
	aboutEvent   question = "event"
	aboutOver    question = "over" // what a layer above overrode
	aboutUnits   question = "units"
	aboutModules question = "modules"
	aboutStart   question = "start"
	aboutLimit   question = "limit"
	aboutRate    question = "rate"
)

// row is one answer of an explanation.
type row struct {
	about question
	trace.Answer
}

// chain is the explanation as rows.
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
		here, value := "not known without --module", "pass"
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

// cells is the row as the terminal shows it.
func (r row) cells() []string {
	if r.about == aboutOver {
		return []string{"", "over " + r.Value, r.Layer, r.Place.String()}
	}
	return []string{string(r.about), r.Value, r.Layer, r.Place.String()}
}

func (a *app) executed(c *traceCase, count uint32) {
	fmt.Fprintf(a.out, "executions traced: %s\n", firstOf(c.executions(count, maxShown+1), count))
}

// region says where the region is, if the program was given.
func (a *app) region(c *traceCase) error {
	program, err := a.files.options.program.open()
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
	_, err = fmt.Fprintf(a.out, "region 0x%x: %s of %s\n", c.query.Region.Address, where, filepath.Base(program.Path))
	return err
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
