package project

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/workspace/ignore"
)

// maxWalked is the largest number of files among which source files are searched.
const maxWalked = 50_000

// HasSources reports whether the project names source files of programs.
func (p *Project) HasSources() bool { return len(p.sources) > 0 }

// Sources returns the files that the patterns for sources match and whose names
// isSource accepts, in the order of a walk. It reports a pattern that matches no file.
func (p *Project) Sources(isSource func(path string) bool) (paths []string) {
	matched := make([]bool, len(p.sources))
	tree := ignore.NewTree(p.Dir)
	walked := 0
	_ = filepath.WalkDir(p.Dir, func(path string, e fs.DirEntry, err error) error { // entries that cannot be read are skipped
		if walked++; walked > maxWalked {
			return fs.SkipAll
		}
		if err != nil || path != p.Dir && (e.IsDir() && strings.HasPrefix(e.Name(), ".") || tree.Ignores(path, e.IsDir()) || p.Excludes(path, e.IsDir())) {
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.Type().IsRegular() && isSource(path) && p.matches(path, matched) {
			paths = append(paths, path)
		}
		return nil
	})
	for i, ok := range matched {
		if !ok && walked <= maxWalked && !strings.HasPrefix(p.sources[i].text, "!") {
			p.problems.Report(unmatched, p.sources[i].value, "no source matches the pattern `%s`", problem.Clip(p.sources[i].text, problem.Short)).
				Helped("sources are recognised by their names: .c, .cpp, .hpp, .f90, .py and so on")
		}
	}
	return paths
}

// matches reports whether a file is included: the last pattern that matches it
// decides.
func (p *Project) matches(path string, matched []bool) bool {
	below, ok := p.below(path)
	if !ok {
		return false
	}
	var all ignore.Patterns
	for i, r := range p.sources {
		all = append(all, r.patterns...)
		matched[i] = matched[i] || r.patterns.Covers(below)
	}
	return all.Covers(below)
}
