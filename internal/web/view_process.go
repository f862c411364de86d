package web

import (
	"net/http"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/flow"
)

// processView returns the programs of a run.
func (s *Server) processView(r *http.Request) (any, error) {
	run, err := s.runs.Find(r.FormValue("run"))
	if err != nil {
		return nil, err
	}
	return run.Programs(r.Context()), nil
}

// visiView returns the data of a visualisation of a run.
func (s *Server) visiView(r *http.Request) (any, error) {
	return s.runs.Visi(r.Context(), r.FormValue("run"), r.FormValue("visi"), r.FormValue("metric"))
}

// shown returns the picture that a process of a pipeline shows.
func (s *Server) shown(r *http.Request) (flow.Picture, error) {
	run, err := s.runs.Find(r.FormValue("run"))
	if err != nil {
		return flow.Picture{}, err
	}
	return run.Picture(r.FormValue("process"))
}

// pictureView serves the picture itself, as the source of an <img> element.
func (s *Server) pictureView(w http.ResponseWriter, r *http.Request) {
	p, err := s.shown(r)
	if err != nil {
		guard.Refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Write(p.PNG)
}

// wordsView returns the texts around a picture.
func (s *Server) wordsView(r *http.Request) (any, error) {
	p, err := s.shown(r)
	p.PNG = nil
	return p, err
}
