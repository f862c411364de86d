package declhdf5

import (
	"slices"

	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// maxFiles is how many closed files a plugin keeps.
const maxFiles = 16

// closedFiles are the files that the plugin wrote last, the youngest at the end.
// Between two events a file is closed, and others may read and change it. Where
// nobody has changed it, the next event goes on with what is known of the file,
// and uses the room again that the last one gave back.
type closedFiles struct{ list []*hdf5.File }

// open opens a file that is there for writing. What is kept of it is taken: it
// comes back with keep, where all went well.
func (c *closedFiles) open(path string) (*hdf5.File, error) {
	if i := c.find(path); i >= 0 {
		f := c.list[i]
		c.list = slices.Delete(c.list, i, i+1)
		return f.Reopen()
	}
	return hdf5.OpenRW(path)
}

// keep notes a file that was closed.
func (c *closedFiles) keep(f *hdf5.File) {
	if i := c.find(f.Path()); i >= 0 {
		c.list = slices.Delete(c.list, i, i+1)
	}
	if len(c.list) == maxFiles {
		c.list = slices.Delete(c.list, 0, 1)
	}
	c.list = append(c.list, f)
}

func (c *closedFiles) find(path string) int {
	return slices.IndexFunc(c.list, func(f *hdf5.File) bool { return f.Path() == path })
}
