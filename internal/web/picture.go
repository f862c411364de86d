package web

import (
	"net/http"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/flow"
)

// shown is what a process of a pipeline shows.
func (s *Server) shown(r *http.Request) (flow.Picture, error) {
	run, err := s.runs.find(r.URL.Query().Get("run"))
	if err != nil {
		return flow.Picture{}, err
	}
	if run.pipeline == nil {
		return flow.Picture{}, guard.NotFound("a launch plan has no pictures")
	}
	p, err := run.pipeline.Picture(r.URL.Query().Get("process"))
	if err != nil {
		return flow.Picture{}, guard.NotFound(err.Error())
	}
	return p, nil
}

// pictureView is the picture itself; only an image may be the source of one.
func (s *Server) pictureView(w http.ResponseWriter, r *http.Request) {
	p, err := s.shown(r)
	if err != nil {
		guard.Refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Write(p.PNG)
}

// wordsView is the words around a picture.
func (s *Server) wordsView(r *http.Request) (any, error) {
	p, err := s.shown(r)
	p.PNG = nil
	return p, err
}
