package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/pentode-dev/pentode/core/source"
)

// use opens a file that the user named.
func use(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return &unopened{path, err}
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("`%s` cannot be used: %w", path, err)
	}
	return nil
}

// unopened is a file that cannot be opened, in words of this program.
type unopened struct {
	path string
	err  error
}

func (u *unopened) Error() string { return source.Explain(u.path, u.err) }

func (u *unopened) Unwrap() error { return u.err }

// isFolder reports whether a path is a folder; a path that cannot be looked at is none.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
