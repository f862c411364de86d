package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
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

// timelines are the time lines of the page. An index is kept in the folder of its run among the states, and made again
// where it is gone.
type timelines struct {
	ctx    context.Context
	stop   context.CancelFunc
	making sync.WaitGroup

	mu   sync.Mutex
	list []*timelineEntry // the one that was asked for last is the last
}

func newTimelines() *timelines {
	t := &timelines{}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// timelineEntry is the time line of a trace that a run has left.
type timelineEntry struct {
	key    string
	record *record.Record
	path   string       // of the trace among the results
	spans  atomic.Int64 // that its index has so far
	done   chan struct{}
	index  *timeline.Index // when it is done; the runtime closes its file when nothing uses it any more
	err    error
}

// timeline finds the time line that a request names: of a run, and of a trace among its results.
func (s *Server) timeline(req *http.Request) (*timelineEntry, error) {
	rec, err := s.record(req.URL.Query().Get("run"))
	if err != nil {
		return nil, err
	}
	name := req.URL.Query().Get("path")
	files := newLeftFiles(rec)
	parts, ok := files.trace(name)
	if !ok {
		return nil, guard.NotFound("run `" + rec.ID + "` has left no trace `" + name + "`")
	}
	if err := files.check(parts); err != nil {
		return nil, err
	}
	key := rec.ID + "-" + files.key(parts)
	s.timelines.mu.Lock()
	defer s.timelines.mu.Unlock()
	if e := s.timelines.find(key); e != nil {
		return e, nil
	}
	e := &timelineEntry{key: key, record: rec, path: name, done: make(chan struct{})}
	s.timelines.list = append(s.timelines.list, e)
	if len(s.timelines.list) > openIndexes {
		s.timelines.list = slices.Delete(s.timelines.list, 0, 1)
	}
	s.timelines.making.Go(func() { s.openTimeline(e, files) })
	return e, nil
}

// find finds an open time line, and moves it behind the others.
func (t *timelines) find(key string) *timelineEntry {
	i := slices.IndexFunc(t.list, func(e *timelineEntry) bool { return e.key == key })
	if i < 0 {
		return nil
	}
	e := t.list[i]
	t.list = append(slices.Delete(t.list, i, i+1), e)
	return e
}

// opened is the index of a time line that was opened before, by its key.
func (s *Server) opened(req *http.Request) (*timelineEntry, *timeline.Index, error) {
	s.timelines.mu.Lock()
	e := s.timelines.find(req.URL.Query().Get("of"))
	s.timelines.mu.Unlock()
	if e == nil {
		return nil, nil, guard.NotFound("this time line is not open any more: load the page again")
	}
	select {
	case <-e.done:
		return e, e.index, e.err
	case <-req.Context().Done():
		return nil, nil, req.Context().Err()
	}
}

// close gives up what is being made, and waits for its end.
func (t *timelines) close() {
	t.stop()
	t.making.Wait()
}

// openTimeline opens the index of a trace, and makes it first where it is not kept. An error is told to those who wait, and
// the next who asks tries again.
func (s *Server) openTimeline(e *timelineEntry, files *leftFiles) {
	defer close(e.done)
	dir := record.Store{Dir: s.opt.StateDir}.TimelineDir(e.record.ID)
	kept := filepath.Join(dir, e.key)
	if e.index, e.err = readIndex(kept); e.err == nil {
		now := time.Now()
		_ = os.Chtimes(kept, now, now) // those that are used least are deleted first
		return
	}
	if e.index, e.err = s.makeTimeline(e, files, dir); e.err != nil {
		s.timelines.mu.Lock()
		s.timelines.list = slices.DeleteFunc(s.timelines.list, func(o *timelineEntry) bool { return o == e })
		s.timelines.mu.Unlock()
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

// makeTimeline makes an index. A page that writes nothing keeps it for as long as it is open.
func (s *Server) makeTimeline(e *timelineEntry, files *leftFiles, dir string) (*timeline.Index, error) {
	trace, err := recorded.OpenIn(files, e.path)
	if err != nil {
		return nil, err
	}
	if s.opt.ReadOnly {
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
	if err := timeline.Make(s.timelines.ctx, trace, to, &e.spans); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	x, err := timeline.Open(f, maxIndex-to.left)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if s.opt.ReadOnly {
		return x, nil
	}
	if os.Rename(f.Name(), filepath.Join(dir, e.key)) == nil {
		boundIndexes(s.opt.StateDir, e.key, maxIndexes)
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
