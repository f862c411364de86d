package recorded

import (
	"io/fs"
	"sync/atomic"
)

// watched counts how much of its files was read.
type watched struct {
	fs.FS
	read  func(done, total int64)
	done  atomic.Int64
	total atomic.Int64
}

// Open opens a file whose bytes count, or a folder.
func (w *watched) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	file, ok := f.(readerAt)
	info, err := f.Stat()
	if err != nil || !ok || !info.Mode().IsRegular() {
		return f, nil // reading it reports the error
	}
	if w.total.CompareAndSwap(0, info.Size()) { // a timeline is read when it is opened
		w.done.Store(0)
	}
	return &watchedFile{file, w}, nil
}

// readerAt is a file that can be read at any position.
type readerAt interface {
	fs.File
	ReadAt(p []byte, at int64) (int, error)
}

type watchedFile struct {
	readerAt
	by *watched
}

func (f *watchedFile) Read(p []byte) (int, error) {
	n, err := f.readerAt.Read(p)
	f.by.add(n)
	return n, err
}

func (f *watchedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.readerAt.ReadAt(p, at)
	f.by.add(n)
	return n, err
}

// add reports how much was read. If a trace is read more than once, the count begins again.
func (w *watched) add(n int) {
	done, total := w.done.Add(int64(n)), w.total.Load()
	if done > total {
		w.done.CompareAndSwap(done, 0)
		done = 0
	}
	w.read(done, total)
}

// size returns the number of bytes of all streams.
func (t *Trace) size() (total int64) {
	for _, p := range t.parts {
		total += p.Size()
	}
	return total
}
