package web

import (
	"context"
	"net/http"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/runs/registry"
)

// steered names a run, and a program of it.
type steered struct {
	Run    string `json:"run"`
	Node   string `json:"node"`
	Signal string `json:"signal"`
}

// done is the answer of what has no other.
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
	if !s.fence.inside(in.Path) {
		return nil, &refusal{http.StatusForbidden, "`" + in.Path + "` lies outside of the folder that is served"}
	}
	run, err := s.runs.start(in.Path)
	if err != nil {
		return nil, err
	}
	return run.entry(), nil
}

// steer finds the run that a request is about.
func (s *Server) steer(r *http.Request) (*run, steered, error) {
	in, err := body[steered](r)
	if err != nil {
		return nil, in, err
	}
	if err := s.changes(); err != nil {
		return nil, in, err
	}
	run, err := s.runs.find(in.Run)
	return run, in, err
}

func (s *Server) stop(r *http.Request) (any, error) {
	run, in, err := s.steer(r)
	if err != nil {
		return nil, err
	}
	if run.pipeline == nil && (in.Node != "" || run.plan == nil) {
		return run.ask(r.Context(), launch.MethodStop, in)
	}
	run.mu.Lock()
	if !run.ended() {
		run.state = flow.Stopping
	}
	run.mu.Unlock()
	run.end()
	return done{true}, nil
}

func (s *Server) pause(r *http.Request) (any, error) {
	run, in, err := s.steer(r)
	if err != nil {
		return nil, err
	}
	if run.pipeline == nil {
		in.Signal = "STOP"
		return run.ask(r.Context(), launch.MethodSignal, in)
	}
	return run.become(flow.Paused, run.pipeline.Pause())
}

func (s *Server) resume(r *http.Request) (any, error) {
	run, in, err := s.steer(r)
	if err != nil {
		return nil, err
	}
	if run.pipeline == nil {
		in.Signal = "CONT"
		return run.ask(r.Context(), launch.MethodSignal, in)
	}
	return run.become(flow.Running, run.pipeline.Resume())
}

func (s *Server) restart(r *http.Request) (any, error) {
	run, in, err := s.steer(r)
	if err != nil {
		return nil, err
	}
	return run.ask(r.Context(), launch.MethodRestart, in)
}

func (s *Server) signal(r *http.Request) (any, error) {
	run, in, err := s.steer(r)
	if err != nil {
		return nil, err
	}
	return run.ask(r.Context(), launch.MethodSignal, in)
}

// become notes the state of a pipeline after a request that went well.
func (r *run) become(state flow.State, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended() {
		r.state = state
	}
	return done{true}, nil
}

// ask calls a method of the supervisor of a plan.
func (r *run) ask(ctx context.Context, method string, in steered) (any, error) {
	r.mu.Lock()
	dir := r.dir
	r.asked = time.Time{}
	r.mu.Unlock()
	switch {
	case r.pipeline != nil:
		return nil, &refusal{http.StatusConflict, "a pipeline has no programs to restart or signal; stop it, and start it again"}
	case dir == nil:
		return nil, &refusal{http.StatusConflict, "the run has no programs yet"}
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err := registry.Client{Dir: dir}.Ask(ctx, method, launch.Request{Node: in.Node, Signal: in.Signal})
	return done{err == nil}, err
}
