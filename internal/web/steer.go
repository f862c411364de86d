package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/internal/web/watch"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/steer"
)

// done is the answer of requests without other results.
type done struct {
	Done bool `json:"done"`
}

func (s *Server) start(r *http.Request) (any, error) {
	in, err := body[struct {
		Path string `json:"path"`
	}](r)
	if err != nil {
		return nil, err
	}
	if err := s.changes(); err != nil {
		return nil, err
	}
	if !s.fence.Inside(in.Path) {
		return nil, guard.Forbidden("`" + in.Path + "` is outside of the served folder")
	}
	run, err := s.runs.Start(in.Path)
	if err != nil {
		return nil, err
	}
	return run.Entry(), nil
}

// steer makes a handler that controls the run that a request names, or a program of it.
func (s *Server) steer(do func(run *watch.Run, ctx context.Context, node, signal string) error) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		in, err := body[struct {
			Run    string `json:"run"`
			Node   string `json:"node"`
			Signal string `json:"signal"`
		}](r)
		if err != nil {
			return nil, err
		}
		if err := s.changes(); err != nil {
			return nil, err
		}
		run, err := s.runs.Find(in.Run)
		if err == nil {
			err = do(run, r.Context(), in.Node, in.Signal)
		}
		return done{err == nil}, err
	}
}

// judgeLimit is how long processes may take to check new values, which they do
// between two steps. A change itself has no time limit: it moves through the pipeline
// as slowly as data do, and a page that gave up would not learn that the change
// was made later.
const judgeLimit = 30 * time.Second

// tunable lists the keys that may change during a run, with their current values.
func (s *Server) tunable(r *http.Request) (any, error) {
	run, err := s.runs.Find(r.FormValue("run"))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.judgeLimit)
	defer cancel()
	var g steer.Graph
	if err := run.Call(ctx, steer.MethodGraph, nil, &g); err != nil {
		return nil, err
	}
	keys := []pipe.Tunable{}
	for _, p := range g.Processes {
		keys = append(keys, p.Keys...)
	}
	return keys, nil
}

// tune changes a setting of a run: at one step for all processes, or not at all.
// With preview it only reports what would change.
func (s *Server) tune(r *http.Request) (any, error) {
	in, err := body[struct {
		Run     string `json:"run"`
		Key     string `json:"key"`
		Value   string `json:"value"`
		Preview bool   `json:"preview"`
	}](r)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	if in.Preview {
		limited, cancel := context.WithTimeout(ctx, s.judgeLimit)
		defer cancel()
		ctx = limited
	} else if err := s.changes(); err != nil {
		return nil, err
	}
	run, err := s.runs.Find(in.Run)
	if err != nil {
		return nil, err
	}
	var result json.RawMessage // in the form of `control set --format json`
	err = run.Call(ctx, steer.MethodSet, steer.Set{Settings: map[string]string{in.Key: in.Value}, Preview: in.Preview}, &result)
	return result, err
}
