package lsp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// TestQueueWaits: next returns when a message arrives, when the time is over, and when the queue is
// closed.
func TestQueueWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		type answer struct {
			j      *job
			closed bool
		}
		wait := func(patience time.Duration) <-chan answer {
			got := make(chan answer, 1)
			go func() {
				j, closed := q.next(patience)
				got <- answer{j, closed}
			}()
			synctest.Wait() // until next is waiting
			return got
		}
		if a := <-wait(time.Hour); a.j != nil || a.closed {
			t.Errorf("after an hour without a message: %+v", a)
		}
		got := wait(-1)
		q.put(context.Background(), &jsonrpc2.Request{Method: "x"}, "", false)
		if a := <-got; a.j == nil || a.j.request.Method != "x" || a.closed {
			t.Errorf("with a message: %+v; want that message, and the queue open", a)
		}
		got = wait(-1)
		q.close()
		if a := <-got; a.j != nil || !a.closed {
			t.Errorf("at the end: %+v; want no message, and the queue closed", a)
		}
	})
}

// TestQueueKnowsChanges: changing reports a change of a document until it is handled, and the
// change makes earlier requests stale.
func TestQueueKnowsChanges(t *testing.T) {
	q := newQueue()
	put := func(method, uri string) {
		q.put(context.Background(), &jsonrpc2.Request{Method: method, Notif: true}, uri, method == didChangeMethod)
	}
	put("textDocument/didSave", "a")
	put(didChangeMethod, "b")
	for uri, want := range map[string]bool{"a": false, "b": true, "c": false} {
		if got := q.changing(uri); got != want {
			t.Errorf("a change of %s waits: %v, want %v", uri, got, want)
		}
	}
	for _, want := range []string{"a", "b"} {
		j, _ := q.next(0)
		if j == nil || j.uri != want || q.stale(j) {
			t.Fatalf("%+v, want a message about %s that is not stale", j, want)
		}
		put(didChangeMethod, "a")
		if q.stale(j) != (want == "a") {
			t.Errorf("a change of a makes what was asked about %s stale: %v", want, q.stale(j))
		}
		q.done(j)
	}
	if q.changing("b") {
		t.Error("a change that was handled waits")
	}
}

// TestQueueForgets: a request can be cancelled until it is answered; the queue keeps nothing about
// answered requests.
func TestQueueForgets(t *testing.T) {
	q := newQueue()
	for id := range uint64(3) {
		q.put(context.Background(), &jsonrpc2.Request{Method: "x", ID: jsonrpc2.ID{Num: id}}, "", false)
	}
	q.put(context.Background(), &jsonrpc2.Request{Method: "y", Notif: true}, "", false)
	q.cancel(jsonrpc2.ID{Num: 1})
	q.cancel(jsonrpc2.ID{Num: 7}) // the queue has never had this request
	for i := range 4 {
		j, _ := q.next(0)
		if cancelled := j.ctx.Err() != nil; cancelled != (i == 1) {
			t.Errorf("message %d is cancelled: %v, want %v", i, cancelled, (i == 1))
		}
		q.done(j)
		if j.ctx.Err() == nil {
			t.Errorf("message %d was answered, and what was begun for it goes on; want one", i)
		}
	}
	if len(q.waiting) > 0 {
		t.Errorf("%d messages are kept, want at most 0", len(q.waiting))
	}
}
