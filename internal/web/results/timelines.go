package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/run/trace/timeline"
	"github.com/pentode-dev/pentode/runs/record"
)

// Limits of the indexes of time lines.
const (
	maxIndex     = 1 << 30 // bytes of one index
	maxIndexes   = 4 << 30 // bytes of all indexes on disk
	openIndexes  = 8
	timelineWait = time.Second // before the page gets the progress of an index
)

// Timelines are the open time lines. An index is kept in the state folder of its run, and made again
// if it is missing.
type Timelines struct {
	states   string // the folder of the states
	readOnly bool   // an index is deleted when it is closed

	ctx    context.Context
	stop   context.CancelFunc
	making sync.WaitGroup

	mu   sync.Mutex
	list []*Timeline // the most recently used is the last
}

// NewTimelines returns time lines that keep their indexes below the state folder, unless readOnly is set.
func NewTimelines(states string, readOnly bool) *Timelines {
	t := &Timelines{states: states, readOnly: readOnly}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// Timeline is the time line of a trace among the results of a run.
type Timeline struct {
	Key    string
	Record *record.Record
	Path   string       // of the trace among the results
	spans  atomic.Int64 // spans that its index has so far
	done   chan struct{}
	index  *timeline.Index // set when it is complete; the runtime closes its file when it is no longer used
	err    error
}

// Open starts to open the time line of a trace among the results of a run.
func (t *Timelines) Open(rec *record.Record, name string) (*Timeline, error) {
	files := NewFiles(rec)
	parts, ok := files.trace(name)
	if !ok {
		return nil, guard.NotFound("run `" + rec.ID + "` has no trace `" + name + "`")
	}
	if err := files.check(parts); err != nil {
		return nil, err
	}
	key := rec.ID + "-" + files.key(parts)
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.find(key); e != nil {
		return e, nil
	}
	e := &Timeline{Key: key, Record: rec, Path: name, done: make(chan struct{})}
	t.list = append(t.list, e)
	if len(t.list) > openIndexes {
		t.list = slices.Delete(t.list, 0, 1)
	}
	t.making.Go(func() { t.open(e, files) })
	return e, nil
}

// Wait waits a moment for the index. If it is not complete by then, x is nil, and spans is its number of spans so far.
func (e *Timeline) Wait(ctx context.Context) (x *timeline.Index, spans int64, err error) {
	select {
	case <-e.done:
		return e.index, 0, e.err
	case <-time.After(timelineWait):
		return nil, e.spans.Load(), nil
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
}

// find finds an open time line, and moves it to the end of the list.
func (t *Timelines) find(key string) *Timeline {
	i := slices.IndexFunc(t.list, func(e *Timeline) bool { return e.Key == key })
	if i < 0 {
		return nil
	}
	e := t.list[i]
	t.list = append(slices.Delete(t.list, i, i+1), e)
	return e
}

// Opened returns a time line that was opened before, by its key.
func (t *Timelines) Opened(ctx context.Context, key string) (*Timeline, *timeline.Index, error) {
	t.mu.Lock()
	e := t.find(key)
	t.mu.Unlock()
	if e == nil {
		return nil, nil, guard.NotFound("this time line is no longer open: load the page again")
	}
	select {
	case <-e.done:
		return e, e.index, e.err
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// Close cancels indexes in the making, and waits until they have stopped.
func (t *Timelines) Close() {
	t.stop()
	t.making.Wait()
}

// open opens the index of a trace, and makes it first if it does not exist. An error goes to all who wait for the index;
// the next request tries again.
func (t *Timelines) open(e *Timeline, files *Files) {
	defer close(e.done)
	dir := record.Store{Dir: t.states}.TimelineDir(e.Record.ID)
	kept := filepath.Join(dir, e.Key)
	if e.index, e.err = readIndex(kept); e.err == nil {
		now := time.Now()
		_ = os.Chtimes(kept, now, now) // the least recently used indexes are deleted first
		return
	}
	if e.index, e.err = t.make(e, files, dir); e.err != nil {
		t.mu.Lock()
		t.list = slices.DeleteFunc(t.list, func(o *Timeline) bool { return o == e })
		t.mu.Unlock()
	}
}

func readIndex(path string) (*timeline.Index, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	x, err := timeline.Open(f, info.Size())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return x, nil
}

// make makes an index. A read-only page deletes it when it is closed.
func (t *Timelines) make(e *Timeline, files *Files, dir string) (*timeline.Index, error) {
	trace, err := recorded.OpenIn(files, e.Path)
	if err != nil {
		return nil, err
	}
	if t.readOnly {
		dir = ""
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, errors.New("the index of the time line cannot be written in the folder of the run's state")
	}
	f, err := os.CreateTemp(dir, ".timeline-*")
	if err != nil {
		return nil, errors.New("the index of the time line cannot be written")
	}
	defer os.Remove(f.Name()) // a kept index has been renamed by then
	to := &limitedWriter{f, maxIndex}
	if err := timeline.Make(t.ctx, trace, to, &e.spans); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	x, err := timeline.Open(f, maxIndex-to.left)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if t.readOnly {
		return x, nil
	}
	if os.Rename(f.Name(), filepath.Join(dir, e.Key)) == nil {
		boundIndexes(t.states, e.Key, maxIndexes)
	}
	return x, nil
}

// limitedWriter refuses to write more than a limit.
type limitedWriter struct {
	io.Writer
	left int64
}

func (w *limitedWriter) Write(b []byte) (int, error) {
	if int64(len(b)) > w.left {
		return 0, fmt.Errorf("the trace is too large for a time line: its index would have more than %d bytes", int64(maxIndex))
	}
	n, err := w.Writer.Write(b)
	w.left -= int64(n)
	if err != nil {
		return n, errors.New("the index of the time line cannot be written: the disk is full")
	}
	return n, nil
}

// boundIndexes deletes the least recently used indexes until the others keep the limit. It never deletes the newest.
func boundIndexes(states, newest string, limit int64) {
	type index struct {
		path string
		info fs.FileInfo
	}
	var all []index
	total := int64(0)
	runs, _ := os.ReadDir(states) // on an error nothing is deleted
	for _, run := range runs {
		dir := record.Store{Dir: states}.TimelineDir(run.Name())
		list, _ := os.ReadDir(dir) // most runs have no index
		for _, e := range list {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				all, total = append(all, index{filepath.Join(dir, e.Name()), info}), total+info.Size()
			}
		}
	}
	slices.SortFunc(all, func(a, b index) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for i := 0; i < len(all) && total > limit; i++ {
		if filepath.Base(all[i].path) != newest && os.Remove(all[i].path) == nil {
			total -= all[i].info.Size()
		}
	}
}
