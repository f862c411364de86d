package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// newName gives a new file its name once it is complete. The file may replace an existing one.
type newName struct {
	temporary string
	old       *os.File // locked until then; nil if there is none
}

// Create makes an empty file, which may replace an existing file if no other program writes it. It has the name
// `PATH.partial` until Publish.
func Create(path string) (*File, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	n := &newName{temporary: path + ".partial"}
	w, err := n.open(path)
	if err != nil {
		n.close()
		if _, ours := errors.AsType[*fs.PathError](err); ours {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f := New(w, 0, 48)
	f.W, f.Path, f.new = w, path, n
	return f, nil
}

// open locks the existing file, if any, and makes the new one.
func (n *newName) open(path string) (*os.File, error) {
	mode := fs.FileMode(0o666)
	info, err := os.Lstat(path)
	if err == nil {
		if !info.Mode().IsRegular() {
			return nil, errors.New("it exists already and is not a regular file")
		}
		if n.old, err = os.OpenFile(path, os.O_RDWR, 0); err == nil {
			err = lock(n.old, true)
		}
		mode = info.Mode().Perm()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for range 100 {
		w, err := n.claim(mode)
		if w != nil || err != nil {
			return w, err
		}
	}
	return nil, fmt.Errorf("%s: %w", filepath.Base(n.temporary), ErrLocked)
}

// claim makes the temporary file, and replaces the file of a killed program. It returns nil if another program is
// about to do the same.
func (n *newName) claim(mode fs.FileMode) (*os.File, error) {
	w, err := os.OpenFile(n.temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil, n.clear()
	}
	if err != nil {
		return nil, err
	}
	err = lock(w, true)
	if err == nil && n.old != nil {
		err = w.Chmod(mode)
	}
	var mine fs.FileInfo
	if err == nil {
		mine, err = w.Stat()
	}
	// Before we locked it, another program may have removed it as a leftover.
	if there, gone := os.Lstat(n.temporary); err != nil || gone != nil || !os.SameFile(mine, there) {
		w.Close()
		if errors.Is(err, ErrLocked) {
			err = nil
		}
		return nil, err
	}
	return w, nil
}

// clear removes the file with the temporary name, unless a program is writing it.
func (n *newName) clear() error {
	info, err := os.Lstat(n.temporary)
	if err == nil && info.Mode().IsRegular() {
		var left *os.File
		if left, err = os.OpenFile(n.temporary, os.O_RDWR, 0); err == nil {
			defer left.Close()
			err = lock(left, true)
		}
	}
	if err == nil {
		err = os.Remove(n.temporary)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Publish gives a new file its name.
func (f *File) Publish() error {
	if f.new == nil {
		return nil
	}
	if err := os.Rename(f.new.temporary, f.Path); err != nil {
		return err
	}
	go f.new.close() // frees the old file, which can take the system as long as writing it
	f.new = nil
	return nil
}

// discard removes a new file that could not be completed.
func (n *newName) discard() error {
	n.close()
	return os.Remove(n.temporary)
}

func (n *newName) close() {
	if n.old != nil {
		unlock(n.old)
		n.old.Close()
	}
}

// Place returns the current path of the file's bytes: a new file gets its name only when it is complete.
func (f *File) Place() string {
	if f.new != nil {
		return f.new.temporary
	}
	return f.Path
}

// Close closes a file after its changes were written or failed. If failed is not nil, a new file is removed, and
// the file that it was to replace stays. Otherwise Close calls last first.
func (f *File) Close(failed error, last func() error) error {
	err := failed
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

// Keep records what Reopen compares, before the file is closed. It reports whether it succeeded: if the file is
// unchanged at Reopen, the state in memory is the state of the file.
//
// Clocks of file systems advance in steps of milliseconds, and two changes within a step have the same time. So the
// file gets an exact time, which a later change does not repeat.
func (f *File) Keep() bool {
	w, ok := f.r.(*os.File)
	if !ok || f.W == nil || os.Chtimes(f.Path, time.Time{}, time.Now()) != nil {
		return false
	}
	info, err := w.Stat()
	if err != nil || info.Size() != f.Size {
		return false
	}
	f.kept = info
	return true
}

// Reopen opens a file that was closed after Keep, and reports whether it is unchanged.
func (f *File) Reopen() (bool, error) {
	if f.kept == nil {
		return false, nil
	}
	w, err := os.OpenFile(f.Path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	if err := lock(w, true); err != nil {
		return false, errors.Join(fmt.Errorf("%s: %w", f.Path, err), w.Close())
	}
	if !f.unchanged(w) {
		w.Close()
		return false, nil
	}
	f.r, f.W = w, w
	f.reuse()
	return true, nil
}

func (f *File) unchanged(w *os.File) bool {
	info, err := w.Stat()
	if err != nil || !os.SameFile(info, f.kept) || info.Size() != f.kept.Size() || !info.ModTime().Equal(f.kept.ModTime()) {
		return false
	}
	sb := make([]byte, len(f.fields))
	_, err = w.ReadAt(sb, f.Base)
	return err == nil && bytes.Equal(sb, f.fields)
}
