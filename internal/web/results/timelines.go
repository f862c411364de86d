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
	maxIndex     = 1 << 30 // bytes of one
	maxIndexes   = 4 << 30 // of all that are kept
	openIndexes  = 8
	timelineWait = time.Second // before the page is told how far an index is
)

// Timelines are the time lines that are open. An index is kept in the folder of its run among the states, and made again
// if it is gone.
type Timelines struct {
	states   string // the folder of the states
	readOnly bool   // an index is kept for as long as it is open

	ctx    context.Context
	stop   context.CancelFunc
	making sync.WaitGroup

	mu   sync.Mutex
	list []*Timeline // the one that was asked for last is the last
}

// NewTimelines keeps its indexes below the folder of the states, unless nothing may be written.
func NewTimelines(states string, readOnly bool) *Timelines {
	t := &Timelines{states: states, readOnly: readOnly}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// Timeline is the time line of a trace that a run has left.
type Timeline struct {
	Key    string
	Record *record.Record
	Path   string       // of the trace among the results
	spans  atomic.Int64 // that its index has so far
	done   chan struct{}
	index  *timeline.Index // when it is done; the runtime closes its file when nothing uses it any more
	err    error
}

// Open begins to open the time line of a trace among the results of a run.
func (t *Timelines) Open(rec *record.Record, name string) (*Timeline, error) {
	files := NewFiles(rec)
	parts, ok := files.trace(name)
	if !ok {
		return nil, guard.NotFound("run `" + rec.ID + "` has left no trace `" + name + "`")
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

// Wait waits a moment for the index. If it is not whole yet, it is nil, and spans is how many it has.
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

// find finds an open time line, and moves it behind the others.
func (t *Timelines) find(key string) *Timeline {
	i := slices.IndexFunc(t.list, func(e *Timeline) bool { return e.Key == key })
	if i < 0 {
		return nil
	}
	e := t.list[i]
	t.list = append(slices.Delete(t.list, i, i+1), e)
	return e
}

// Opened is a time line that was opened before, by its key.
func (t *Timelines) Opened(ctx context.Context, key string) (*Timeline, *timeline.Index, error) {
	t.mu.Lock()
	e := t.find(key)
	t.mu.Unlock()
	if e == nil {
		return nil, nil, guard.NotFound("this time line is not open any more: load the page again")
	}
	select {
	case <-e.done:
		return e, e.index, e.err
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// Close gives up what is being made, and waits for its end.
func (t *Timelines) Close() {
	t.stop()
	t.making.Wait()
}

// open opens the index of a trace, and makes it first if it is not kept. An error is told to those who wait, and
// the next who asks tries again.
func (t *Timelines) open(e *Timeline, files *Files) {
	defer close(e.done)
	dir := record.Store{Dir: t.states}.TimelineDir(e.Record.ID)
	kept := filepath.Join(dir, e.Key)
	if e.index, e.err = readIndex(kept); e.err == nil {
		now := time.Now()
		_ = os.Chtimes(kept, now, now) // those that are used least are deleted first
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

// make makes an index. A page that writes nothing keeps it for as long as it is open.
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
	defer os.Remove(f.Name()) // one that is kept has another name then
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

// limitedWriter refuses what is too much.
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

// boundIndexes deletes the indexes that were not used for longest, until the others have few enough bytes. The newest stays.
func boundIndexes(states, newest string, limit int64) {
	type index struct {
		path string
		info fs.FileInfo
	}
	var all []index
	total := int64(0)
	runs, _ := os.ReadDir(states) // where nothing can be listed nothing is deleted
	for _, run := range runs {
		dir := record.Store{Dir: states}.TimelineDir(run.Name())
		list, _ := os.ReadDir(dir) // most have none
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
