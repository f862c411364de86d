package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/trace"
)

// decideAll prints a whole configuration: for each region that it names, and for all others, the
// events that are traced and the units on which they are.
func (a *app) decideAll(q *traceQuestion, paths []string, format string) error {
	if q.lexgion != "" || q.event != "" {
		return errors.New("--all is about all regions and events: leave --lexgion and --event out")
	}
	_, config, err := a.read(paths, "pinsight")
	if err != nil {
		return err
	}
	if err := a.refuse(config.Diagnostics()); err != nil {
		return err
	}
	policy, err := policyOf(config)
	if err != nil {
		return err
	}
	within, err := policy.Catalog().Within(q.units)
	if err != nil {
		return err
	}
	list := policy.Decided(within)
	if format == "json" {
		return a.json(struct {
			Version int                `json:"version"`
			Traced  []trace.DecidedSet `json:"traced"`
		}{1, list})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.err, "nothing is traced")
		return nil
	}
	rows := [][]string{{"region", "units", "executions", "events"}}
	for i, d := range list {
		region := d.Region
		if i > 0 && list[i-1].Region == region {
			region = ""
		}
		rows = append(rows, []string{region, strings.Join(d.Units, " or "), d.Rate.Words(), shortened(d.Domain, d.Events)})
	}
	a.columns(rows)
	return nil
}

// shortened are events as a terminal has room for them.
func shortened(domain string, events []string) string {
	if len(events) <= 3 {
		return strings.Join(events, ", ")
	}
	return problem.Clip(fmt.Sprintf("%d of %s: %s", len(events), domain, strings.Join(events, ", ")), problem.Short)
}
