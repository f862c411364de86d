package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// register lets other programs find and steer a pipeline while it runs. What it
// returns takes everything back. A site that is led is steered by its leader. A run that cannot be registered runs all the same.
func (p *pipeRun) register(path string, methods control.Methods, s *screen) (unregister func()) {
	if p.noControl || p.led() {
		return func() {}
	}
	methods[steer.MethodLog] = control.Answer(func(context.Context, struct{}) ([]string, error) { return s.log.Lines(), nil })
	dir, server, err := registerPipeline(path, methods, os.Getenv("PENTODE_RUN"), os.Getenv("PENTODE_NODE"))
	if err != nil {
		s.say("warning: the run cannot be steered from outside: " + err.Error() + "; --no-control leaves that out")
		return func() {}
	}
	return func() {
		server.Close()
		_ = dir.Remove() // what is left is removed with old runs
	}
}

// registerPipeline makes the folder of a run and answers at its socket. Of one in a
// plan, launch is the run of the plan, and node its name there.
func registerPipeline(path string, methods control.Methods, launch, node string) (*state.Dir, *control.Server, error) {
	base, err := control.StateDir(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	sockets, err := control.RuntimeDir(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, nil, errors.New("the current folder cannot be found")
	}
	if path != "-" && !filepath.IsAbs(path) {
		path = filepath.Join(here, path)
	}
	now := time.Now()
	dir, err := state.Create(base, state.Run{
		ID: state.NewID(now), Started: now, Directory: here, Sockets: sockets, Pipeline: path,
		Launch: launch, Node: node,
	})
	if err != nil {
		return nil, nil, err
	}
	server, err := control.Listen(dir.Socket(), methods)
	if err != nil {
		return nil, nil, errors.Join(err, dir.Remove())
	}
	return dir, server, nil
}
