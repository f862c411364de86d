// Package outfile is where the results of a run go: which files may be written,
// and when they appear.
//
// A configuration names the files that a run writes. A Folder is a fence around
// them: a name that leads out of it, directly or through a link, is refused. A
// File appears under its name when it is complete, so that neither a program that
// was killed nor one that is still writing leaves half a result.
//
//	name ──Folder.Path──▶ path ──Create──▶ path.partial ──Close──▶ path
package outfile

import (
	"fmt"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/core/source"
)

// A Folder is where results go. The zero Folder is the working directory, without
// a fence.
type Folder struct {
	Dir    string      // where relative names begin; empty is the working directory
	Fenced bool        // nothing is written outside of it
	Seal   *seal.Maker // lets what is written say what made it; nil: it does not
	Ledger *Ledger     // is told of what is complete; nil: none is
}

// Outside is the error of a name that leads out of a fenced folder.
type Outside struct{ Name string }

func (e *Outside) Error() string {
	return fmt.Sprintf("`%s` leads out of the folder of the results, which --allow-outside allows", e.Name)
}

// Path is where a name leads. The error is an *Outside.
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

// Create begins a file of the folder.
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
