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

// This file writes in the background while the program continues.
//
//	call: evaluate, copy ──▶ queue of steps, in their order ──▶ a thread for each file: open, write, close
//	       ▲ waits while the file has its maximum of steps or bytes
//	error of a step ──▶ the next call on its file, or the end of the run
//
// A queued step does not need the store: its expressions have been evaluated, and its memory is a copy. Processes of a
// communicator queue only their elements: see unfinished.

// step is the part of a call that a thread performs.
type step struct {
	file    *file
	path    string
	run     func() error
	copies  [][]byte
	bytes   int64
	started bool
}

// background is the threads that write the files of a plugin. Files are written in parallel: a slow disk, or chunks to
// be compressed, do not delay other files.
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

// writeInBackground queues writes for the background thread. If an earlier step failed, it returns the error of that step,
// but the writes are queued nevertheless.
func (f *file) writeInBackground(path, full string, writes []*Operation) error {
	tasks := make([]task, len(writes))
	memory := make([]*[]byte, len(writes))
	for i, op := range writes {
		var err error
		if tasks[i], err = f.prepare(op); err != nil {
			return failed("cannot write", path, err)
		}
		memory[i] = &tasks[i].memory
	}
	earlier := f.background.failure(f) // ask before queueing: an error of the new step must be returned by the next call, not by this one
	return data.Join([]error{earlier, f.later(path, full, memory, func() error {
		return f.writeTo(path, full, func(h *hdf5.File) error {
			return execute(h, tasks, func(h *hdf5.File, t task) error { return t.do(h, t.memory) }, h.Pause)
		})
	})})
}

// later queues a step with copies of its memory. If the copies would exceed the limit for memory, later performs the step at
// once and returns its error.
func (f *file) later(path, full string, memory []*[]byte, run func() error) error {
	size := int64(0)
	for _, m := range memory {
		size += int64(len(*m))
	}
	if f.Async == nil || size > f.Async.memory {
		if f.Async != nil {
			f.Log.Info("`%s` is written at once: a step of %d bytes is more than its buffers may take", path, size)
		}
		f.background.wait(full)
		err := run()
		f.background.tell(f)
		return err
	}
	if waited := f.background.room(f, size); waited > 0 {
		f.Log.Info("waited %s for a free buffer of `%s`: %s and %s may wait to be written", quantity.Duration(waited), path, quantity.Count(f.Async.buffers, "step", "steps"), bytesize.Text(f.Async.memory))
	}
	s := &step{file: f, path: full, run: run, bytes: size}
	for _, m := range memory {
		if *m != nil {
			*m = append(f.background.buffer(f, len(*m)), *m...)
			s.copies = append(s.copies, *m)
		}
	}
	f.background.put(s)
	return nil
}

// room waits until a file has room for another step, reserves it, and returns how long it waited.
func (b *background) room(f *file, size int64) (waited time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	waited = b.until(func() bool { return f.Async.steps < f.Async.buffers && f.Async.bytes+size <= f.Async.memory })
	f.Async.steps++
	f.Async.bytes += size
	return waited
}

// until waits until holds returns true, and returns how long it waited. The caller must hold the lock.
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

// buffer returns memory for a copy. If possible, it reuses the memory of a step that has been written.
func (b *background) buffer(f *file, size int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	fits := func(p []byte) bool { return cap(p) >= size && cap(p) <= 2*size }
	if i := slices.IndexFunc(f.Async.spare, fits); i >= 0 {
		p := f.Async.spare[i]
		f.Async.spare = slices.Delete(f.Async.spare, i, i+1)
		return p[:0]
	}
	f.Async.spare = nil // the spare buffers do not have a suitable size
	return make([]byte, 0, size)
}

// put queues a step.
func (b *background) put(s *step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.files, s.file) {
		b.files = append(b.files, s.file)
	}
	b.queue = append(b.queue, s)
	b.start()
}

// start starts every queued step that need not wait for an earlier one. A step waits for earlier steps of the same file in
// the tree, whose name on disk may change between steps, and for earlier steps that write to the same file on disk. The
// caller must hold the lock.
func (b *background) start() {
	for i, s := range b.queue {
		before := func(other *step) bool { return other.file == s.file || other.path == s.path }
		if !s.started && !slices.ContainsFunc(b.queue[:i], before) {
			s.started = true
			go b.work(s)
		}
	}
}

// work runs in a thread and performs a step.
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

// safely runs a step and recovers from a panic, which would otherwise crash the program.
func (s *step) safely() (err error) {
	defer func() {
		if recover() != nil {
			err = data.Fault("writing `" + s.path + "`")
		}
	}()
	return s.run()
}

// wait waits until all queued steps of a path are written, and returns for how long.
func (b *background) wait(path string) (waited time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until(func() bool {
		return !slices.ContainsFunc(b.queue, func(s *step) bool { return s.path == path })
	})
}

// tell logs the warnings that background steps of a file have left.
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

// failure logs the warnings of a file's background steps. It returns the first of their errors that no call has returned
// yet.
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

// warn logs a warning. In a background thread, it keeps the warning until the next call, because only the program's thread
// may use the log.
func (f *file) warn(format string, args ...any) {
	if f.Async == nil {
		f.Log.Warn(format, args...)
		return
	}
	f.background.mu.Lock()
	defer f.background.mu.Unlock()
	f.Async.warned = append(f.Async.warned, fmt.Sprintf(format, args...))
}
