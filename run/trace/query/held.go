package query

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// maxHeld is the number of bytes of lines held back until the trace has been read once.
const maxHeld = 16 << 20

var errTooMany = errors.New("more lines than are held back")

// holder holds the lines of a thread back.
type holder struct {
	run   *run
	text  []byte
	total *atomic.Int64 // of all threads
}

func (h *holder) Write(b []byte) (int, error) {
	if h.total.Add(int64(len(b))) > maxHeld {
		return 0, errTooMany
	}
	h.text = append(h.text, b...)
	return len(b), nil
}

// held reads the trace only once and holds the lines back until the end. This pays because most conditions
// select few rows, and most traces give the rank of a row before the row. ok is false, and nothing is
// written, if a rank comes later, if a task was created by another thread, or if too many rows meet the
// condition.
func (q *Query) held(w io.Writer, t *recorded.Trace) (n uint64, ok bool, err error) {
	before := ranks(t)
	var list []*holder
	var total atomic.Int64
	ok, err = t.WalkApart(func(threads int) { list = make([]*holder, threads) }, func(thread int) recorded.Handler {
		l := &holder{total: &total}
		l.run = q.run(bufio.NewWriterSize(l, 4<<10), t)
		list[thread] = l
		h := l.run.handler()
		h.Done = l.run.out.Flush
		return h
	})
	if errors.Is(err, errTooMany) || !slices.Equal(before, ranks(t)) {
		return 0, false, nil
	}
	if !ok || err != nil {
		return 0, false, err
	}
	for _, l := range list {
		n += l.run.matches
		if _, err := w.Write(l.text); err != nil {
			return n, true, err
		}
	}
	return n, true, nil
}

// ranks returns the ranks that threads are known to have.
func ranks(t *recorded.Trace) (list []int) {
	for _, th := range t.Threads {
		list = append(list, th.Rank)
	}
	return list
}
