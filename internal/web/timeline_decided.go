package web

import (
	"errors"
	"io/fs"
	"net/http"
	"path"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/runs/traced"
)

// decidedEntry is one setting of the configuration that led to tracing an event.
type decidedEntry struct {
	About string `json:"about"`
	Value string `json:"value"`
	Layer string `json:"layer"`
	At    string `json:"at,omitempty"` // FILE:LINE:COLUMN; empty: no line decided
	placeEntry
}

// timelineDecided returns the lines that led to tracing the first event of a span.
func (s *Server) timelineDecided(req *http.Request) (any, error) {
	e, x, err := s.opened(req)
	if err != nil {
		return nil, err
	}
	f, err := spanBy(req, x)
	if err != nil {
		return nil, err
	}
	files := results.NewFiles(e.Record)
	config, err := configOf(e.Record, files, e.Path)
	if err != nil {
		return nil, err
	}
	track, label := x.Tracks[f.Track], x.Labels[x.Label(f)]
	list, err := traced.DecidedBy(s.opt.Workspace, config, traced.RecordedEvent{Files: files, Dir: e.Path, PID: track.PID, TID: track.TID, Name: label.Event, Time: x.Start + f.Begin})
	if err != nil {
		return nil, err
	}
	out := []decidedEntry{}
	for _, d := range list {
		entry := decidedEntry{About: d.About, Value: d.Value, Layer: d.Layer}
		if !d.Place.IsZero() {
			entry.At = d.Place.String()
			entry.placeEntry = s.placeOf(e.Record, entry.At)
			entry.At = filepath.Base(config.Path()) + entry.At[len(config.Path()):]
		}
		out = append(out, entry)
	}
	return out, nil
}

// configOf returns the configuration that a run was traced with: the copy beside the trace, under the path of the file that the run read.
func configOf(rec *record.Record, files *results.Files, trace string) (*source.File, error) {
	name := path.Join(path.Dir(trace), traced.ConfigFile)
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, errors.New("the lines that decided are unknown: the run wrote no `" + traced.ConfigFile + "` beside the trace")
	}
	hash := record.Hash(string(text))
	for _, f := range rec.Files {
		if f.Hash == hash {
			return source.NewFile(f.Path, string(text)), nil
		}
	}
	return source.NewFile(filepath.Join(rec.Out, filepath.FromSlash(name)), string(text)), nil
}
