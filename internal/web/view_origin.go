package web

import (
	"net/http"

	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/runs/origin"
	"github.com/pentode-dev/pentode/runs/record"
)

// originAnswer describes the origin of a result, with the keys of `origin --format json`.
type originAnswer struct {
	Process  string         `json:"process"` // empty: unknown
	Edge     string         `json:"edge"`
	Way      []string       `json:"way"`
	Settings []originEntry  `json:"settings"` // settings of the processes before settings of the whole run
	More     int            `json:"more"`     // number of settings left out
	Inputs   []origin.Input `json:"inputs"`
	Parents  []string       `json:"parents"`
	Missing  []string       `json:"missing"`
}

type originEntry struct {
	origin.Setting
	placeEntry
}

// maxOrigin is the maximum number of settings shown for an origin.
const maxOrigin = 1000

// originView returns the origin of a result in the record of a run: every setting that mattered, then and now.
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
