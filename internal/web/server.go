package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/internal/web/watch"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// Options is what the page shows, and what it may do.
type Options struct {
	Path      string // the folder, or a file in it
	Workspace *workspace.Workspace
	Host      suite.Host
	Machines  target.Machines // by which targets are compared
	ReadOnly  bool            // nothing is written, nothing is started
	Hosts     []string        // names besides those of loopback that the page may be asked by
	StateDir  string          // where runs are registered; empty: nowhere
	MaxSize   int64           // of a file, in bytes; 0: the usual limit

	// Runs is what the runs of the page have in common; nil: it starts none.
	Runs *runs.Options

	// Tests start others than package runs does.
	pipeline func(path string, log io.Writer) (watch.Pipeline, error)
	plan     func(path string, log io.Writer) (watch.Plan, error)
}

// streams counts the streams of all clients of one server.
type streams struct{ open atomic.Int32 }

// Server is the page of one folder.
type Server struct {
	opt     Options
	root    string // the folder
	fence   *guard.Fence
	guard   guard.Guard
	runs    *watch.List
	streams streams
	mux     *http.ServeMux
	slices  guard.Turns // to read parts of results
	wholes  guard.Turns // to read whole results

	timelines  *results.Timelines
	judgeLimit time.Duration
}

// changes refuses if nothing may be changed.
func (s *Server) changes() error {
	if s.opt.ReadOnly {
		return guard.Forbidden("the page is read-only; start `pentode serve` without --read-only to change things")
	}
	return nil
}

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
