package catalog

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/catalog/scan"
	"github.com/pentode-dev/pentode/run/flow/child"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Folder is a folder that is searched for Python modules.
type Folder struct {
	Path string
	Tree fs.FS
}

// AddModules adds the classes of Python modules as process types, under the names with which the
// classes register. It reads the source of the modules and runs no Python code. It skips modules
// that are in none of the folders, and types that this program can already run.
func AddModules(r *pipe.Registry, modules []string, folders []Folder) error {
	for _, module := range modules {
		for _, folder := range folders {
			found, err := moduleTypes(module, folder)
			if err != nil {
				return err
			}
			for _, t := range found {
				if known, ok := r.Lookup(t.Name); ok && known.Runs() != nil {
					continue
				}
				if err := r.Replace(t); err != nil {
					return err
				}
			}
			if len(found) > 0 {
				break
			}
		}
	}
	return nil
}

// readModule reads the source of a module, `package.module`, in one folder.
func readModule(module string, folder Folder) *scan.Scanner {
	s := &scan.Scanner{Root: folder.Path}
	name := strings.ReplaceAll(strings.TrimSpace(module), ".", "/")
	if !fs.ValidPath(name) || name == "." {
		return s
	}
	files := []string{name + ".py"}
	if info, err := fs.Stat(folder.Tree, name); err == nil && info.IsDir() {
		files, _ = fs.Glob(folder.Tree, name+"/*.py")
	}
	for _, file := range files {
		if text, err := fs.ReadFile(folder.Tree, file); err == nil {
			s.File(file, string(text))
		}
	}
	return s
}

// moduleTypes returns the types of a module in one folder.
func moduleTypes(module string, folder Folder) ([]*pipe.Type, error) {
	abs, err := filepath.Abs(folder.Path)
	if err != nil {
		return nil, err
	}
	s := readModule(module, Folder{abs, folder.Tree})
	var types []*pipe.Type
	for _, t := range s.Types() {
		class, file := s.Class(t.Name)
		declared := *t
		declared.Version = ""
		types = append(types, child.PythonType(declared, moduleName(file)+"."+class, abs))
	}
	return types, nil
}

// narrowPython returns a function that gives a process of type `python` the ports and keys of its
// class. It reads them from the source of the class, without running it. The source must be in the
// folder of the pipeline file or in a folder of the key `path`.
func narrowPython(python *pipe.Type) func(*pipe.Node) *pipe.Type {
	return func(n *pipe.Node) *pipe.Type {
		class := strings.TrimSpace(n.Config["class"].Value)
		dot := strings.LastIndexByte(class, '.')
		if dot < 0 {
			return nil
		}
		beside := cmp.Or(n.Folder(), ".")
		folders := []string{beside}
		for _, dir := range filepath.SplitList(n.Config["path"].Value) {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(beside, dir)
			}
			folders = append(folders, dir)
		}
		for _, dir := range folders {
			s := readModule(class[:dot], Folder{dir, os.DirFS(dir)})
			for _, t := range s.Types() {
				if name, _ := s.Class(t.Name); name != class[dot+1:] || !s.Whole(t.Name) {
					continue
				}
				declared := *t
				declared.Name = python.Name
				if !declared.OpenKeys { // all keys are listed, so an unlisted key is a mistake
					declared.Version = ""
				}
				declared.Keys = append(slices.Clone(declared.Keys), python.Keys[0])
				return child.PythonType(declared, class, "")
			}
		}
		return nil
	}
}

// moduleName returns the module name of a file.
func moduleName(file string) string {
	parts := strings.Split(strings.TrimSuffix(path.Clean(file), ".py"), "/")
	if n := len(parts) - 1; n > 0 && parts[n] == "__init__" {
		parts = slices.Delete(parts, n, n+1)
	}
	return strings.Join(parts, ".")
}
