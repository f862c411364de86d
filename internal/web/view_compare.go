package web

import (
	"net/http"
	"slices"

	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/compare"
	"github.com/pentode-dev/pentode/runs/record"
)

// compareAnswer has the differences between two recorded runs, with the keys of `runs diff --format json`.
type compareAnswer struct {
	A        recordEntry      `json:"a"`
	B        recordEntry      `json:"b"`
	Settings []changeEntry    `json:"settings"`
	Derived  int              `json:"derived"`
	Others   []string         `json:"others"`
	Results  []comparedEntry  `json:"results"` // the first results that differ, except measured ones
	Figures  []compare.Figure `json:"figures"`
	Differ   int              `json:"differ"` // the number of such results
	Equal    int              `json:"equal"`
	Measured int              `json:"measured"`
	Traces   []string         `json:"traces"` // traces that both runs have
}

// comparedEntry is a result that differs.
type comparedEntry struct {
	compare.Result
	Causes []causeEntry `json:"causes"`
	Shows  string       `json:"shows,omitempty"` // as in results.Entry
	Series string       `json:"series"`
}

type causeEntry struct {
	compare.Cause
	placeEntry
}

// compareView compares two runs of the folder.
func (s *Server) compareView(req *http.Request) (any, error) {
	a, err := s.record(req.FormValue("run"))
	if err != nil {
		return nil, err
	}
	b, err := s.record(req.FormValue("with"))
	if err != nil {
		return nil, err
	}
	others, err := record.Store{Dir: s.opt.StateDir}.List()
	if err != nil {
		return nil, err
	}
	done, err := s.wholes.Take(req.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	d := compare.Runs(a, b, others)
	out := compareAnswer{
		A: entryOfRecord(a), B: entryOfRecord(b), Settings: s.changesOf(a, b, d.Settings), Derived: d.Derived,
		Others: append([]string{}, d.Others...), Results: []comparedEntry{}, Figures: append([]compare.Figure{}, d.Figures...),
	}
	theirs := results.Traces(b)
	out.Traces = slices.DeleteFunc(results.Traces(a), func(name string) bool { return !slices.Contains(theirs, name) })
	for _, r := range d.Results {
		switch r.State {
		case compare.Equal:
			out.Equal++
			continue
		case compare.Measured:
			out.Measured++
			continue
		}
		if out.Differ++; out.Differ > results.MaxListed {
			continue
		}
		e := comparedEntry{Result: r, Causes: []causeEntry{}, Shows: results.ShowsAs(r.Path), Series: runs.Numberless(r.Path)}
		for _, c := range r.Causes {
			e.Causes = append(e.Causes, causeEntry{c, s.placeOf(b, c.At)})
		}
		out.Results = append(out.Results, e)
	}
	return out, nil
}
