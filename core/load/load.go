// Package load opens the files of one document.
//
// A document may include other files, which may include further ones. Each
// language decides where to look for them. The limits are the same for all: no
// cycles, a limited depth, a limited amount of text. If an include fails, the
// result is a Problem with the whole chain of includes, which becomes a
// diagnostic with the language's own code.
//
//	Env ──NewLoader──▶ Loader ──Include──▶ Frame ──▶ Frame ──▶ …
package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
)

// Dialect selects how a file is read.
type Dialect uint8

// Documented is the language as its document describes it; Upstream is how the
// original program reads the same text.
const (
	Documented Dialect = iota
	Upstream
)

func (d Dialect) String() string { return [...]string{"documented", "upstream"}[d] }

// Env is everything besides its text that the meaning of a file depends on.
type Env struct {
	Opener    source.Opener
	Dialect   Dialect
	Include   []string // -I, in order
	Overrides []Override
	Dir       string                           // the working directory, in which relative paths start
	Lookup    func(name string) (string, bool) // environment variables
	Confined  bool                             // on this machine, only the files that Opener opens may be read
	// Folder lists the names in a folder of this machine; ok is false if the
	// folder does not exist. If Folder is nil, data files are not looked for.
	Folder func(path string) (names []string, ok bool)
	// Writable reports whether files can be created in a folder of this machine.
	// If it is nil, this is not checked.
	Writable func(folder string) bool
	Limits   Limits
	// Elsewhere finds a file of the project by the end of its path. It returns
	// the path, and the folder that the end is relative to, as written in a
	// project file. If Elsewhere is nil, nothing is found.
	Elsewhere func(name string) (path, folder string, ok bool)
	// Names returns the sorted names of the project's files, without folders. If
	// it is nil, they are not known.
	Names func() []string
	// Review returns the findings that the project wants, with the severities
	// that it sets. If it is nil, all findings stay as they are.
	Review func(diag.List) diag.List
}

// Override is `-s KEY=VALUE`.
type Override struct{ Key, Value string }

// Limits restrict what a hostile file can cost. Zero means the default.
type Limits struct {
	Depth int   // nested includes
	Steps int   // includes in total
	Bytes int64 // text in total
}

// NewEnv returns the environment of this process.
func NewEnv() *Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return &Env{Opener: source.Disk{}, Dir: dir, Lookup: os.LookupEnv, Folder: namesIn, Writable: writable}
}

// namesIn returns the names in a folder.
func namesIn(path string) ([]string, bool) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, false
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, true
}

// Open opens a file. An Env without Opener has no files.
func (e *Env) Open(path string) (*source.File, error) {
	if e.Opener == nil {
		return nil, fs.ErrNotExist
	}
	return e.Opener.Open(path)
}

// Getenv returns an environment variable. An Env without Lookup has no
// variables.
func (e *Env) Getenv(name string) (string, bool) {
	if e.Lookup == nil {
		return "", false
	}
	return e.Lookup(name)
}

// FindElsewhere finds a file that is not on the include path.
func (e *Env) FindElsewhere(name string) (path, folder string, ok bool) {
	if e.Elsewhere == nil {
		return "", "", false
	}
	return e.Elsewhere(name)
}

// Frame is a file in the include stack.
type Frame struct {
	File   *source.File
	Parent *Frame      // nil for the document itself
	At     source.Span // the include statement in the parent frame's file
	Depth  int
	key    string
}

// Root returns the frame of the document itself.
func (e *Env) Root(f *source.File) *Frame {
	return &Frame{File: f, key: canonical(e.Dir, f.Path())}
}

// Chain returns a phrase that says from where the frame's file is included, or
// "".
func (f *Frame) Chain() string {
	s := ""
	for ; f.Parent != nil; f = f.Parent {
		if s != "" {
			s += ", "
		}
		s += "included from " + f.At.String()
	}
	return s
}

// Loader opens the included files of one document within its limits.
type Loader struct {
	env   *Env
	steps int
	bytes int64
	files map[string]opened
}

// opened is the result of opening a file. It may be an error, so that a failed
// file is not opened again.
type opened struct {
	file   *source.File
	err    error
	binary int // the offset of the first NUL byte if the file is not text, or -1
}

// NewLoader returns a loader for one document.
func NewLoader(env *Env) *Loader { return &Loader{env: env, files: map[string]opened{}} }

// Include opens the first candidate path that is a file. at is the include
// statement, in from's file. A file that is included twice is read once, and has
// the same *source.File.
func (l *Loader) Include(from *Frame, at source.Span, candidates ...string) (*Frame, *Problem) {
	limits := l.env.Limits
	depth, steps, bytes := or(limits.Depth, 1000), or(limits.Steps, 4096), or(limits.Bytes, 64<<20)
	if l.steps++; l.steps > steps {
		return nil, &Problem{Kind: Limit, At: at, From: from, what: fmt.Sprintf("more than %d includes", steps)}
	}
	if from.Depth+1 > depth {
		return nil, &Problem{Kind: Limit, At: at, From: from, what: fmt.Sprintf("includes nested deeper than %d", depth)}
	}
	var refused *Problem // the problem with a candidate that is not a file, or cannot be read
	for _, path := range candidates {
		key := canonical(l.env.Dir, path)
		o := l.open(key, path)
		if errors.Is(o.err, fs.ErrNotExist) {
			continue
		}
		if l.bytes > bytes {
			return nil, l.tooMuch(from, at, bytes)
		}
		if o.err != nil {
			problem := &Problem{Kind: Unreadable, At: at, From: from, what: source.Explain(path, o.err)}
			if !errors.Is(o.err, source.ErrFolder) && !errors.Is(o.err, source.ErrOutside) {
				return nil, problem
			}
			refused = problem
			continue
		}
		if o.binary >= 0 {
			what := fmt.Sprintf("`%s` has a NUL byte at offset %d: it is not a text file", path, o.binary)
			return nil, &Problem{Kind: Unreadable, At: at, From: from, what: what}
		}
		for f := from; f != nil; f = f.Parent {
			if f.key == key {
				return nil, &Problem{Kind: Cycle, At: at, From: from, Target: f, what: fmt.Sprintf("`%s` includes itself", path)}
			}
		}
		if l.bytes += int64(o.file.Len()); l.bytes > bytes {
			return nil, l.tooMuch(from, at, bytes)
		}
		return &Frame{File: o.file, Parent: from, At: at, Depth: from.Depth + 1, key: key}, nil
	}
	if refused != nil {
		return nil, refused
	}
	return nil, &Problem{Kind: Missing, At: at, From: from, Tried: candidates}
}

// open opens a file unless it is already open. The size of a refused file also
// counts towards the limit on text.
func (l *Loader) open(key, path string) opened {
	if o, known := l.files[key]; known {
		return o
	}
	o := opened{binary: -1}
	o.file, o.err = l.env.Open(path)
	var large *source.TooLarge
	switch {
	case errors.As(o.err, &large):
		l.bytes += large.Read
	case o.err == nil:
		if o.binary = strings.IndexByte(o.file.Text(), 0); o.binary >= 0 {
			l.bytes += int64(o.file.Len())
			o.file = nil
		}
	}
	l.files[key] = o
	return o
}

func (l *Loader) tooMuch(from *Frame, at source.Span, limit int64) *Problem {
	return &Problem{Kind: Limit, At: at, From: from, what: fmt.Sprintf("more than %d MB of included text", limit>>20)}
}

func or[T comparable](v, dflt T) T {
	var zero T
	if v == zero {
		return dflt
	}
	return v
}

// canonical returns one name for a file, the same for all paths that lead to it.
func canonical(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
