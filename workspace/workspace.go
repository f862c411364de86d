// Package workspace is the one model behind every front: open documents,
// each with its language, tree and meaning.
//
// The command line opens files from disk; an editor puts texts over them. Both ask
// the same questions here. Parsing happens once per text.
package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// Workspace opens documents of the languages it was given.
type Workspace struct {
	Languages []*lang.Language
	Env       *load.Env
	// Force is the language of every file, whatever its name says.
	Force *lang.Language

	mu   sync.Mutex
	docs map[string]*lang.Document
}

// New returns a workspace.
func New(languages []*lang.Language, env *load.Env) *Workspace {
	return &Workspace{Languages: languages, Env: env, docs: map[string]*lang.Document{}}
}

// UnknownLanguage says that neither name nor content tell what a file is.
type UnknownLanguage struct{ Path string }

func (e *UnknownLanguage) Error() string {
	return fmt.Sprintf("cannot tell which language `%s` is; give it with --lang", e.Path)
}

// Open parses the file at a path. The error is for the user's eyes, except
// a file over the size limit, which is a document's finding: see Refused.
func (w *Workspace) Open(path string) (*lang.Document, error) {
	f, err := w.Env.Opener.Open(path)
	if err != nil {
		return nil, err
	}
	return w.Document(f)
}

// Document parses a file that is already read.
func (w *Workspace) Document(f *source.File) (*lang.Document, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.Force
	if l == nil {
		if l = lang.Detect(w.Languages, f); l == nil {
			return nil, &UnknownLanguage{Path: f.Path()}
		}
	}
	if d := w.docs[f.Path()]; d != nil && d.Language == l && d.File.Text() == f.Text() {
		return d, nil
	}
	d := l.Parse(f)
	w.docs[f.Path()] = d
	return d, nil
}

// Config resolves a file.
func (w *Workspace) Config(path string) (*lang.Config, error) {
	d, err := w.Open(path)
	if err != nil {
		return nil, err
	}
	return d.Resolve(w.Env), nil
}

// Layers resolves the documents as layers of one configuration, in order.
func (w *Workspace) Layers(docs []*lang.Document) *lang.Config {
	last := len(docs) - 1
	return docs[last].Resolve(w.Env, docs[:last]...)
}

// Refused turns the error of a file that is there but may not be read into
// its one finding, or nil where the error is another.
func Refused(path string, err error) *diag.Diagnostic {
	var large *source.TooLarge
	if !errors.As(err, &large) {
		return nil
	}
	return diag.New(lang.TooLarge, source.NewFile(large.Path, "").Span(0, 0), "%s and was not read", source.Explain(path, err)).
		Helped("a larger limit is given with --max-size")
}

// Unreadable turns the error of a file of a folder into its one finding, or
// nil where it is merely of no language.
func Unreadable(path string, err error) *diag.Diagnostic {
	if found := Refused(path, err); found != nil {
		return found
	}
	var unknown *UnknownLanguage
	if errors.As(err, &unknown) {
		return nil
	}
	found := diag.New(lang.Unreadable, source.NewFile(path, "").Span(0, 0), "%s", source.Explain(path, err)).
		Helped("make it readable, or give the files to look at by name")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found.As(diag.Warning) // nobody knows whether there is anything in it
	}
	return found
}

// Walk lists the files below a folder that some language claims by name (and
// content, where the name alone does not tell), sorted. Hidden folders are passed over;
// folders that cannot be read are listed, so that whoever opens them finds out.
func (w *Workspace) Walk(dir string) ([]string, error) {
	var paths []string
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		dir += string(filepath.Separator) // what it leads to
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if path == dir {
				return err
			}
			paths = append(paths, path)
			return nil
		}
		if e.IsDir() {
			if path != dir && strings.HasPrefix(e.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if isFile(path, e) && w.Claims(path) {
			paths = append(paths, path)
		}
		return nil
	})
	sort.Strings(paths)
	return paths, err
}

// isFile reports whether an entry of a folder can be read to its end: a pipe may
// have none. A link that leads nowhere counts, so that somebody is told.
func isFile(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// Claims reports whether a file is of some language, by its name and, where the
// name alone does not tell, by its content.
func (w *Workspace) Claims(path string) bool { return w.claimant(path) != nil }

// LanguageOf names the language of a file that is not read, or "".
func (w *Workspace) LanguageOf(path string) string {
	l := w.Force
	if l == nil {
		l = w.claimant(path)
	}
	if l == nil {
		return ""
	}
	return l.Name
}

func (w *Workspace) claimant(path string) *lang.Language {
	head := sync.OnceValue(func() string { return readHead(path) })
	for _, l := range w.Languages {
		if l.Claims(path, head) {
			return l
		}
	}
	return nil
}

// readHead is as much of a file as tells its language.
func readHead(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	head, _ := io.ReadAll(io.LimitReader(f, lang.SniffBytes))
	return string(head)
}
