package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"time"
)

// maxKept is the number of objects above which a closed file keeps none in memory.
const maxKept = 4096

// Close flushes and closes the file. A new file that cannot be completed is
// removed, and the one that it was to replace stays.
func (f *File) Close() error {
	return f.close(func() error {
		if f.w == nil {
			return nil
		}
		return f.trim()
	})
}

// Pause flushes and closes the file until Reopen, which finds it as it is left here.
// Other programs can read and change it meanwhile. The last time it is closed by Close,
// which makes it no longer than it has to be.
func (f *File) Pause() error {
	return f.close(func() error {
		if f.w != nil {
			f.keep()
		}
		return nil
	})
}

func (f *File) close(last func() error) error {
	err := f.Flush()
	if err != nil && f.new != nil {
		err = errors.Join(err, f.new.discard())
		f.new = nil
	}
	if f.kept = nil; err == nil {
		err = last()
	}
	if file, ok := f.r.(*os.File); ok {
		unlock(file)
	}
	if c, ok := f.r.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return err
}

// keep notes what Reopen compares: where all is as it was, what is in memory is
// what is in the file.
//
// Clocks of file systems go in steps of milliseconds, and two changes within a
// step have the same time. So the file gets a time that is exact, which a later
// change does not meet.
func (f *File) keep() {
	w, ok := f.r.(*os.File)
	if !ok || os.Chtimes(f.path, time.Time{}, time.Now()) != nil {
		return
	}
	info, err := w.Stat()
	if err != nil || info.Size() != f.size {
		return
	}
	f.kept = info
	if len(f.objects) > maxKept {
		maps.DeleteFunc(f.objects, func(addr uint64, _ *object) bool { return addr != f.sb.root && addr != f.sb.extension })
		f.headers, f.entries = 0, 0
	}
	f.open, f.packer = openChunk{}, packer{}
}

// Path is the name under which the file was opened or made, empty where it had none.
func (f *File) Path() string { return f.path }

// Reopen opens a file that was closed by Pause for changing it again. Where no other
// program has changed it since, it need not be read, and room that was given
// back is used again; else it is the same as OpenRW. Groups and datasets that
// were opened before are not to be used any more.
func (f *File) Reopen() (*File, error) {
	if f.kept == nil {
		return OpenRW(f.path)
	}
	w, err := os.OpenFile(f.path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := lock(w, true); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", f.path, err), w.Close())
	}
	if !f.unchanged(w) {
		w.Close()
		return OpenRW(f.path)
	}
	f.r, f.w = w, w
	f.reuse()
	return f, nil
}

func (f *File) unchanged(w *os.File) bool {
	info, err := w.Stat()
	if err != nil || !os.SameFile(info, f.kept) || info.Size() != f.kept.Size() || !info.ModTime().Equal(f.kept.ModTime()) {
		return false
	}
	sb := make([]byte, len(f.sb.fields))
	_, err = w.ReadAt(sb, f.sb.base)
	return err == nil && bytes.Equal(sb, f.sb.fields)
}
