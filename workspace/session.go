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

// Session keeps the configurations of a workspace while its files change, in an
// editor or on the disk. Each configuration remembers every file that was
// opened to make it, including missing ones. It is made again only when one of
// them changes.
//
//	Set ──▶ texts ─┐
//	               ├─▶ Config ──▶ kept until a file that it needs changes
//	disk ──────────┘     └──▶ Includers: who needs a file
//
// A Session is not for concurrent use.
type Session struct {
	workspace *Workspace
	under     source.Opener
	texts     map[string]text // the texts in editors, by path
	assigned  map[string]*lang.Language
	disk      map[string]stamped
	configs   map[string]*kept
	recording []map[string]*source.File
	listing   int // counts the calls of Relist
}

// text is a text in an editor, or the error why it is not read.
type text struct {
	file *source.File
	err  error
}

// stamped is a file of the disk, with its time and size when it was read.
type stamped struct {
	file *source.File
	time time.Time
	size int64
}

// kept is a configuration, or the error why there is none, with the files that
// it was made from.
type kept struct {
	config *lang.Config
	err    error
	Needs
}

// Needs are the files that something was made from; nil means that a file was
// missing.
type Needs struct {
	files   map[string]*source.File
	listing int
}

// Session begins a session. From then on the workspace opens all files through
// it, including project files.
func (w *Workspace) Session() *Session {
	s := &Session{workspace: w, under: w.Env.Opener, texts: map[string]text{}, assigned: map[string]*lang.Language{}, disk: map[string]stamped{}, configs: map[string]*kept{}}
	w.Env.Opener, w.session = s, s
	if w.Projects != nil {
		w.Projects.Opener = s
	}
	return s
}

// Set puts the text of an editor in place of a file. The limits for files apply
// to it.
func (s *Session) Set(path, content string) {
	path = filepath.Clean(path)
	f, err := source.Read(path, strings.NewReader(content), 0)
	s.texts[path] = text{f, err}
}

// Assign gives a file a language, whatever its name is; nil removes it.
func (s *Session) Assign(path string, l *lang.Language) {
	if l == nil {
		delete(s.assigned, filepath.Clean(path))
		return
	}
	s.assigned[filepath.Clean(path)] = l
}

// Release returns a file to its text on the disk.
func (s *Session) Release(path string) {
	delete(s.texts, filepath.Clean(path))
	delete(s.assigned, filepath.Clean(path))
}

// Relist must be called when files were created or removed or a project file
// changed: folders and projects are read again.
func (s *Session) Relist() {
	s.listing++
	s.workspace.Forget()
}

// Draft begins a draft of changes to the texts of the session.
func (s *Session) Draft() *Draft {
	env := *s.workspace.Env
	return s.workspace.With(&env).Draft()
}

// Open returns the file with the text of the editor, else of the disk.
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
		return s.under.Open(path) // to get its error
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
		f = have.file // only the time changed
	}
	s.disk[path] = stamped{f, info.ModTime(), info.Size()}
	return f, nil
}

// Record runs a function and returns the files that it opened, directly or
// through configurations.
func (s *Session) Record(f func()) Needs {
	s.recording = append(s.recording, map[string]*source.File{})
	f()
	last := len(s.recording) - 1
	n := Needs{s.recording[last], s.listing}
	s.recording = s.recording[:last]
	return n
}

// Fresh reports whether no file has changed since.
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

// config returns the current configuration of a file.
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

// Known returns the sorted paths of the documents that were resolved.
func (s *Session) Known() []string { return slices.Sorted(maps.Keys(s.configs)) }

// Includers returns the sorted paths of the known documents that include a
// file. They have the file's language, and the file itself is not among them.
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
