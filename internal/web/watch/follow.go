package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync/atomic"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/peek"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// Follower tracks what one client has seen of a run. Each call returns only what is new since the last call, in its newest
// state, so that a slow client loses only older states.
type Follower struct {
	run    *Run
	sample int
	points int
	line   int
	offset int64
	leave  func()

	view   atomic.Pointer[json.RawMessage] // of the edge that the client watches
	viewed *json.RawMessage
}

// Follow starts to follow a run, and the data on an edge of it if a port is named. While a run is followed, its figures are read
// more often. Close ends the following.
func (r *Run) Follow(ctx context.Context, port string) *Follower {
	r.watchers.Add(1)
	f := &Follower{run: r, leave: func() {}}
	if port != "" {
		f.leave = f.watchEdge(ctx, port)
	}
	return f
}

// Close ends the following.
func (f *Follower) Close() {
	f.leave()
	f.run.watchers.Add(-1)
}

// Figures returns the figures of a pipeline; nil: they have not changed.
func (f *Follower) Figures() json.RawMessage {
	now := f.run.sample.Load()
	if now == nil || now.number == f.sample {
		return nil
	}
	f.sample = now.number
	return now.text
}

// Curve returns the curves of the last minutes; nil: they have no new point.
func (f *Follower) Curve() []Point {
	f.run.mu.Lock()
	defer f.run.mu.Unlock()
	if f.run.points == f.points {
		return nil
	}
	f.points = f.run.points
	return slices.Clone(f.run.curve)
}

// Programs returns the programs of a plan; a pipeline has none.
func (f *Follower) Programs(ctx context.Context) (all Programs, ok bool) {
	if f.run.pipeline != nil {
		return all, false
	}
	return f.run.Programs(ctx), true
}

// maxChunk limits the bytes of a log file that are read at once. A new client
// gets the last part of the file.
const maxChunk = 256 << 10

// Log returns new log lines of a pipeline, or of the programs of a plan.
func (f *Follower) Log() (lines []string) {
	dir := f.run.registered()
	if dir == nil {
		if f.run.pipeline != nil || f.run.ended() { // a plan that failed before it started programs
			lines, f.line = f.run.log.after(f.line)
		}
		return lines
	}
	file, err := os.Open(dir.LogFile("", ""))
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() <= f.offset {
		return nil
	}
	skipped := info.Size()-f.offset > 4*maxChunk
	if skipped {
		f.offset = info.Size() - maxChunk
	}
	chunk := make([]byte, min(info.Size()-f.offset, maxChunk))
	n, _ := file.ReadAt(chunk, f.offset)
	end := bytes.LastIndexByte(chunk[:n], '\n') + 1
	if end == 0 && n < maxChunk {
		return nil // the line is not complete
	} else if end == 0 {
		end = n
	}
	f.offset += int64(end)
	begin := 0
	if skipped { // the part may begin in the middle of a line
		begin = bytes.IndexByte(chunk[:end], '\n') + 1
	}
	for line := range bytes.Lines(chunk[begin:end]) {
		lines = append(lines, string(bytes.ToValidUTF8(bytes.TrimRight(state.Unstamped(line), "\r\n"), []byte("\ufffd"))))
	}
	return lines
}

// unseen is sent instead of a view that is not available.
type unseen struct {
	Error string `json:"error"`
}

// watchEdge watches an edge until the returned function is called.
func (f *Follower) watchEdge(ctx context.Context, port string) (leave func()) {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		err := f.run.lookAt(ctx, port, func(view json.RawMessage) { f.view.Store(&view) })
		if err != nil && ctx.Err() == nil && f.view.Load() == nil {
			if text, err := json.Marshal(unseen{err.Error()}); err == nil {
				view := json.RawMessage(text)
				f.view.Store(&view)
			}
		}
	}()
	return func() {
		cancel()
		<-over
	}
}

// Edge returns the newest datum of the edge that the client watches; nil: nothing new.
func (f *Follower) Edge() json.RawMessage {
	now := f.view.Load()
	if now == nil || now == f.viewed {
		return nil
	}
	f.viewed = now
	return *now
}

// tapped is a pipeline of this program whose edges can be watched.
type tapped interface {
	Tap(port string) (*flow.Tap, error)
}

// lookAt watches an edge until ctx ends. The views are made in this goroutine, or in the program that runs the pipeline, so
// the run never waits for them.
func (r *Run) lookAt(ctx context.Context, port string, show func(json.RawMessage)) error {
	if r.pipeline == nil {
		return guard.NotFound("a launch plan has no edges: its pipelines are separate runs")
	}
	if p, ok := r.pipeline.(*Remote); ok {
		err := control.Follow(ctx, p.socket, steer.MethodPeek, steer.Peek{Port: port}, func(view json.RawMessage) error {
			show(view)
			return nil
		})
		if errors.Is(err, control.ErrNoServer) {
			return flow.ErrEnded
		}
		return err
	}
	p, ok := r.pipeline.(tapped)
	if !ok {
		return errors.New("the edges of this run cannot be watched")
	}
	tap, err := p.Tap(port)
	if err != nil {
		return err
	}
	defer tap.Close()
	return peek.Follow(ctx, tap, func(v peek.View) error {
		text, err := json.Marshal(v)
		if err == nil {
			show(text)
		}
		return err
	})
}
