package guard

import (
	"encoding/json"
	"errors"
	"net/http"
)

// Refusal is an error for the user of the page, with its HTTP status.
type Refusal struct {
	Status int
	Text   string
}

func (e *Refusal) Error() string { return e.Text }

// NotFound refuses what does not exist.
func NotFound(text string) error { return &Refusal{http.StatusNotFound, text} }

// BadRequest refuses parameters that cannot be right.
func BadRequest(text string) error { return &Refusal{http.StatusBadRequest, text} }

// Forbidden refuses what is not allowed.
func Forbidden(text string) error { return &Refusal{http.StatusForbidden, text} }

// Conflict refuses what is not possible now.
func Conflict(text string) error { return &Refusal{http.StatusConflict, text} }

// Refuse answers with an error. An error that is not a Refusal means that the request was valid, but could not be fulfilled.
func Refuse(w http.ResponseWriter, err error) {
	no := &Refusal{http.StatusUnprocessableEntity, err.Error()}
	errors.As(err, &no)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(no.Status)
	json.NewEncoder(w).Encode(map[string]string{"error": no.Text})
}
