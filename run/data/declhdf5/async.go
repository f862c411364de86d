package declhdf5

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// Writing while the program goes on.
//
//	call: evaluate, copy ──▶ queue of steps, in their order ──▶ a thread for each file: open, write, close
//	       ▲ waits where there are as many steps, or bytes, as the file may have
//	error of a step ──▶ the next call on its file, or the end of the run
//
// What is put into the queue needs nothing of the store: expressions have their values,
// memory is a copy. Processes of a communicator leave their elements to it alone: see
// unfinished.

// step is what a call leaves to a thread.
type step struct {
	file    *file
	path    string
	run     func() error
	copies  [][]byte
	bytes   int64
	started bool
}

// background is the threads that write for the files of a plugin. Files are written at once: a slow disk, or chunks
// to be packed, hold up no other file.
type background struct {
	mu      sync.Mutex
	changed sync.Cond
	queue   []*step // of all files, in the order of their calls
	files   []*file
}

func newBackground() *background {
	b := &background{}
	b.changed.L = &b.mu
	return b
}

// writeBehind leaves writes to the thread. It returns the error of an earlier step, where
// there is one; the step of this call is written all the same.
func (f *file) writeBehind(path, full string, writes []*Operation) error {
	tasks := make([]task, len(writes))
	memory := make([]*[]byte, len(writes))
	for i, op := range writes {
		var err error
		if tasks[i], err = f.prepare(op); err != nil {
			return failed("cannot write", path, err)
		}
		memory[i] = &tasks[i].memory
	}
	earlier := f.behind.failure(f) // before the thread can meet an error of this step, which is one of the next call
	return data.Join([]error{earlier, f.later(path, full, memory, func() error {
		return f.writeTo(path, full, func(h *hdf5.File) error {
			return execute(h, tasks, func(h *hdf5.File, t task) error { return t.do(h, t.memory) }, h.Pause)
		})
	})})
}

// later lets the thread run a step, with copies of the memory that it takes. A step that is too large runs
// at once, and its error is returned.
func (f *file) later(path, full string, memory []*[]byte, run func() error) error {
	size := int64(0)
	for _, m := range memory {
		size += int64(len(*m))
	}
	if f.Async == nil || size > f.Async.memory {
		if f.Async != nil {
			f.Log.Info("`%s` is written at once: a step of %d bytes is more than its buffers may take", path, size)
		}
		f.behind.wait(full)
		err := run()
		f.behind.tell(f)
		return err
	}
	if waited := f.behind.room(f, size); waited > 0 {
		f.Log.Info("waited %s for a free buffer of `%s`: %s and %s may wait to be written", quantity.Duration(waited), path, quantity.Count(f.Async.buffers, "step", "steps"), bytesize.Text(f.Async.memory))
	}
	s := &step{file: f, path: full, run: run, bytes: size}
	for _, m := range memory {
		if *m != nil {
			*m = append(f.behind.buffer(f, len(*m)), *m...)
			s.copies = append(s.copies, *m)
		}
	}
	f.behind.put(s)
	return nil
}

// room takes room for a step of a file, and returns how long it waited for it.
func (b *background) room(f *file, size int64) (waited time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	waited = b.until(func() bool { return f.Async.steps < f.Async.buffers && f.Async.bytes+size <= f.Async.memory })
	f.Async.steps++
	f.Async.bytes += size
	return waited
}

// until waits for a condition, and returns how long; its caller has the lock.
func (b *background) until(holds func() bool) time.Duration {
	if holds() {
		return 0
	}
	start := time.Now()
	for !holds() {
		b.changed.Wait()
	}
	return time.Since(start)
}

// buffer gives memory for a copy: of a step that is written, or new.
func (b *background) buffer(f *file, size int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	fits := func(p []byte) bool { return cap(p) >= size && cap(p) <= 2*size }
	if i := slices.IndexFunc(f.Async.spare, fits); i >= 0 {
		p := f.Async.spare[i]
		f.Async.spare = slices.Delete(f.Async.spare, i, i+1)
		return p[:0]
	}
	f.Async.spare = nil // they are of other sizes
	return make([]byte, 0, size)
}

// put gives a step to a thread.
func (b *background) put(s *step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.files, s.file) {
		b.files = append(b.files, s.file)
	}
	b.queue = append(b.queue, s)
	b.start()
}

// start starts each step that waits for no earlier one: of the same file of the tree, whose name may be another in each
// step, or of the same file on disk. Its caller has the lock.
func (b *background) start() {
	for i, s := range b.queue {
		before := func(other *step) bool { return other.file == s.file || other.path == s.path }
		if !s.started && !slices.ContainsFunc(b.queue[:i], before) {
			s.started = true
			go b.work(s)
		}
	}
}

// work is a thread: it writes a step.
func (b *background) work(s *step) {
	err := s.safely()
	b.mu.Lock()
	defer b.mu.Unlock()
	a := s.file.Async
	if err != nil {
		a.errs = append(a.errs, err)
	}
	a.steps--
	a.bytes -= s.bytes
	a.spare = append(a.spare, s.copies...)
	b.queue = slices.DeleteFunc(b.queue, func(other *step) bool { return other == s })
	b.start()
	b.changed.Broadcast()
}

// safely runs a step. A panic would end the program, whose thread this is not.
func (s *step) safely() (err error) {
	defer func() {
		if recover() != nil {
			err = data.Fault("writing `" + s.path + "`")
		}
	}()
	return s.run()
}

// wait waits until nothing is left to be written to a path, and returns how long.
func (b *background) wait(path string) (waited time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until(func() bool {
		return !slices.ContainsFunc(b.queue, func(s *step) bool { return s.path == path })
	})
}

// tell writes to the log what steps of a file said.
func (b *background) tell(f *file) {
	if f.Async == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range f.Async.warned {
		f.Log.Warn("%s", text)
	}
	f.Async.warned = nil
}

// failure returns the first error that the thread met with a file and that no call has
// returned yet, and tells what its steps said.
func (b *background) failure(f *file) error {
	if f.Async == nil {
		return nil
	}
	b.tell(f)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(f.Async.errs) == 0 {
		return nil
	}
	err := f.Async.errs[0]
	f.Async.errs = f.Async.errs[1:]
	return data.Within(err, "an earlier step")
}

// end waits until everything is written, and returns the errors that no call has returned.
func (b *background) end() error {
	b.mu.Lock()
	b.until(func() bool { return len(b.queue) == 0 })
	files := b.files
	b.mu.Unlock()
	var all []error
	for _, f := range files {
		for err := b.failure(f); err != nil; err = b.failure(f) {
			all = append(all, err)
		}
	}
	return data.Join(all)
}

// warn writes to the log; what the thread of background says waits for the next call, as
// the log belongs to the program's thread.
func (f *file) warn(format string, args ...any) {
	if f.Async == nil {
		f.Log.Warn(format, args...)
		return
	}
	f.behind.mu.Lock()
	defer f.behind.mu.Unlock()
	f.Async.warned = append(f.Async.warned, fmt.Sprintf(format, args...))
}
