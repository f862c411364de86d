package outfile

import (
	"errors"
	"hash"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/seal"
)

// Suffix is what the name of a file has while it is not complete.
const Suffix = ".partial"

// A File is a result that is being written. It has its name from Close on.
type File struct {
	file    *os.File
	path    string // the name that it gets; empty: it has it already
	written int64
	kept    bool
	failed  bool
	seal    *seal.Maker // nil: it gets none
	sum     hash.Hash32 // of what is written, for a seal beside it
	patched bool        // something was written over
	ledger  *Ledger     // nil: none is told of it
	hash    hash.Hash   // of what is written, for the ledger
}

// Create begins a file. What is at the path stays until Close; a device or a
// pipe is written directly.
func Create(path string) (*File, error) {
	mode, replaces := os.FileMode(0o666), false
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			return &File{file: f}, err
		}
		if path, err = filepath.EvalSymlinks(path); err != nil { // a link stays one
			return nil, err
		}
		old, err := os.OpenFile(path, os.O_WRONLY, 0) // what may not be written is not replaced
		if err != nil {
			return nil, err
		}
		old.Close()
		mode, replaces = info.Mode().Perm(), true
	}
	f, err := Begin(path+Suffix, mode)
	if err != nil {
		return nil, err
	}
	if replaces {
		_ = f.Chmod(mode) // a umask took some of it; a disk without modes has none to keep
	}
	return &File{file: f, path: path}, nil
}

// Replace begins a file whose name the program chose, and no user: at Close it takes
// the place of what is at the path, also of a link, which is not followed.
func Replace(path string) (*File, error) {
	f, err := Begin(path+Suffix, 0o666)
	if err != nil {
		return nil, err
	}
	return &File{file: f, path: path}, nil
}

// Begin makes a new file that is not complete. What an earlier run left at the
// path is removed: of a link the link, so that nothing is written where it leads.
func Begin(path string, mode os.FileMode) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
		if info, e := os.Lstat(path); e == nil && info.IsDir() {
			return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("a folder has the name that the file has while it is written, `" + filepath.Base(path) + "`")}
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// Direct reports whether the file is a device or a pipe, which has no place to go
// back to.
func (f *File) Direct() bool { return f.path == "" }

func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	f.written += int64(n)
	f.failed = f.failed || err != nil
	if f.sum != nil {
		f.sum.Write(p[:n])
	}
	if f.hash != nil {
		f.hash.Write(p[:n])
	}
	return n, err
}

// WriteAt writes over what is there already.
func (f *File) WriteAt(p []byte, at int64) (int, error) {
	f.patched = true
	n, err := f.file.WriteAt(p, at)
	f.failed = f.failed || err != nil
	return n, err
}

// Keep says that the file is complete, even if it is empty.
func (f *File) Keep() { f.kept = true }

// Close gives the file its name. Where a write has failed, what was written
// stays under the name of a file that is not complete; an empty file that
// was not kept leaves nothing.
func (f *File) Close() error {
	inside, err := f.sealInside()
	note, noted := f.noted()
	if e := f.file.Close(); err == nil {
		err = e
	}
	switch {
	case f.path == "":
	case f.failed || err != nil:
	case f.written == 0 && !f.kept:
		err = os.Remove(f.file.Name())
	default:
		if err = os.Rename(f.file.Name(), f.path); err != nil {
			break
		}
		if noted {
			f.ledger.add(note)
		}
		if !inside {
			f.sealBeside()
		}
	}
	return err
}

// Leave ends a file that is not complete: what was written stays under the name of such
// a file, and an empty one leaves nothing.
func (f *File) Leave() error {
	if f.written > 0 {
		f.failed = true
	}
	f.kept = false
	return f.Close()
}

// Discard leaves what was there before.
func (f *File) Discard() error {
	err := f.file.Close()
	if f.path != "" {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	return err
}

// SyncFolder brings the names in a folder to the disk. A system that cannot
// does so when it will.
func SyncFolder(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Sync() // not every file system has it
}
