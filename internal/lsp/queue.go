package lsp

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// didChangeMethod is the message after which earlier questions are stale.
const didChangeMethod = "textDocument/didChange"

// didOpenMethod brings the text of a document.
const didOpenMethod = "textDocument/didOpen"

// queue is the messages that wait. They are handled one after the other, in
// their order, by one goroutine: so no answer sees half of a change. While none
// waits, the server goes on with what it does by itself.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	jobs    []*job
	waiting map[jsonrpc2.ID]*job
	edits   map[string]int // how many changes of a document have arrived, by URI
	closed  bool
	failed  error // why no more messages come, where that is a mistake
}

// job is a message that waits or is handled.
type job struct {
	ctx     context.Context
	cancel  context.CancelFunc
	request *jsonrpc2.Request
	uri     string // the document that it is about, or ""
	edits   int    // changes of the document that came before it
}

func newQueue() *queue {
	q := &queue{waiting: map[jsonrpc2.ID]*job{}, edits: map[string]int{}}
	q.changed.L = &q.mu
	return q
}

// put adds a message; changes says that it changes the document.
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
	j.ctx, j.cancel = context.WithCancel(context.WithoutCancel(ctx)) // only the client cancels
	if !r.Notif {
		q.waiting[r.ID] = j
	}
	q.jobs = append(q.jobs, j)
	q.changed.Signal()
}

// next waits for a message at most so long, or without end where patience is
// negative; nil is none. closed is true when no more will come.
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

// done forgets a message that was answered.
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

// stale reports whether the document of a job has changed since it was asked.
func (q *queue) stale(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return j.uri != "" && q.edits[j.uri] != j.edits
}

// changing reports whether a change of a document waits.
func (q *queue) changing(uri string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.jobs, func(j *job) bool { return j.uri == uri && j.request.Method == didChangeMethod })
}

// fail ends the queue because of a mistake, unless it has ended before.
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

// close ends the queue: what waits is still handled, and nothing is added.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}
