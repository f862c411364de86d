package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// writable refuses -w for standard input, which has no file to write.
func writable(write bool, paths []string) error {
	if write && slices.Contains(paths, "-") {
		return errors.New("-w needs a file; what is made of standard input goes to standard output without it")
	}
	return nil
}

// writeFiles brings new texts to the disk, all of them or none. Each is written
// beside its file and takes its place when all are there, so a full disk costs nobody a file.
func writeFiles(changes ...rewritten) error {
	var ready []*successor
	defer func() {
		for _, s := range ready {
			s.close()
		}
	}()
	for _, c := range changes {
		if c.text == c.old.Text() {
			continue
		}
		s, err := prepare(c)
		if err != nil {
			return cannotWrite(c.old.Path(), err)
		}
		ready = append(ready, s)
	}
	for _, s := range ready {
		if err := os.Rename(s.temp, s.path); err != nil {
			return cannotWrite(s.path, err)
		}
	}
	return nil
}

// cannotWrite says why a file stays as it is.
func cannotWrite(path string, err error) error {
	return fmt.Errorf("`%s` cannot be written and stays as it is: %w", path, withoutPath(err))
}

// withoutPath is what the operating system says, without the paths that it says it of.
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

// successor is a new text of a file, ready to take its place.
type successor struct {
	path, temp string
	old        *os.File // open while nobody else may write it
}

func (s *successor) close() {
	_ = os.Remove(s.temp) // one that took its place is gone already
	s.old.Close()
}

// prepare writes a new text beside its file. It refuses where the file is
// read-only, or no longer what the text was made from.
func prepare(c rewritten) (*successor, error) {
	path, err := filepath.EvalSymlinks(c.old.Path()) // a link stays one
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
	if info.Mode().Perm()&0o222 == 0 { // an administrator could, but somebody meant it
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

func (s *successor) write(c rewritten, like fs.FileInfo) error {
	if !lock(s.old) {
		return errors.New("another program is writing it; try again")
	}
	if now, err := os.ReadFile(s.path); err != nil || string(now) != c.old.Text() {
		return errors.New("somebody changed it meanwhile; try again")
	}
	temp, err := os.CreateTemp(filepath.Dir(s.path), "."+filepath.Base(s.path)+".*")
	if err != nil {
		return fmt.Errorf("no new file can be made beside it: %w", withoutPath(err))
	}
	s.temp = temp.Name()
	_, err = io.WriteString(temp, c.text)
	keepOwner(temp, like)
	return errors.Join(err, temp.Chmod(like.Mode().Perm()), temp.Sync(), temp.Close())
}
