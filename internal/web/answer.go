package web

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/workspace"
)

// refusal is an error for the user of the page, with its status.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

// answering makes a handler of a function that returns what is sent as JSON.
func answering(answer func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		value, err := answer(r)
		if err != nil {
			var no *refusal
			if errors.As(err, &no) {
				refuse(w, no.status, no.text)
			} else {
				refuse(w, http.StatusUnprocessableEntity, err.Error())
			}
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		json.NewEncoder(w).Encode(value) // a client that is gone needs no answer
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": text})
}

// body reads the parameters of a change.
func body[T any](r *http.Request) (T, error) {
	var v T
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(&v)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return v, &refusal{http.StatusRequestEntityTooLarge, "the request is too long"}
	case err != nil:
		return v, &refusal{http.StatusBadRequest, "the request cannot be read"}
	}
	return v, nil
}

// changes refuses where nothing may be changed.
func (s *Server) changes() error {
	if s.opt.ReadOnly {
		return &refusal{http.StatusForbidden, "the page is read-only; start `pentode serve` without --read-only to change things"}
	}
	return nil
}

// unreadable is the sentence for a file that cannot be opened.
func (s *Server) unreadable(path string, err error) error {
	var unknown *workspace.UnknownLanguage
	if errors.As(err, &unknown) {
		return &refusal{http.StatusUnprocessableEntity, "it is not known which language `" + path + "` is"}
	}
	return &refusal{http.StatusNotFound, source.Explain(path, err)}
}
