package paradyn

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
)

// FileName is the name that the search looks for. SystemFile is the path of the system's file,
// unless Options name another.
const (
	FileName   = "sample.psdl"
	SystemFile = "/p/paradyn/sample.psdl"
)

// search finds the files of the system, the user and the application, in this order. A missing
// file counts as empty. If all are missing, the result is one empty file.
func search(o Options, env *load.Env, dir string) ([]*source.File, diag.List) {
	var found diag.List
	var files []*source.File
	seen := map[string]bool{}
	for _, path := range searchPaths(o, env, dir) {
		f, err := env.Open(path)
		if errors.Is(err, fs.ErrNotExist) && path != o.System {
			continue
		}
		if err != nil {
			f := source.NewFile(path, "")
			found.Report(searchUnreadable, f.Span(0, 0), "%s; it counts as empty", source.Explain(path, err))
			continue
		}
		if id := identity(env, path); !seen[id] {
			seen[id] = true
			files = append(files, f)
		} else {
			found.Report(searchOnce, f.Span(0, 0), "`%s` was found before under another name; it is read once", path)
		}
	}
	if len(files) == 0 {
		f := source.NewFile(FileName, "")
		if len(found) == 0 {
			found.Report(searchNothing, f.Span(0, 0), "there is no file at `%s`: it counts as an empty file", strings.Join(searchPaths(o, env, dir), "`, `"))
		}
		files = append(files, f)
	}
	return files, found
}

// searchPaths returns the paths that the search looks at.
func searchPaths(o Options, env *load.Env, dir string) []string {
	system := o.System
	if root, ok := env.Getenv("PARADYN_ROOT"); system == "" && ok && root != "" {
		system = filepath.Join(root, FileName)
	}
	if system == "" {
		system = SystemFile
	}
	paths := []string{system}
	if home, ok := env.Getenv("HOME"); ok && home != "" {
		paths = append(paths, filepath.Join(home, FileName))
	}
	return append(paths, filepath.Join(dir, FileName))
}

// identity returns one name for a file, the same for every spelling of its path.
func identity(env *load.Env, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(env.Dir, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// Implicit reports whether a file of the search is in the working directory. The user did not
// name such a file, so its programs are not started without asking. An empty file has no
// programs.
func Implicit(env *load.Env, f *source.File) bool {
	return f.Len() > 0 && identity(env, f.Path()) == identity(env, FileName)
}
