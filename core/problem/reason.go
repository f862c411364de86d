package problem

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Reason takes the operation and the name off an error of the system, which
// the message around it has already. Of a file that is not there it names one beside it with nearly
// the same name.
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

// nearFile is the file beside a missing one that was probably intended.
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
