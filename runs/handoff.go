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

// takeProgram takes over the socket of the program that started this one for its pipeline; nil: this program was started in another way. Programs
// that the pipeline starts must not inherit the socket, or it would never seem closed.
func takeProgram() (*handoff.Gate, error) {
	text := os.Getenv(handoff.SocketVariable)
	if text == "" {
		return nil, nil
	}
	_ = os.Unsetenv(handoff.SocketVariable) // it is only for this program
	fd, err := strconv.ParseUint(text, 10, 16)
	if err != nil || fd < 3 {
		return nil, fmt.Errorf("%s is `%s`: only a program that hands its data to a pipeline sets this variable", handoff.SocketVariable, text)
	}
	conn, err := handoff.FileConn(os.NewFile(uintptr(fd), "socket"))
	if err != nil {
		return nil, fmt.Errorf("the program that started this pipeline cannot be reached: %w", problem.Reason(err))
	}
	return handoff.NewGate(conn), nil
}

// openGate lets the programs of this run connect, if the pipeline has a process for them and a launcher has started the pipeline.
func (p *pipeRun) openGate() error {
	if p.engine.Gate != nil || !slices.ContainsFunc(p.plan.Nodes, func(n pipe.PlanNode) bool { return n.Type != nil && n.Type.Name == program.Name }) {
		return nil
	}
	path, err := absolute(p.path)
	if err != nil || !slices.Contains(filepath.SplitList(os.Getenv(handoff.PipelinesVariable)), path) {
		return nil // the process reports that no program will connect
	}
	socket, err := handoff.SocketPath(os.Getenv, path)
	if err != nil {
		return err
	}
	p.engine.Gate, err = handoff.Listen(socket)
	return err
}

// absolute returns the path of a file that is valid in all programs of a run.
func absolute(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", errors.New("the working directory no longer exists")
	}
	return filepath.EvalSymlinks(path)
}

// planHandoffs are the pipelines that a plan starts on this machine, and the programs that may hand data to them.
type planHandoffs struct {
	run       string
	pipelines []string
	over      context.Context

	mu      sync.Mutex
	running map[string]bool // programs that have not ended
}

// handoffsOf tells the programs of a plan which pipelines it starts. dir is the folder of the pipelines, self the path of this program. A program
// hands its data to a pipeline on its own machine.
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

// note tells the pipelines when no program is left that could connect. Otherwise they would wait forever for a program that ended early.
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
