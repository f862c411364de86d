package recorded

import (
	"cmp"
	"errors"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// The reasons why threads cannot be read separately.
var (
	errMixed = errors.New("a stream has events of several threads")
	errTasks = errors.New("tasks go from one thread to another")
)

// stream is a stream that is read separately from others.
type stream struct {
	part   *part
	name   string
	thread *Thread // nil: its events are of several threads
	rank   int     // the rank, if its events have shown it
}

func (s *stream) open(sparse bool) *source {
	opened := s.part.source(s.name, sparse)
	if s.thread != nil {
		opened.is(s.thread)
	}
	return opened
}

// threadStreams returns the streams of each thread, in the order of the traces, or nil if a stream has events of several threads.
func (t *Trace) threadStreams() (list [][]*stream) {
	at := map[*Thread]int{}
	for _, p := range t.parts {
		if !p.StreamIsThread() || t.mixed {
			return nil
		}
	}
	for _, p := range t.parts {
		for _, name := range p.Streams {
			th := p.first[name]
			if th == nil {
				continue // it has no events
			}
			i, known := at[th]
			if !known {
				i = len(list)
				at[th] = i
				list = append(list, nil)
			}
			list[i] = append(list[i], &stream{p, name, th, -1})
		}
	}
	return list
}

// allStreams returns all streams as one list.
func (t *Trace) allStreams() [][]*stream {
	list := [][]*stream{nil}
	for _, p := range t.parts {
		for _, name := range p.Streams {
			list[0] = append(list[0], &stream{p, name, nil, -1})
		}
	}
	return list
}

// apart calls do with the streams of each thread, several threads at a time. It returns the error of the first thread that has one.
func apart(list [][]*stream, do func(thread int, streams []*stream) error) error {
	errs := make([]error, len(list))
	var next atomic.Int64
	var failed atomic.Bool
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		all.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(list) {
					return
				}
				if errs[i] = do(i, list[i]); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	all.Wait()
	for _, streams := range list {
		for _, s := range streams {
			if s.rank >= 0 {
				s.thread.Rank = s.rank
			}
		}
	}
	return cmp.Or(errs...)
}

// WalkApart reads the events of each thread in the order of time, several threads at once. It calls begin
// with the number of threads, and handler for each thread. If threads cannot be read separately, ok is
// false: everything handled so far must be discarded, and Walk used instead.
func (t *Trace) WalkApart(begin func(threads int), handler func(thread int) Handler) (ok bool, err error) {
	list := t.threadStreams()
	if list == nil {
		return false, nil
	}
	begin(len(list))
	t.reset()
	err = apart(list, func(i int, streams []*stream) error {
		w := newWalker(t, handler(i))
		w.apart = true
		for _, s := range streams {
			opened := s.open(w.Sparse)
			if err := w.merge([]*source{opened}); err != nil {
				return err
			}
			s.rank = opened.rank
		}
		if err := w.pop(streams[0].thread, 0, w.last, nil); err != nil || w.Done == nil {
			return err
		}
		return w.Done()
	})
	if errors.Is(err, errMixed) || errors.Is(err, errTasks) {
		t.mixed = t.mixed || errors.Is(err, errMixed)
		return false, nil
	}
	return err == nil, err
}

// Survey reads the whole trace once, so that its threads, their ranks, lost events and created tasks are known before Walk.
func (t *Trace) Survey() error {
	list, together := t.threadStreams(), false
	if list == nil {
		list, together = t.allStreams(), true
	}
	found := make([]map[taskKey]*Region, len(list))
	err := apart(list, func(i int, streams []*stream) error {
		found[i] = map[taskKey]*Region{}
		for _, s := range streams {
			if err := t.survey(s, together, found[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errMixed) {
		t.mixed = true
		return t.Survey()
	}
	for _, tasks := range found {
		maps.Copy(t.tasks, tasks)
	}
	t.surveyed = err == nil
	return err
}

// survey reads a stream. together is true if no other stream is read at the same time.
func (t *Trace) survey(from *stream, together bool, tasks map[taskKey]*Region) error {
	s := from.open(true)
	defer s.Close()
	for s.Next() {
		k := s.part.kinds[s.Event]
		if err := t.identify(s, k, together); err != nil {
			return err
		}
		switch th := s.thread; {
		case k.task >= 0:
			created(tasks, th, s.part, k, &s.Occurrence)
		case k.Phase == Whole && th.Device == "":
			th.device(k, &s.Occurrence)
		}
	}
	if !together {
		from.rank = s.rank
	}
	return s.Err()
}

// created records where a task was created.
func created(tasks map[taskKey]*Region, th *Thread, p *part, k *Kind, o *ctf.Occurrence) {
	var where *Region
	if k.code >= 0 {
		where = p.regions.At(o.Fields[k.code].Number)
	}
	tasks[taskKey{th.Process, o.Fields[k.task].Number}] = where
}
