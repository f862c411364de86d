package declhdf5

import (
	"errors"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// maxFiles is the number of closed files whose state is kept in memory.
const maxFiles = 16

// closedFiles keeps the state of the files that were written last, the newest at the end. Between two events,
// a file is closed, and other programs may read and change it. If the file is unchanged at the next event, it
// need not be read again, and space that was freed in it can be reused.
type closedFiles struct {
	mu   sync.Mutex // the program's thread and background threads write files
	list []*hdf5.File
}

// open opens an existing file for writing. It takes the file's kept state, if any; keep puts the state back
// after success.
func (c *closedFiles) open(path string) (*hdf5.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.take(path); f != nil {
		return f.Reopen()
	}
	return hdf5.OpenRW(path)
}

// create creates a file, which may replace an existing one.
func (c *closedFiles) create(path string, create func(string) (*hdf5.File, error)) (*hdf5.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return create(path)
}

// take removes a file from the list and returns it, or nil if it is not there. The caller holds the lock.
func (c *closedFiles) take(path string) *hdf5.File {
	i := slices.IndexFunc(c.list, func(f *hdf5.File) bool { return f.Path() == path })
	if i < 0 {
		return nil
	}
	f := c.list[i]
	c.list = slices.Delete(c.list, i, i+1)
	return f
}

// keep adds a closed file. If there are too many, it ends the oldest one. It holds the lock meanwhile,
// because another thread could otherwise open that file and find it locked.
func (c *closedFiles) keep(f *hdf5.File) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(f.Path())
	var err error
	if len(c.list) == maxFiles {
		err = end(c.list[0])
		c.list = slices.Delete(c.list, 0, 1)
	}
	c.list = append(c.list, f)
	return err
}

// end truncates all files to the length that they need, and forgets them.
func (c *closedFiles) end() error {
	var all []error
	for _, f := range c.list {
		all = append(all, end(f))
	}
	c.list = nil
	return errors.Join(all...)
}

// end truncates a file to the length that it needs. A file that is gone, or that another program has changed,
// is not touched.
func end(f *hdf5.File) error {
	if !f.Ahead() {
		return nil
	}
	again, err := f.Reopen()
	if err != nil {
		return nil
	}
	if err := again.Close(); err != nil {
		return failed("cannot write", f.Path(), err)
	}
	return nil
}
