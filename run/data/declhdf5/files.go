package declhdf5

import (
	"errors"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// maxFiles is how many closed files a plugin keeps.
const maxFiles = 16

// closedFiles are the files that the plugin wrote last, the youngest at the end.
// Between two events a file is closed, and others may read and change it. Where
// nobody has changed it, the next event goes on with what is known of the file,
// and uses the room again that the last one gave back.
type closedFiles struct {
	mu   sync.Mutex // files are written by the program's thread and by those of background
	list []*hdf5.File
}

// open opens a file that is there for writing. What is kept of it is taken: it
// comes back with keep, where all went well.
func (c *closedFiles) open(path string) (*hdf5.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.take(path); f != nil {
		return f.Reopen()
	}
	return hdf5.OpenRW(path)
}

// create makes a file, in place of one that may be there.
func (c *closedFiles) create(path string, create func(string) (*hdf5.File, error)) (*hdf5.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return create(path)
}

// take takes a file out of the list; nil where it is not there. Its caller has the lock.
func (c *closedFiles) take(path string) *hdf5.File {
	i := slices.IndexFunc(c.list, func(f *hdf5.File) bool { return f.Path() == path })
	if i < 0 {
		return nil
	}
	f := c.list[i]
	c.list = slices.Delete(c.list, i, i+1)
	return f
}

// keep notes a file that was closed. The oldest one is closed for good before another thread can open it, which
// would find it locked.
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

// end closes all files for good.
func (c *closedFiles) end() error {
	var all []error
	for _, f := range c.list {
		all = append(all, end(f))
	}
	c.list = nil
	return errors.Join(all...)
}

// end lets a file be no longer than it has to be. One that is gone, or that another
// program has taken over, stays as it is.
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
