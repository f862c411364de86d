package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow/steer"
)

// steerable is a pipeline with a control socket.
type steerable interface{ Socket() string }

func (p *remote) Socket() string { return p.socket }

// judgeLimit is how long processes may take to judge new values, which they do
// between two steps. A change itself has no limit: it goes through the pipeline no
// faster than data do, and a page that gave up would not learn that it is made
// after all.
const judgeLimit = 30 * time.Second

// call asks a pipeline at its socket.
func (r *run) call(ctx context.Context, method string, params, result any) error {
	p, ok := r.pipeline.(steerable)
	if !ok || p.Socket() == "" || r.ended() {
		return guard.Conflict("this run has no settings that could be changed")
	}
	err := control.Call(ctx, p.Socket(), method, params, result)
	if errors.Is(err, control.ErrNoServer) {
		return guard.Conflict("the run has ended")
	}
	return err
}

// tunable lists the keys of a run that may change while it runs, with their values now.
func (s *Server) tunable(r *http.Request) (any, error) {
	run, err := s.runs.find(r.URL.Query().Get("run"))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.judgeLimit)
	defer cancel()
	var g steer.Graph
	if err := run.call(ctx, steer.MethodGraph, nil, &g); err != nil {
		return nil, err
	}
	keys := []steer.Key{}
	for _, p := range g.Processes {
		keys = append(keys, p.Keys...)
	}
	return keys, nil
}

// tune changes a setting of a run: at one step for all processes, or not at all.
// With preview it says what would change.
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
	run, err := s.runs.find(in.Run)
	if err != nil {
		return nil, err
	}
	var result json.RawMessage // as `flow control set --format json`
	err = run.call(ctx, steer.MethodSet, steer.Set{Settings: map[string]string{in.Key: in.Value}, Preview: in.Preview}, &result)
	return result, err
}
