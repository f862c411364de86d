package outfile

import (
	"errors"
	"hash"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/seal"
)

// Suffix is appended to the name of a file until it is complete.
const Suffix = ".partial"

// A File is a result that is being written. It gets its final name when it is
// closed.
type File struct {
	file    *os.File
	path    string // the final name; empty if the file has it already
	written int64
	kept    bool
	failed  bool
	seal    *seal.Maker // creates the seal, a record of what produced the file; if nil, the file gets none
	sum     hash.Hash32 // the checksum of what is written, for a seal in a separate file
	patched bool        // some bytes were overwritten
	ledger  *Ledger     // if nil, no ledger records the file
	hash    hash.Hash   // the hash of what is written, for the ledger
}

// Create begins a file. An existing file at the path stays until Close. A device or
// a pipe is written directly.
func Create(path string) (*File, error) {
	mode, replaces := os.FileMode(0o666), false
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			return &File{file: f}, err
		}
		if path, err = filepath.EvalSymlinks(path); err != nil { // if the path is a link, replace the file that it points to
			return nil, err
		}
		old, err := os.OpenFile(path, os.O_WRONLY, 0) // check that the old file may be written, else it must not be replaced
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
		_ = f.Chmod(mode) // the umask may have removed bits; some disks have no modes
	}
	return &File{file: f, path: path}, nil
}

// Replace begins a file whose name the program chose, not a user. At Close it
// replaces whatever is at the path, even a link, which is not followed.
func Replace(path string) (*File, error) {
	f, err := Begin(path+Suffix, 0o666)
	if err != nil {
		return nil, err
	}
	return &File{file: f, path: path}, nil
}

// Begin creates a new incomplete file. It removes a file that an earlier run left at
// the path. If that is a link, it removes the link, so that nothing is written to
// its target.
func Begin(path string, mode os.FileMode) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
		if info, e := os.Lstat(path); e == nil && info.IsDir() {
			return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("there is a folder with the temporary name of the file, `" + filepath.Base(path) + "`")}
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// Direct reports whether the file is a device or a pipe, in which it is impossible
// to seek back.
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

// WriteAt overwrites bytes that were written before.
func (f *File) WriteAt(p []byte, at int64) (int, error) {
	f.patched = true
	n, err := f.file.WriteAt(p, at)
	f.failed = f.failed || err != nil
	return n, err
}

// Keep marks the file as complete, even if it is empty.
func (f *File) Keep() { f.kept = true }

// Close gives the file its final name. If a write has failed, the file keeps the
// name of an incomplete file. An empty file without Keep is removed.
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

// Leave ends an incomplete file. What was written stays under the name of an
// incomplete file, and an empty file is removed.
func (f *File) Leave() error {
	if f.written > 0 {
		f.failed = true
	}
	f.kept = false
	return f.Close()
}

// Discard removes the new file and leaves what was there before.
func (f *File) Discard() error {
	err := f.file.Close()
	if f.path != "" {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	return err
}

// SyncFolder writes the names in a folder to the disk, if the system supports that.
func SyncFolder(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Sync() // some file systems do not support it
}
