package need

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var errHidden = errors.New("PENTODE_WITHOUT hides it")

// hidden reports whether PENTODE_WITHOUT lists a program, also if the test asks for the
// program by its full path.
func hidden(name string) bool {
	names := strings.Split(os.Getenv("PENTODE_WITHOUT"), ",")
	return slices.Contains(names, name) || slices.Contains(names, filepath.Base(name))
}

// init removes the programs in PENTODE_WITHOUT from PATH. It must run before
// the test package starts a program or reads PATH.
func init() {
	names := os.Getenv("PENTODE_WITHOUT")
	if names == "" {
		return
	}
	path, err := without(os.Getenv("PATH"), strings.Split(names, ","))
	if err == nil {
		err = os.Setenv("PATH", path)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "the programs of PENTODE_WITHOUT=%s cannot be removed from PATH: %v\n", names, err)
		os.Exit(2)
	}
}

// without returns a search path without some programs. A folder that contains one of them is
// replaced by a folder with links to all others.
func without(path string, names []string) (string, error) {
	dirs := filepath.SplitList(path)
	for i, dir := range dirs {
		if !slices.ContainsFunc(names, func(name string) bool { return holds(dir, name) }) {
			continue
		}
		var err error
		if dirs[i], err = links(dir, names); err != nil {
			return "", err
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator)), nil
}

func holds(dir, name string) bool {
	if name != filepath.Base(name) {
		return false // a path or an ability, not the name of a program
	}
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// links makes a folder that replaces dir in PATH: it has links to everything in dir except
// names. The folder is kept for later processes that hide the same names.
func links(dir string, names []string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	key := fnv.New64a()
	fmt.Fprintln(key, os.Getuid(), dir, info.ModTime(), names)
	to := filepath.Join(os.TempDir(), fmt.Sprintf("pentode-without-%x", key.Sum64()))
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	made, err := os.MkdirTemp("", "pentode-without")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if slices.Contains(names, e.Name()) {
			continue
		}
		if err := os.Symlink(filepath.Join(dir, e.Name()), filepath.Join(made, e.Name())); err != nil {
			return "", err
		}
	}
	// Other users must be able to enter the folder, because some tests start programs as
	// another user.
	if err := os.Chmod(made, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(made, to); err != nil {
		// If the folder exists now, another process has made it first.
		if _, missing := os.Stat(to); missing != nil {
			return "", err
		}
		return to, os.RemoveAll(made)
	}
	return to, nil
}
