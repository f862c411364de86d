package catalog

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog/scan"
	"github.com/pentode-dev/pentode/run/flow/child"
)

// A Folder is a place where Python modules are looked for.
type Folder struct {
	Path string
	Tree fs.FS
}

// AddModules reads the sources of Python modules and adds the process types
// that their classes are, by their own names. Nothing of them is run before a
// pipeline does. A module that no folder has is left out, and so are types that
// run here already.
func AddModules(r *flow.Registry, modules []string, folders []Folder) error {
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

// moduleTypes are the types of a module, `package.module`, in one folder.
func moduleTypes(module string, folder Folder) ([]*flow.Type, error) {
	name := strings.ReplaceAll(strings.TrimSpace(module), ".", "/")
	if !fs.ValidPath(name) || name == "." {
		return nil, nil
	}
	files := []string{name + ".py"}
	if info, err := fs.Stat(folder.Tree, name); err == nil && info.IsDir() {
		files, _ = fs.Glob(folder.Tree, name+"/*.py")
	}
	s := &scan.Scanner{}
	for _, file := range files {
		if text, err := fs.ReadFile(folder.Tree, file); err == nil {
			s.File(file, string(text))
		}
	}
	abs, err := filepath.Abs(folder.Path)
	if err != nil {
		return nil, err
	}
	var types []*flow.Type
	for _, t := range s.Types() {
		class, file := s.Class(t.Name)
		declared := *t
		declared.Version = ""
		types = append(types, child.PythonType(declared, moduleName(file)+"."+class, abs))
	}
	return types, nil
}

// moduleName is the module that a file is.
func moduleName(file string) string {
	parts := strings.Split(strings.TrimSuffix(path.Clean(file), ".py"), "/")
	if n := len(parts) - 1; n > 0 && parts[n] == "__init__" {
		parts = slices.Delete(parts, n, n+1)
	}
	return strings.Join(parts, ".")
}
