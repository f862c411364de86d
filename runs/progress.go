package runs

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/launch/collect"
)

// tellEvery is the pause between two reports to the daemon of a run.
const tellEvery = 200 * time.Millisecond

// rank returns the index of this process in its plan, or 0 outside a plan.
func rank() uint32 {
	n, err := strconv.ParseUint(os.Getenv("PENTODE_RANK"), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// ProgressSocket returns the socket of the daemon that collects the progress of this process's plan, or "".
func ProgressSocket() string {
	run := os.Getenv("PENTODE_RUN")
	base, err := control.RuntimeDir(os.Getenv)
	if run == "" || err != nil || run != filepath.Base(run) {
		return ""
	}
	return filepath.Join(base, run, collect.SocketName)
}

// tellProgress reports the steps of a pipeline to the daemon of its run, if there is one. The caller calls the returned function with the error of
// the run when it has ended.
func tellProgress(path string, run *flow.Run) func(error) {
	socket := ProgressSocket()
	if socket == "" {
		return func(error) {}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	client := collect.Dial(ctx, socket)
	cancel()
	if client == nil {
		return func(error) {}
	}
	name := os.Getenv("PENTODE_NODE")
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	tell := func(s flow.State) {
		client.Report(collect.Progress{Rank: int(rank()), Name: name, Done: steps(run), State: string(s)})
	}
	stop := make(chan struct{})
	var over sync.WaitGroup
	over.Go(func() {
		ticker := time.NewTicker(tellEvery)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				tell(run.State())
			}
		}
	})
	return func(err error) {
		close(stop)
		over.Wait()
		tell(flow.EndState(err))
		client.Close()
	}
}

// steps returns the number of steps of all processes so far.
func steps(run *flow.Run) uint64 {
	var total uint64
	for _, p := range run.Stats().Processes {
		total += uint64(p.Steps)
	}
	return total
}
