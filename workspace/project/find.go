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
	Config []string // `KEY=VALUE`: they override the settings in files
	Off    bool     // project files are not read

	mu      sync.Mutex
	folders map[string]*Project // by absolute path
	none    *Project
}

// Names are the names that may occur in a project file.
type Names struct {
	Codes, Languages []string

	Launch Launch
	Secret func(name string) bool // reports whether a variable's name looks like that of a secret; if nil, none does
}

// Validate reports the first mistake in Config.
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

// Of returns the project of a file, or of the files in a folder. It is never nil.
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

// of looks in a folder and then above it. written is the folder as the user wrote it.
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

// parent returns the folder above another, relative if that one is.
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

// without returns the project of files that have no project file.
func (f *Finder) without() *Project {
	if f.none == nil {
		r := reader{names: f.Names, project: &Project{Dir: "."}}
		r.override(f.Config)
		f.none = r.project
	}
	return f.none
}
