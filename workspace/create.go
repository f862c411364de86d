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

// Create writes new files and the folders they need: all of them or none. It
// never overwrites a file.
func Create(files ...*source.File) (err error) {
	var made []string
	defer func() {
		if err != nil {
			for _, path := range made {
				_ = os.Remove(path) // a file that this call has made, which may be incomplete
			}
		}
	}()
	for _, f := range files {
		path := f.Path()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return fmt.Errorf("the folder `%s` cannot be made: %w", filepath.Dir(path), withoutPath(err))
		}
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("`%s` exists already and is not changed; give another folder", path)
		}
		if err != nil {
			return fmt.Errorf("`%s` cannot be written: %w", path, withoutPath(err))
		}
		made = append(made, path)
		_, err = out.WriteString(f.Text())
		if err = errors.Join(err, out.Close()); err != nil {
			return fmt.Errorf("`%s` cannot be written: %w", path, withoutPath(err))
		}
	}
	return nil
}

// Replace writes a file and replaces an older one at the same path. Readers
// see the old file until the new one is complete.
func Replace(path, text string) error {
	f, err := outfile.Create(path)
	if err == nil {
		_, err = io.WriteString(f, text)
		f.Keep()
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("`%s` cannot be written: %w", path, withoutPath(err))
	}
	return nil
}
