package web

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/runs/record"
)

// placeEntry is a place in a file of the page, as the run read it; empty: the file is outside of the folder.
type placeEntry struct {
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"`
}

// ours returns the recorded runs of the folder, the newest last.
func (s *Server) ours() ([]*record.Record, error) {
	if s.opt.StateDir == "" {
		return nil, nil
	}
	list, err := record.Store{Dir: s.opt.StateDir}.List()
	return slices.DeleteFunc(list, func(r *record.Record) bool { return !s.isOurs(r) }), err
}

// isOurs reports whether a run ran a file of the folder, or, if it ran no file, was started there.
func (s *Server) isOurs(r *record.Record) bool {
	if len(r.Paths) == 0 {
		_, inside := s.fence.Within(r.Folder)
		return inside
	}
	return slices.ContainsFunc(r.Paths, func(path string) bool { _, inside := s.fence.Within(path); return inside })
}

// record finds a run of the folder by its full name.
func (s *Server) record(name string) (*record.Record, error) {
	if s.opt.StateDir != "" {
		r, err := record.Store{Dir: s.opt.StateDir}.Open(name)
		if err == nil && r.ID == name && s.isOurs(r) {
			if r.Stage() == record.Running {
				r.Results = results.WrittenSoFar(r)
			}
			return r, nil
		}
	}
	return nil, guard.NotFound("no run `" + name + "` is recorded in this folder")
}

// placeOf converts a place FILE:LINE:COLUMN of a record to a place on the page.
func (s *Server) placeOf(r *record.Record, at string) placeEntry {
	words := strings.Split(at, ":")
	if len(words) < 3 {
		return placeEntry{}
	}
	line, err := strconv.Atoi(words[len(words)-2])
	path := strings.Join(words[:len(words)-2], ":")
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Folder, path)
	}
	name, inside := s.fence.Within(path)
	if err != nil || !inside {
		return placeEntry{}
	}
	return placeEntry{filepath.Join(s.root, name), line}
}
