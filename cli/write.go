package cli

import (
	"errors"
	"io"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/pentode-dev/pentode/core/source"
)

// writeDiff prints what changes in files.
func writeDiff(w io.Writer, changes []source.Change) error {
	for _, c := range changes {
		path := c.File.Path()
		if _, err := w.Write(diff.Diff(path, []byte(c.File.Text()), path, []byte(c.Text))); err != nil {
			return err
		}
	}
	return nil
}

// writable refuses -w for standard input, which has no file to write.
func writable(write bool, paths []string) error {
	if write && slices.Contains(paths, "-") {
		return errors.New("-w needs a file; what is made of standard input goes to standard output without it")
	}
	return nil
}
