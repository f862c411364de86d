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

// Write puts new texts on the disk, all of them or none. Each text is first
// written to a temporary file next to its target. When all of them exist, they
// replace the targets, so a full disk destroys no file.
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

// Unwritten is the error for a file that cannot be written and is unchanged.
type Unwritten struct {
	Path string
	Err  error
}

func (u *Unwritten) Error() string {
	return fmt.Sprintf("`%s` cannot be written and stays as it is: %v", u.Path, u.Err)
}

func (u *Unwritten) Unwrap() error { return u.Err }

// withoutPath returns the error of the operating system without its paths,
// since the message names the file already.
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
	_ = os.Remove(s.temp) // if it replaced the file, it no longer exists
	s.old.Close()
}

// prepare writes a new text next to its file. It refuses if the file is
// read-only, or no longer has the text that the change was made from.
func prepare(c source.Change) (*successor, error) {
	path, err := filepath.EvalSymlinks(c.File.Path()) // keep a link a link
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
	if info.Mode().Perm()&0o222 == 0 { // although an administrator could write it
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
