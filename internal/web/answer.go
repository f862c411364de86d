package web

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/pentode-dev/pentode/internal/web/guard"
)

// answering makes a handler of a function that returns what is sent as JSON.
func answering(answer func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		value, err := answer(r)
		if err != nil {
			guard.Refuse(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		json.NewEncoder(w).Encode(value) // a client that is gone needs no answer
	}
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
		return v, &guard.Refusal{Status: http.StatusRequestEntityTooLarge, Text: "the request is too long"}
	case err != nil:
		return v, guard.BadRequest("the request cannot be read")
	}
	return v, nil
}
