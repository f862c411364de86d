package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/pentode-dev/pentode/core/source"
)

// Finder finds the project of a file. It reads every project file once.
type Finder struct {
	Opener source.Opener
	Names  Names
	Config []string // settings of the form `KEY=VALUE`, which override those in files
	Off    bool     // project files are not read

	mu      sync.Mutex
	folders map[string]*Project // by absolute path
	none    *Project
}

// Names are the names that a project file may use, such as names of languages.
type Names struct {
	Codes, Languages []string

	Launch Launch
	Secret func(name string) bool // reports whether a variable looks like a secret, judged by its name; if nil, none does
}

// Validate returns the first mistake in Config as an error.
func (f *Finder) Validate() error {
	p := f.without()
	if len(p.problems) == 0 {
		return nil
	}
	text := p.problems[0].Message
	for _, help := range p.problems[0].Help {
		text += "; " + help
	}
	return fmt.Errorf("--config: %s", text)
}

// Of returns the project of a file or, if folder is set, of the files in a folder. It
// is never nil.
func (f *Finder) Of(path string, folder bool) *Project {
	if !folder {
		path = filepath.Dir(path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Off {
		return f.without()
	}
	return f.of(absolute(path), path)
}

// Forget makes the finder read every file again, because one of them has changed.
func (f *Finder) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.folders = nil
}

// of looks for a project file in a folder and in the folders above it. written is the
// path of the folder as the user wrote it.
func (f *Finder) of(dir, written string) *Project {
	if p := f.folders[dir]; p != nil {
		return p
	}
	if f.folders == nil {
		f.folders = map[string]*Project{}
	}
	p := f.read(written)
	if p == nil {
		if up := filepath.Dir(dir); up == dir {
			p = f.without()
		} else {
			p = f.of(up, parent(written))
		}
	}
	f.folders[dir] = p
	return p
}

// parent returns the path of the enclosing folder, which is relative if dir is.
func parent(dir string) string {
	if base := filepath.Base(filepath.Clean(dir)); base == "." || base == ".." {
		return filepath.Join(dir, "..")
	}
	return filepath.Dir(filepath.Clean(dir))
}

// read reads the project file of a folder. It returns nil if there is none.
func (f *Finder) read(dir string) *Project {
	path := filepath.Join(dir, FileName)
	file, err := f.Opener.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, source.ErrFolder) || errors.Is(err, source.ErrOutside) {
		return nil
	}
	r := reader{names: f.Names, project: &Project{Dir: dir, File: file}}
	if err != nil {
		r.project.File = source.NewFile(path, "")
		r.report(unreadable, r.project.File.Span(0, 0), "%s", source.Explain(path, err)).Helped("make it readable, or give --no-config")
	} else {
		r.read(file)
	}
	r.override(f.Config)
	return r.project
}

// without returns the project for files without a project file.
func (f *Finder) without() *Project {
	if f.none == nil {
		r := reader{names: f.Names, project: &Project{Dir: "."}}
		r.override(f.Config)
		f.none = r.project
	}
	return f.none
}
