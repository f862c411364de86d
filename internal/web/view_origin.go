package web

import (
	"net/http"

	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/runs/origin"
	"github.com/pentode-dev/pentode/runs/record"
)

// originAnswer is what made a result, with the words of `origin --format json`.
type originAnswer struct {
	Process  string         `json:"process"` // empty: it is not known
	Edge     string         `json:"edge"`
	Way      []string       `json:"way"`
	Settings []originEntry  `json:"settings"` // those of the processes first, then those of the whole run
	More     int            `json:"more"`     // settings that are not among them
	Inputs   []origin.Input `json:"inputs"`
	Parents  []string       `json:"parents"`
	Missing  []string       `json:"missing"`
}

type originEntry struct {
	origin.Setting
	placeEntry
}

// maxOrigin is how many settings of an origin the page shows.
const maxOrigin = 1000

// originView is what made a result that the record of a run names: every setting that mattered, as it was and as it is.
func (s *Server) originView(req *http.Request) (any, error) {
	r, err := s.record(req.FormValue("run"))
	if err != nil {
		return nil, err
	}
	f, err := results.Named(r, req.FormValue("path"))
	if err != nil {
		return nil, err
	}
	return s.originOf(r, f), nil
}

func (s *Server) originOf(r *record.Record, f record.Result) originAnswer {
	o := origin.Of(s.open().workspace, r, f)
	a := originAnswer{
		Process: o.Process, Edge: o.Edge, Way: append([]string{}, o.Way...), Settings: []originEntry{}, Inputs: append([]origin.Input{}, o.Inputs...),
		Parents: append([]string{}, r.Parents...), Missing: append([]string{}, o.Missing...), More: max(0, len(o.Settings)-maxOrigin),
	}
	for _, set := range o.Settings[:min(len(o.Settings), maxOrigin)] {
		a.Settings = append(a.Settings, originEntry{set, s.placeOf(r, set.At)})
	}
	return a
}
