package workspace

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// Session keeps the configurations of a workspace while its files change:
// under an editor, or on the disk. Each configuration remembers every file that
// was opened to make it, those that were not there too, and is made again only
// when one of them has another text.
//
//	Set ──▶ texts ─┐
//	               ├─▶ Config ──▶ kept until a file that it needs changes
//	disk ──────────┘     └──▶ Includers: who needs a file
//
// It is not for concurrent use.
type Session struct {
	workspace *Workspace
	under     source.Opener
	texts     map[string]text // what editors show, by path
	assigned  map[string]*lang.Language
	disk      map[string]stamped
	configs   map[string]*kept
	recording []map[string]*source.File
	listing   int // how often files may have come or gone
}

// text is what an editor shows, or why that is not read.
type text struct {
	file *source.File
	err  error
}

// stamped is a file of the disk and when it was read.
type stamped struct {
	file *source.File
	time time.Time
	size int64
}

// kept is a configuration, or why there is none, with the files that it was made of.
type kept struct {
	config *lang.Config
	err    error
	Needs
}

// Needs are the files that something was made of; nil is one that was missing.
type Needs struct {
	files   map[string]*source.File
	listing int
}

// Session begins a session. The workspace opens its files through it from then on,
// project files too.
func (w *Workspace) Session() *Session {
	s := &Session{workspace: w, under: w.Env.Opener, texts: map[string]text{}, assigned: map[string]*lang.Language{}, disk: map[string]stamped{}, configs: map[string]*kept{}}
	w.Env.Opener, w.session = s, s
	if w.Projects != nil {
		w.Projects.Opener = s
	}
	return s
}

// Set puts the text of an editor over a file. The limits are those of files.
func (s *Session) Set(path, content string) {
	path = filepath.Clean(path)
	f, err := source.Read(path, strings.NewReader(content), 0)
	s.texts[path] = text{f, err}
}

// Assign gives a file a language, whatever its name says; nil takes it back.
func (s *Session) Assign(path string, l *lang.Language) {
	if l == nil {
		delete(s.assigned, filepath.Clean(path))
		return
	}
	s.assigned[filepath.Clean(path)] = l
}

// Release shows the file of the disk again.
func (s *Session) Release(path string) {
	delete(s.texts, filepath.Clean(path))
	delete(s.assigned, filepath.Clean(path))
}

// Relist says that files were made or removed, or that a project file changed:
// folders and projects are read again.
func (s *Session) Relist() {
	s.listing++
	s.workspace.Forget()
}

// Draft begins a draft of changes over what the session shows.
func (s *Session) Draft() *Draft {
	env := *s.workspace.Env
	return s.workspace.With(&env).Draft()
}

// Open gives the text of the editor, else of the disk.
func (s *Session) Open(path string) (*source.File, error) {
	clean := filepath.Clean(path)
	f, err := s.open(clean)
	for _, files := range s.recording {
		files[clean] = f
	}
	return f, err
}

func (s *Session) open(path string) (*source.File, error) {
	if t, ok := s.texts[path]; ok {
		return t.file, t.err
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		delete(s.disk, path)
		return s.under.Open(path) // for its error
	}
	have, ok := s.disk[path]
	if ok && have.time.Equal(info.ModTime()) && have.size == info.Size() {
		return have.file, nil
	}
	f, err := s.under.Open(path)
	if err != nil {
		delete(s.disk, path)
		return nil, err
	}
	if ok && have.file.Text() == f.Text() {
		f = have.file // touched, not changed
	}
	s.disk[path] = stamped{f, info.ModTime(), info.Size()}
	return f, nil
}

// Record runs a function and returns what it opened, directly or as a part of
// configurations.
func (s *Session) Record(f func()) Needs {
	s.recording = append(s.recording, map[string]*source.File{})
	f()
	last := len(s.recording) - 1
	n := Needs{s.recording[last], s.listing}
	s.recording = s.recording[:last]
	return n
}

// Fresh reports whether every file is still what it was.
func (s *Session) Fresh(n Needs) bool {
	if n.files == nil || n.listing != s.listing {
		return false
	}
	for path, was := range n.files {
		f, err := s.open(path)
		if f != was && !(was == nil && errors.Is(err, fs.ErrNotExist)) {
			return false
		}
	}
	return true
}

// config is the configuration of a file as it is now.
func (s *Session) config(path string) (*lang.Config, error) {
	path = filepath.Clean(path)
	have := s.configs[path]
	if have == nil || !s.Fresh(have.Needs) {
		have = &kept{}
		have.Needs = s.Record(func() {
			var d *lang.Document
			if d, have.err = s.workspace.Open(path); have.err == nil {
				have.config = s.workspace.Layers(append(s.workspace.below(d), d))
			}
		})
		s.configs[path] = have
	} else {
		for _, files := range s.recording {
			maps.Copy(files, have.files)
		}
	}
	return have.config, have.err
}

// Known are the documents that were resolved, sorted.
func (s *Session) Known() []string { return slices.Sorted(maps.Keys(s.configs)) }

// Includers are the known documents of the file's language that a file is a
// part of, besides itself, sorted.
func (s *Session) Includers(path string) []string {
	path = filepath.Clean(path)
	var list []string
	for name, k := range s.configs {
		if name == path || k.config == nil || k.files[path] == nil {
			continue
		}
		own := s.configs[path]
		if own != nil && own.config != nil && own.config.Document.Language.Name != k.config.Document.Language.Name {
			continue
		}
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
