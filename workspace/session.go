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
// editor or on the disk. For each configuration, it records every file that was
// opened to resolve it, and every file that was missing. Only when one of them
// changes is the configuration resolved again.
//
//	Set ──▶ texts ─┐
//	               ├─▶ Config ──▶ kept until a file that it needs changes
//	disk ──────────┘     └──▶ Includers: which documents need a file
//
// A Session must not be used concurrently.
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

// text is a text in an editor, or the error that explains why it cannot be
// read.
type text struct {
	file *source.File
	err  error
}

// stamped is a file on the disk, with its time and size when it was read.
type stamped struct {
	file *source.File
	time time.Time
	size int64
}

// kept is a configuration, or the error that explains why there is none, with
// the files that it depends on.
type kept struct {
	config *lang.Config
	err    error
	Needs
}

// Needs are the files that a result depends on. A nil file was missing.
type Needs struct {
	files   map[string]*source.File
	listing int
}

// Session begins a session. From now on the workspace opens all files,
// including project files, through the session.
func (w *Workspace) Session() *Session {
	s := &Session{workspace: w, under: w.Env.Opener, texts: map[string]text{}, assigned: map[string]*lang.Language{}, disk: map[string]stamped{}, configs: map[string]*kept{}}
	w.Env.Opener, w.session = s, s
	if w.Projects != nil {
		w.Projects.Opener = s
	}
	return s
}

// Set makes the text in an editor replace a file. The limits on files apply to
// it too.
func (s *Session) Set(path, content string) {
	path = filepath.Clean(path)
	f, err := source.Read(path, strings.NewReader(content), 0)
	s.texts[path] = text{f, err}
}

// Assign sets the language of a file, whatever its name is. A nil language
// undoes this.
func (s *Session) Assign(path string, l *lang.Language) {
	if l == nil {
		delete(s.assigned, filepath.Clean(path))
		return
	}
	s.assigned[filepath.Clean(path)] = l
}

// Release makes a file have its text on the disk again.
func (s *Session) Release(path string) {
	delete(s.texts, filepath.Clean(path))
	delete(s.assigned, filepath.Clean(path))
}

// Relist must be called when files were created or removed, or when a project
// file changed. Folders and project files are then read again.
func (s *Session) Relist() {
	s.listing++
	s.workspace.Forget()
}

// Draft begins a draft of changes to the texts of the session.
func (s *Session) Draft() *Draft {
	env := *s.workspace.Env
	return s.workspace.With(&env).Draft()
}

// Open returns a file with the text in the editor or, if it is not open there,
// on the disk.
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
		return s.under.Open(path) // open it for the error
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
		f = have.file // only the time changed, not the text
	}
	s.disk[path] = stamped{f, info.ModTime(), info.Size()}
	return f, nil
}

// Record runs a function and returns the files that it opened itself or through
// configurations.
func (s *Session) Record(f func()) Needs {
	s.recording = append(s.recording, map[string]*source.File{})
	f()
	last := len(s.recording) - 1
	n := Needs{s.recording[last], s.listing}
	s.recording = s.recording[:last]
	return n
}

// Fresh reports whether all files are unchanged since they were recorded.
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

// config returns the configuration of a file, and resolves it again if
// necessary.
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

// Includers returns the sorted paths of the known documents that include a file
// and have its language, without the file itself.
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
