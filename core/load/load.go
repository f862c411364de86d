// Package load brings the files of one document together.
//
// A document may include others, by search path, through files that include
// further ones. The rules of where to look are each language's; the bounds
// are the same for all: no cycle, a limited depth, a limited amount of text. What
// goes wrong is a Problem that knows the whole chain, and becomes a diagnostic
// with the language's own code.
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

// Dialect is which program's reading of a file counts.
type Dialect uint8

// Documented is the language as its document describes it; Upstream is what the
// original program makes of the same text.
const (
	Documented Dialect = iota
	Upstream
)

func (d Dialect) String() string { return [...]string{"documented", "upstream"}[d] }

// Env is what the meaning of a file depends on besides its text.
type Env struct {
	Opener    source.Opener
	Dialect   Dialect
	Include   []string // -I, in order
	Overrides []Override
	Dir       string                           // the working directory; relative paths start there
	Lookup    func(name string) (string, bool) // environment variables
	Confined  bool                             // nothing of this machine is read but the files that Opener opens
	// Folder lists the names in a folder of this machine; it is false where there is none. nil: data files are not looked for.
	Folder func(path string) (names []string, ok bool)
	// Writable reports whether files can be made in a folder of this machine. nil: it is not asked.
	Writable func(folder string) bool
	Limits   Limits
	// Elsewhere finds a file of the project by the end of its path: its path, and
	// the folder that the end is relative to, as a project file writes it.
	// nil finds nothing.
	Elsewhere func(name string) (path, folder string, ok bool)
	// Names are the names of the project's files, without their folders and in order;
	// nil: they are not known.
	Names func() []string
	// Review is what the project says about findings: which of them do not
	// matter, and how much the others do. nil leaves them as they are.
	Review func(diag.List) diag.List
}

// Override is `-s KEY=VALUE`.
type Override struct{ Key, Value string }

// Limits bound what a hostile file can cost. Zero means the default.
type Limits struct {
	Depth int   // nested includes
	Steps int   // includes altogether
	Bytes int64 // text altogether
}

// NewEnv returns the environment of this process.
func NewEnv() *Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return &Env{Opener: source.Disk{}, Dir: dir, Lookup: os.LookupEnv, Folder: namesIn, Writable: writable}
}

// namesIn lists the names in a folder.
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

// Open opens a file; an Env without Opener has none.
func (e *Env) Open(path string) (*source.File, error) {
	if e.Opener == nil {
		return nil, fs.ErrNotExist
	}
	return e.Opener.Open(path)
}

// Getenv looks a variable up; an Env without Lookup has none.
func (e *Env) Getenv(name string) (string, bool) {
	if e.Lookup == nil {
		return "", false
	}
	return e.Lookup(name)
}

// FindElsewhere finds a file that is not where it was looked for.
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
	At     source.Span // the include statement in Parent
	Depth  int
	key    string
}

// Root starts a stack with the document.
func (e *Env) Root(f *source.File) *Frame {
	return &Frame{File: f, key: canonical(e.Dir, f.Path())}
}

// Chain is a phrase for where the frame's file is included from, or "".
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

// opened is what came of opening a file: failures too are not tried again.
type opened struct {
	file   *source.File
	err    error
	binary int // where a file that is no text has its first NUL byte, or -1
}

// NewLoader returns a loader for one document.
func NewLoader(env *Env) *Loader { return &Loader{env: env, files: map[string]opened{}} }

// Include opens the first candidate path that is a file. at is the statement
// that asks for it, in from's file. A file that is included twice is read
// once, and its *source.File is the same.
func (l *Loader) Include(from *Frame, at source.Span, candidates ...string) (*Frame, *Problem) {
	limits := l.env.Limits
	depth, steps, bytes := or(limits.Depth, 1000), or(limits.Steps, 4096), or(limits.Bytes, 64<<20)
	if l.steps++; l.steps > steps {
		return nil, &Problem{Kind: Limit, At: at, From: from, what: fmt.Sprintf("more than %d includes", steps)}
	}
	if from.Depth+1 > depth {
		return nil, &Problem{Kind: Limit, At: at, From: from, what: fmt.Sprintf("includes nested deeper than %d", depth)}
	}
	var refused *Problem // a candidate that is no file, or may not be read
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

// open opens a file once. What was read of one that is refused counts as text.
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

// canonical is the one name of a file, by whichever path it was reached.
func canonical(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
