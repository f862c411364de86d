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

// Options say what the page shows, and what it may do.
type Options struct {
	Path      string // the folder, or a file in it
	Workspace *workspace.Workspace
	Host      suite.Host
	Machines  target.Machines // known machines, to compare targets
	ReadOnly  bool            // nothing is written, nothing is started
	Hosts     []string        // host names, besides loopback, that requests may use
	StateDir  string          // the folder where runs are registered; empty: nowhere
	MaxSize   int64           // of a file, in bytes; 0: the default limit

	// Runs are the common options of the runs of the page; nil: the page starts no runs.
	Runs *runs.Options

	// Tests set this to start fake pipelines.
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

// changes returns an error if the page is read-only.
func (s *Server) changes() error {
	if s.opt.ReadOnly {
		return guard.Forbidden("the page is read-only; start `pentode serve` without --read-only to make changes")
	}
	return nil
}

// answering makes a handler from a function that returns a value to send as JSON.
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
