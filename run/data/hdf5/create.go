package hdf5

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// newName is how a new file gets its name: when it is complete, in place of one
// that is there.
type newName struct {
	temporary string
	old       *os.File // locked until then; nil where there is none
}

// Create makes an empty file, in place of one that is there and that no other
// program writes. It has the name `PATH.partial`, and its own name when Flush
// or Close made it complete.
func Create(path string) (*File, error) { return makeFile(path, false) }

// CreateOrdered is Create of a file whose groups and datasets keep the order in which links and attributes are made.
func CreateOrdered(path string) (*File, error) { return makeFile(path, true) }

func makeFile(path string, ordered bool) (*File, error) {
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
	f := newFile(w, 0)
	f.w, f.path, f.new = w, path, n
	f.sb = superblock{version: 2, offsetSize: 8, lengthSize: 8, extension: undefined, chunkK: defaultChunkK}
	f.end = 48
	root := f.newGroup(ordered)
	f.sb.root = root.addr
	return f, nil
}

// open locks the file that is there and makes the one that takes its place.
func (n *newName) open(path string) (*os.File, error) {
	mode := fs.FileMode(0o666)
	info, err := os.Lstat(path)
	if err == nil {
		if !info.Mode().IsRegular() {
			return nil, errors.New("it is there already, and not a file")
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

// claim makes the temporary file, in place of one that a killed program left.
// It returns nil where another program is about to do the same.
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
	// Before the lock another program may have taken it for a leftover.
	if there, gone := os.Lstat(n.temporary); err != nil || gone != nil || !os.SameFile(mine, there) {
		w.Close()
		if errors.Is(err, ErrLocked) {
			err = nil
		}
		return nil, err
	}
	return w, nil
}

// clear removes what has the temporary name, unless a program writes it.
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

// publish gives a new file its name.
func (f *File) publish() error {
	if f.new == nil {
		return nil
	}
	if err := os.Rename(f.new.temporary, f.path); err != nil {
		return err
	}
	go f.new.close() // with it go the bytes of the old file, which takes the system as long as writing them
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
