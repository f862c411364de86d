package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// registration lets other programs find and control a pipeline while it runs. A nil registration is for a run that cannot be found.
type registration struct {
	dir    *state.Dir
	server *control.Server
}

// planNode is a program of a plan: the run of the plan, and its name there.
type planNode struct{ launch, node string }

// environmentPlan returns the program of a plan as which this program runs, if any.
func environmentPlan() planNode { return planNode{os.Getenv("PENTODE_RUN"), os.Getenv("PENTODE_NODE")} }

// sitesNode is the node name of a pipeline whose sites the plan starts.
const sitesNode = "sites"

// register makes the folder of a run and listens on its socket. A run that cannot be registered runs anyway. leader is the site that coordinates this
// one, or empty.
func register(o *Options, path string, methods control.Methods, in planNode, leader string) *registration {
	if o.Recent != nil {
		methods[steer.MethodLog] = control.Answer(func(context.Context, struct{}) ([]string, error) { return o.Recent(), nil })
	}
	now := time.Now()
	dir, server, err := listen(path, methods, in, leader, now, o.newID(now))
	if err != nil {
		o.Events(Unsteered{Err: err, Sites: in.node == sitesNode})
		if o.recorder != nil {
			o.recorder.unsteered = true
		}
		return nil
	}
	return &registration{dir, server}
}

func (r *registration) socket() string {
	if r == nil {
		return ""
	}
	return r.dir.Socket()
}

func (r *registration) close() {
	if r == nil {
		return
	}
	r.server.Close()
	_ = r.dir.Leave() // the rest is removed with old runs
}

// folders returns the folder in which runs are registered, and the folder of their sockets.
func folders() (states, sockets string, err error) {
	states, err = control.StateDir(os.Getenv)
	if err == nil {
		sockets, err = control.RuntimeDir(os.Getenv)
	}
	return states, sockets, err
}

// stateRoom is how many bytes must fit into the folder of states to keep the run of a plan there.
const stateRoom = 64 << 10

// planFolders returns the same folders as for any run or, if they cannot be written, folders for this plan alone and the variables that tell its
// programs about them: a plan must not fail because there is no place for its state.
func (o *Options) planFolders() (states, sockets string, own []launch.Var, err error) {
	states, sockets, err = folders()
	for _, dir := range []string{states, sockets} {
		if err == nil {
			err = hasRoom(dir)
		}
	}
	if err == nil {
		return states, sockets, nil, nil
	}
	states, failed := os.MkdirTemp("", "pentode-state-")
	if failed != nil {
		return "", "", nil, err
	}
	o.warn("the run is not recorded, and its logs are kept in `%s` (set %s to this folder, so that other commands find the run): %v", states, stateVariable, err)
	if o.recorder != nil {
		o.recorder.unsteered = true
	}
	return states, states, []launch.Var{{Name: stateVariable, Value: states}}, nil
}

// stateVariable names the folder for the states of runs; it has priority over all others.
const stateVariable = "PENTODE_STATE"

// hasRoom checks that a private folder can be made at a path and written to.
func hasRoom(dir string) error {
	if err := control.Private(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".room")
	if err == nil {
		_, err = f.Write(make([]byte, stateRoom))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return fmt.Errorf("nothing can be written to `%s`: %w", dir, problem.Reason(err))
	}
	return nil
}

func listen(path string, methods control.Methods, in planNode, leader string, now time.Time, id string) (*state.Dir, *control.Server, error) {
	base, sockets, err := folders()
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
	dir, err := state.Create(base, state.Run{
		ID: id, Started: now, Directory: here, Sockets: sockets, Pipeline: path,
		Launch: in.launch, Node: in.node, Leader: leader,
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
