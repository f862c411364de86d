package lsp

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// didChangeMethod is the message that makes earlier requests stale.
const didChangeMethod = "textDocument/didChange"

// didOpenMethod is the message with the text of a document.
const didOpenMethod = "textDocument/didOpen"

// queue has the waiting messages. One goroutine handles them in order, one after
// the other, so no answer sees half of a change. While no message waits, the
// server continues with its own work.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	jobs    []*job
	waiting map[jsonrpc2.ID]*job
	edits   map[string]int // number of changes of a document that have arrived, by URI
	closed  bool
	failed  error // why the queue ended, if that is an error
}

// job is a message that is waiting or being handled.
type job struct {
	ctx     context.Context
	cancel  context.CancelFunc
	request *jsonrpc2.Request
	uri     string // its document, or ""
	edits   int    // number of changes of the document that arrived before it
}

func newQueue() *queue {
	q := &queue{waiting: map[jsonrpc2.ID]*job{}, edits: map[string]int{}}
	q.changed.L = &q.mu
	return q
}

// put adds a message; changes reports whether it changes the document.
func (q *queue) put(ctx context.Context, r *jsonrpc2.Request, uri string, changes bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if changes {
		q.edits[uri]++
	}
	j := &job{request: r, uri: uri, edits: q.edits[uri]}
	j.ctx, j.cancel = context.WithCancel(context.WithoutCancel(ctx)) // only the client can cancel it
	if !r.Notif {
		q.waiting[r.ID] = j
	}
	q.jobs = append(q.jobs, j)
	q.changed.Signal()
}

// next waits for a message for at most patience, or forever if patience is negative.
// It returns nil if there is none. closed is true when no more will come.
func (q *queue) next(patience time.Duration) (j *job, closed bool) {
	over := patience == 0
	if patience > 0 {
		timer := time.AfterFunc(patience, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			over = true
			q.changed.Broadcast()
		})
		defer timer.Stop()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.jobs) == 0 {
		if q.closed {
			return nil, true
		}
		if over {
			return nil, false
		}
		q.changed.Wait()
	}
	j = q.jobs[0]
	q.jobs = q.jobs[1:]
	return j, false
}

// done removes an answered message.
func (q *queue) done(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j.cancel()
	if !j.request.Notif {
		delete(q.waiting, j.request.ID)
	}
}

// cancel ends a request that is no longer wanted.
func (q *queue) cancel(id jsonrpc2.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if j := q.waiting[id]; j != nil {
		j.cancel()
	}
}

// stale reports whether the document of a job has changed since the request arrived.
func (q *queue) stale(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return j.uri != "" && q.edits[j.uri] != j.edits
}

// changing reports whether a change of a document is waiting.
func (q *queue) changing(uri string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.jobs, func(j *job) bool { return j.uri == uri && j.request.Method == didChangeMethod })
}

// fail ends the queue with an error, unless it has already ended.
func (q *queue) fail(why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.failed, q.closed = why, true
		q.changed.Broadcast()
	}
}

func (q *queue) failure() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failed
}

// close ends the queue: waiting messages are still handled, but no more are added.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}
