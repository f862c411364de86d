package web

import (
	"fmt"
	"net/http"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
)

// policyAnswer lists the events that a trace configuration traces, as `trace decide --all` does.
type policyAnswer struct {
	Units  []string      `json:"units"` // kinds of units
	Traced []policyEntry `json:"traced"`
	More   int           `json:"more"` // sets left out
}

type policyEntry struct {
	trace.DecidedSet
	Often string         `json:"often"`
	Lines []decidedEntry `json:"lines"`
	Whole bool           `json:"whole"` // Lines has all lines that decide
}

// Limits of a policy.
const (
	maxSets      = 1000
	maxQuestions = 5000 // lookups of deciding lines, for all sets together
)

// policyView returns the events that a configuration traces on the units of a request, and the lines that decide.
func (s *Server) policyView(r *http.Request) (any, error) {
	path := r.FormValue("path")
	c, err := s.open().config(path)
	if err != nil {
		return nil, err
	}
	m, ok := lang.Model[*pinsight.Model](c)
	if !ok {
		return nil, fmt.Errorf("`%s` is a %s file; the policy view needs a trace configuration", path, c.Document.Language.Title)
	}
	if found := c.Diagnostics(); found.HasErrors() {
		return nil, brokenFile(path, found)
	}
	policy, err := m.Policy()
	if err != nil {
		return nil, err
	}
	within, err := policy.Catalog().Within(r.URL.Query()["unit"])
	if err != nil {
		return nil, guard.BadRequest(err.Error())
	}
	sets := policy.Decided(within)
	shown := sets[:min(len(sets), maxSets)]
	out := policyAnswer{Units: policy.Catalog().UnitNames(), Traced: []policyEntry{}, More: len(sets) - len(shown)}
	left := maxQuestions
	for i := range shown {
		e := policyEntry{DecidedSet: shown[i], Often: shown[i].Rate.Words(), Lines: []decidedEntry{}}
		answers, asked, whole := policy.Deciders(&shown[i], within, left)
		left, e.Whole = left-asked, whole
		for _, a := range answers {
			line := decidedEntry{Value: a.Value, Layer: a.Layer}
			if !a.Place.IsZero() {
				line.placeEntry = placeEntry{a.Place.File.Path(), a.Place.Position().Line}
			}
			e.Lines = append(e.Lines, line)
		}
		out.Traced = append(out.Traced, e)
	}
	return out, nil
}
