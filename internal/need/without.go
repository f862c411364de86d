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

// hidden reports whether PENTODE_WITHOUT names something, which a test may ask
// for with the folder where it lies.
func hidden(name string) bool {
	names := strings.Split(os.Getenv("PENTODE_WITHOUT"), ",")
	return slices.Contains(names, name) || slices.Contains(names, filepath.Base(name))
}

// init takes what PENTODE_WITHOUT names out of PATH. It is done here because
// nothing of a test package may have started a program or read PATH before.
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
		fmt.Fprintf(os.Stderr, "what PENTODE_WITHOUT=%s names cannot be taken out of PATH: %v\n", names, err)
		os.Exit(2)
	}
}

// without is a search path without programs. A folder that holds one of them is
// replaced by one with links to all others.
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
		return false // no name of a program
	}
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// links makes the folder that stands for another one without some names. It
// stays: the next process that hides the same finds it.
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
	// Tests start programs as other users, too.
	if err := os.Chmod(made, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(made, to); err != nil {
		// Another process was first.
		if _, missing := os.Stat(to); missing != nil {
			return "", err
		}
		return to, os.RemoveAll(made)
	}
	return to, nil
}
