package lsp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// TestQueueWaits: whoever waits for a message wakes up when one comes, when the time
// is over, and when no more will come.
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
			synctest.Wait() // until it waits
			return got
		}
		if a := <-wait(time.Hour); a.j != nil || a.closed {
			t.Errorf("after an hour without a message: %+v", a)
		}
		got := wait(-1)
		q.put(context.Background(), &jsonrpc2.Request{Method: "x"}, "", false)
		if a := <-got; a.j == nil || a.j.request.Method != "x" || a.closed {
			t.Errorf("with a message: %+v", a)
		}
		got = wait(-1)
		q.close()
		if a := <-got; a.j != nil || !a.closed {
			t.Errorf("at the end: %+v", a)
		}
	})
}
