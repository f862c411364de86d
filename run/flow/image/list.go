package image

import (
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/seal"
)

// A List is the image files that a text names, one on a line, or that a folder holds.
type List struct {
	Files []string // as they can be opened
}

// ReadList reads a list. Names are looked for beside the list and in dirs; empty lines
// and those that begin with # are skipped. Of a folder it takes the files, by name. With
// anyName the files need not exist.
func ReadList(name string, dirs []string, anyName bool) (*List, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return readFolder(name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the list `%s` cannot be read: %w", name, problem.Reason(err))
	}
	l := &List{}
	var missing []string
	dirs = append(slices.Clone(dirs), filepath.Dir(name))
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		file := locate(line, dirs)
		switch {
		case exists(file):
			l.Files = append(l.Files, file)
		case anyName:
			l.Files = append(l.Files, line)
		default:
			missing = append(missing, line)
		}
	}
	if len(missing) > 0 {
		return nil, missingFiles(name, missing)
	}
	if len(l.Files) == 0 {
		return nil, fmt.Errorf("the list `%s` names no image", name)
	}
	return l, nil
}

// missingFiles names the first of the files of a list that do not exist.
func missingFiles(list string, names []string) error {
	text := strings.Join(names[:min(len(names), 5)], "`, `")
	if len(names) > 5 {
		return fmt.Errorf("the list `%s` names %d files that do not exist: `%s` and others", list, len(names), text)
	}
	return fmt.Errorf("the list `%s` names files that do not exist: `%s`", list, text)
}

// readFolder lists the files of a folder that are not hidden.
func readFolder(name string) (*List, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fmt.Errorf("the folder `%s` cannot be read: %w", name, problem.Reason(err))
	}
	l := &List{}
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !strings.HasSuffix(e.Name(), seal.Ending) {
			l.Files = append(l.Files, filepath.Join(name, e.Name()))
		}
	}
	if len(l.Files) == 0 {
		return nil, fmt.Errorf("the folder `%s` holds no image", name)
	}
	return l, nil
}

// Read reads an image file; of several pages the first.
func Read(name string) (image.Image, error) {
	p, err := openPicture(name)
	if err != nil {
		return nil, err
	}
	img, err := p.decode(0)
	return img, errors.Join(err, p.close())
}
