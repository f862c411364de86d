package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// types imports the process types of commits, from their own folders and from their submodules.
type types struct {
	folders []string
	modules []*module
	program string
	dir     string            // the folder of the catalogues
	made    map[string]string // catalogues by commit or tree; empty: it has no types
}

// module is a submodule of the project, with clones that have its history or parts of it.
type module struct {
	folder string
	clones []*checkout
	nearby map[string]place // the commit to use, by the commit that the project names
}

// place is a commit in one of the clones.
type place struct {
	clone *checkout
	hash  string
}

// sources are the files that an import reads. Other files of a submodule are not checked out, since a partial mirror may lack them.
var sources = []string{"*.h", "*.hpp", "*.hxx", "*.hh", "*.cxx", "*.cpp", "*.cc", "*.txx", "*.py"}

// newTypes clones the repositories of submodules, each `FOLDER=REPOSITORY`, into a folder.
func newTypes(o options, dir string) (*types, error) {
	t := &types{folders: o.imports, program: o.program, dir: dir, made: map[string]string{}}
	if o.keep != "" {
		var err error
		if t.dir, err = filepath.Abs(o.keep); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(t.dir, 0o755); err != nil {
			return nil, err
		}
	}
	for i, m := range o.modules {
		folder, repo, ok := strings.Cut(m, "=")
		if !ok {
			return nil, fmt.Errorf("-module %s: this is not FOLDER=REPOSITORY", m)
		}
		c, err := clone(repo, filepath.Join(dir, fmt.Sprintf("module%d", i)))
		if err != nil {
			return nil, err
		}
		if _, err := c.git(append([]string{"sparse-checkout", "set", "--no-cone"}, sources...)...); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(t.modules, func(have *module) bool { return have.folder == folder })
		if at < 0 {
			at = len(t.modules)
			t.modules = append(t.modules, &module{folder: folder, nearby: map[string]place{}})
		}
		t.modules[at].clones = append(t.modules[at].clones, c)
	}
	return t, nil
}

// of returns the catalogues of the commit in a checkout. notes tells for which submodules it used another commit, because no
// repository has the right one.
func (t *types) of(c *checkout, hash string) (catalogues, notes []string, err error) {
	add := func(key, dir string, show func() error) error {
		name, err := t.make(key, dir, show)
		if name != "" {
			catalogues = append(catalogues, name)
		}
		return err
	}
	for _, m := range t.modules {
		wanted, err := c.git("rev-parse", "--quiet", "--verify", hash+":"+m.folder)
		if err != nil {
			continue // the project did not have the submodule yet
		}
		wanted = strings.TrimSpace(wanted)
		p, err := m.nearest(c, hash, wanted)
		if err != nil {
			return nil, nil, err
		}
		if p.hash != wanted {
			day, err := p.clone.git("log", "-1", "--format=%cs", p.hash)
			if err != nil {
				return nil, nil, err
			}
			notes = append(notes, fmt.Sprintf("%.9s of %s is used for %s: no repository has %.9s", p.hash, strings.TrimSpace(day), m.folder, wanted))
		}
		if err := add(p.hash, p.clone.dir, func() error { return p.clone.show(p.hash) }); err != nil {
			return nil, nil, err
		}
	}
	for _, folder := range t.folders {
		tree, err := c.git("rev-parse", "--quiet", "--verify", hash+":"+folder)
		if err != nil {
			continue
		}
		if err := add(strings.TrimSpace(tree), filepath.Join(c.dir, filepath.FromSlash(folder)), func() error { return nil }); err != nil {
			return nil, nil, err
		}
	}
	return catalogues, notes, nil
}

// make calls show, which checks out a folder, and imports its types; it does so once for each key. The key names the file.
func (t *types) make(key, dir string, show func() error) (string, error) {
	if name, ok := t.made[key]; ok {
		return name, nil
	}
	name := filepath.Join(t.dir, key+".json")
	if _, err := os.Stat(name); err == nil {
		t.made[key] = name
		return name, nil
	}
	if err := show(); err != nil {
		return "", err
	}
	cmd := exec.Command(t.program, "types", "import", "-o", name, ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if _, absent := os.Stat(name); errors.Is(absent, fs.ErrNotExist) {
		if err == nil || !strings.Contains(string(out), "there is no process type") {
			return "", fmt.Errorf("the import of %s failed: %.200s", dir, out)
		}
		name = ""
	}
	t.made[key] = name
	return name, nil
}

// nearest returns the commit that the project names, if a clone has it; else the last commit that the project named before; else
// the newest commit before the day of the project's commit, which a user had on that day.
func (m *module) nearest(project *checkout, hash, wanted string) (place, error) {
	if p, ok := m.nearby[wanted]; ok {
		return p, nil
	}
	find := func() (place, error) {
		out, err := project.git("log", "--format=", "--raw", "--no-abbrev", hash, "--", m.folder)
		if err != nil {
			return place{}, err
		}
		named := []string{wanted}
		for line := range strings.Lines(out) { // :160000 160000 OLD NEW M	FOLDER
			if fields := strings.Fields(line); len(fields) > 4 && fields[1] == "160000" {
				named = append(named, fields[3])
			}
		}
		for _, hash := range named {
			for _, c := range m.clones {
				if _, err := c.git("cat-file", "-e", hash+"^{commit}"); err == nil {
					return place{c, hash}, nil
				}
			}
		}
		day, err := project.git("log", "-1", "--format=%ct", hash)
		if err != nil {
			return place{}, err
		}
		var newest place
		var last int
		for _, c := range m.clones {
			out, err := c.git("log", "-1", "--all", "--format=%ct %H", "--before="+strings.TrimSpace(day))
			if err != nil {
				return place{}, err
			}
			at, found, _ := strings.Cut(strings.TrimSpace(out), " ")
			if at, err := strconv.Atoi(at); err == nil && at > last {
				newest, last = place{c, found}, at
			}
		}
		if newest.clone == nil {
			return place{}, fmt.Errorf("no repository of %s has a commit as old as this one", m.folder)
		}
		return newest, nil
	}
	p, err := find()
	if err == nil {
		m.nearby[wanted] = p
	}
	return p, err
}
