package problem

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Reason strips the operation and the path from a system error, since the message around it already
// names them. If the file is missing, Reason suggests a file in the same folder with a similar
// name.
func Reason(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p) && errors.Is(p.Err, fs.ErrNotExist):
		if near, ok := nearFile(p.Path); ok {
			return fmt.Errorf("%w; %s", p.Err, DidYouMean(near))
		}
		return p.Err
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// nearFile returns the file in the same folder that was probably intended by a missing one.
func nearFile(path string) (string, bool) {
	folder, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return "", false
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	near, ok := NearestFile(name, names)
	return folder + near, ok
}
