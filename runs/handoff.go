package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/program"
	"github.com/pentode-dev/pentode/run/handoff"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// takeProgram takes the socket of the program that started this one for its pipeline; nil: it was
// started in another way. What the pipeline starts must not have it, or it would seem to live on.
func takeProgram() (*handoff.Gate, error) {
	text := os.Getenv(handoff.SocketVariable)
	if text == "" {
		return nil, nil
	}
	_ = os.Unsetenv(handoff.SocketVariable) // it is for this program
	fd, err := strconv.ParseUint(text, 10, 16)
	if err != nil || fd < 3 {
		return nil, fmt.Errorf("%s is `%s`: it is set by a program that hands its data to a pipeline", handoff.SocketVariable, text)
	}
	conn, err := handoff.FileConn(os.NewFile(uintptr(fd), "socket"))
	if err != nil {
		return nil, fmt.Errorf("the program that started this pipeline is not there: %w", problem.Reason(err))
	}
	return handoff.NewGate(conn), nil
}

// openGate lets the programs of this run come, if the pipeline has a process for them and a launcher
// has started it.
func (p *pipeRun) openGate() error {
	if p.engine.Gate != nil || !slices.ContainsFunc(p.plan.Nodes, func(n pipe.PlanNode) bool { return n.Type != nil && n.Type.Name == program.Name }) {
		return nil
	}
	path, err := absolute(p.path)
	if err != nil || !slices.Contains(filepath.SplitList(os.Getenv(handoff.PipelinesVariable)), path) {
		return nil // the process says that no program comes
	}
	socket, err := handoff.SocketPath(os.Getenv, path)
	if err != nil {
		return err
	}
	p.engine.Gate, err = handoff.Listen(socket)
	return err
}

// absolute is the path that all programs of a run have for a file.
func absolute(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", errors.New("the working directory is not there any more")
	}
	return filepath.EvalSymlinks(path)
}

// planHandoffs are the pipelines that a plan starts on this machine, and the programs that may hand
// data to them.
type planHandoffs struct {
	run       string
	pipelines []string
	over      context.Context

	mu      sync.Mutex
	running map[string]bool // programs that have not ended
}

// handoffsOf tells the programs of a plan which pipelines it starts. dir has the pipelines, self is
// this program. A program hands its data to a pipeline on its own machine.
func handoffsOf(plan *launch.Plan, dir, self string, over context.Context) *planHandoffs {
	h := &planHandoffs{run: plan.Run, running: map[string]bool{}, over: over}
	var here []*launch.Node
	for _, n := range plan.Nodes {
		if _, local := n.Starter.(launch.Local); !local || n.OnRequest || n.Kind != launch.KindProcess {
			continue
		}
		here = append(here, n)
		if pipe, _ := siteArguments(n, self); pipe == "" {
			h.running[n.ID] = true
		} else if path, err := absolute(beneath(dir, pipe)); err == nil && !slices.Contains(h.pipelines, path) {
			h.pipelines = append(h.pipelines, path)
		}
	}
	if len(h.pipelines) == 0 || len(h.running) == 0 {
		return nil
	}
	list := strings.Join(h.pipelines, string(filepath.ListSeparator))
	for _, n := range here {
		n.Env = append(n.Env, launch.Var{Name: handoff.PipelinesVariable, Value: list})
	}
	return h
}

// note tells the pipelines when no program is left that could come: one that ended early would be
// awaited for ever.
func (h *planHandoffs) note(e state.Event) {
	ended := e.What == state.Ended && !e.Again || e.What == state.Failed || e.What == state.Skipped
	if h == nil || !ended {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.running[e.Node] {
		return
	}
	delete(h.running, e.Node)
	if len(h.running) > 0 {
		return
	}
	getenv := func(name string) string {
		if name == handoff.RunVariable {
			return h.run
		}
		return os.Getenv(name)
	}
	for _, pipe := range h.pipelines {
		if path, err := handoff.SocketPath(getenv, pipe); err == nil {
			go handoff.Dismiss(h.over, path)
		}
	}
}
