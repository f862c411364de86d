// Package outfile decides which files a run may write, and when they appear.
//
// A configuration names the files that a run writes. A Folder restricts them: a
// name that leads out of it, directly or through a link, is refused. A File
// appears under its name only when it is complete, so that neither a killed
// program nor a running one leaves half a result.
//
//	name ──Folder.Path──▶ path ──Create──▶ path.partial ──Close──▶ path
package outfile

import (
	"fmt"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/core/source"
)

// A Folder is where results are written. The zero Folder is the working
// directory, and allows files outside of it.
type Folder struct {
	Dir    string      // the folder for relative names; empty is the working directory
	Fenced bool        // names that lead out of it are refused
	Seal   *seal.Maker // creates the seals of the results, records of what produced them; nil for none
	Ledger *Ledger     // records complete files; may be nil
}

// Outside is the error for a name that leads out of a fenced folder.
type Outside struct{ Name string }

func (e *Outside) Error() string {
	return fmt.Sprintf("`%s` leads out of the folder of the results; --allow-outside permits that", e.Name)
}

// Path returns the path for a name. The error is an *Outside.
func (f Folder) Path(name string) (string, error) {
	path := name
	if f.Dir != "" && !filepath.IsAbs(name) {
		path = filepath.Join(f.Dir, name)
	}
	if f.Fenced && !source.LiesIn(f.Dir, path) {
		return "", &Outside{name}
	}
	return path, nil
}

// Create begins a file in the folder.
func (f Folder) Create(name string) (*File, error) {
	path, err := f.Path(name)
	if err != nil {
		return nil, err
	}
	file, err := Create(path)
	if err != nil {
		return nil, err
	}
	file.Seal(f.Seal)
	file.Note(f.Ledger)
	return file, nil
}
