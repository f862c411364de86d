package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/source"
)

// Write writes new texts to the disk, all of them or none. It writes each text
// to a temporary file next to its target first. These files replace the
// targets only when all of them are complete, so a full disk does not damage
// any file.
func Write(changes ...source.Change) error {
	var ready []*successor
	defer func() {
		for _, s := range ready {
			s.close()
		}
	}()
	for _, c := range changes {
		if c.Text == c.File.Text() {
			continue
		}
		s, err := prepare(c)
		if err != nil {
			return cannotWrite(c.File.Path(), err)
		}
		ready = append(ready, s)
	}
	for _, s := range ready {
		if err := os.Rename(s.temp, s.path); err != nil {
			return cannotWrite(s.path, err)
		}
		outfile.SyncFolder(filepath.Dir(s.path))
	}
	return nil
}

func cannotWrite(path string, err error) error { return &Unwritten{path, withoutPath(err)} }

// Unwritten is the error for a file that could not be written and is
// unchanged.
type Unwritten struct {
	Path string
	Err  error
}

func (u *Unwritten) Error() string {
	return fmt.Sprintf("`%s` cannot be written and stays as it is: %v", u.Path, u.Err)
}

func (u *Unwritten) Unwrap() error { return u.Err }

// withoutPath removes the paths from an error of the operating system, because
// the message already names the file.
func withoutPath(err error) error {
	var of *fs.PathError
	var ofBoth *os.LinkError
	switch {
	case errors.As(err, &of):
		return of.Err
	case errors.As(err, &ofBoth):
		return ofBoth.Err
	}
	return err
}

// successor is a temporary file with the new text of a file, ready to replace
// it.
type successor struct {
	path, temp string
	old        *os.File // open and locked until the end
}

func (s *successor) close() {
	_ = os.Remove(s.temp) // does nothing if the temporary file has replaced the target
	s.old.Close()
}

// prepare writes a new text next to its file. It returns an error if the file
// is read-only, or if its text has changed since c was made from it.
func prepare(c source.Change) (*successor, error) {
	path, err := filepath.EvalSymlinks(c.File.Path()) // if the path is a link, write the file that it leads to
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	if info.Mode().Perm()&0o222 == 0 { // an administrator could write it, but the owner does not want that
		return nil, errors.New("it is marked read-only")
	}
	old, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	s := &successor{path: path, old: old}
	if err := s.write(c, info); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *successor) write(c source.Change, like fs.FileInfo) error {
	if !lock(s.old) {
		return errors.New("another program is writing it; try again")
	}
	if now, err := os.ReadFile(s.path); err != nil || string(now) != c.File.Text() {
		return errors.New("it was changed meanwhile; try again")
	}
	temp, err := os.CreateTemp(filepath.Dir(s.path), "."+filepath.Base(s.path)+".*")
	if err != nil {
		return fmt.Errorf("no new file can be made beside it: %w", withoutPath(err))
	}
	s.temp = temp.Name()
	_, err = io.WriteString(temp, c.Text)
	keepOwner(temp, like)
	return errors.Join(err, temp.Chmod(like.Mode().Perm()), temp.Sync(), temp.Close())
}
