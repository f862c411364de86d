package query

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// The limit on the output of a thread that is read ahead of its turn, in bytes: chunks pieces of
// chunk bytes each.
const (
	chunk  = 64 << 10
	chunks = 16
)

// threadLines holds the output lines of a thread until it is the thread's turn to be written.
type threadLines struct {
	pieces  chan []byte
	run     *run         // nil before the thread is read, and after its end
	failed  *atomic.Bool // set when the reader of the lines wants no more
	ended   bool
	matches uint64
}

var errUnwanted = errors.New("the lines are no longer read")

func (l *threadLines) Write(b []byte) (int, error) {
	if l.failed.Load() {
		return 0, errUnwanted
	}
	l.pieces <- append([]byte(nil), b...)
	return len(b), nil
}

// end ends the thread.
func (l *threadLines) end() error {
	err := l.run.out.Flush()
	l.matches, l.run, l.ended = l.run.matches, nil, true
	close(l.pieces)
	return err
}

// apart reads the threads separately, several at a time, and writes their lines thread by thread.
// ok is false if nothing was written because the threads cannot be read separately.
func (q *Query) apart(w io.Writer, t *recorded.Trace) (n uint64, ok bool, err error) {
	var list []*threadLines
	var failed atomic.Bool
	begun, walked := make(chan struct{}), make(chan struct{})
	var walkErr error
	go func() {
		defer close(walked)
		ok, walkErr = t.WalkApart(func(threads int) {
			list = make([]*threadLines, threads)
			for i := range list {
				list[i] = &threadLines{pieces: make(chan []byte, chunks), failed: &failed}
			}
			close(begun)
		}, func(thread int) recorded.Handler {
			l := list[thread]
			l.run = q.run(newWriter(l), t)
			h := l.run.handler()
			h.Done = l.end
			return h
		})
		for _, l := range list {
			if !l.ended {
				close(l.pieces)
			}
		}
	}()
	select {
	case <-begun:
	case <-walked:
		return 0, ok, walkErr
	}
	for _, l := range list {
		for b := range l.pieces {
			if err != nil {
				continue // the writer must not wait forever
			}
			if _, err = w.Write(b); err != nil {
				failed.Store(true)
			}
		}
	}
	<-walked
	for _, l := range list {
		n += l.matches
	}
	if err == nil {
		err = walkErr
	}
	return n, ok, err
}
