// Package ignore matches paths as `.gitignore` files do.
//
// A pattern without a slash matches a name in any folder. A pattern with a slash
// matches a path below the folder of its file. `*` and `?` stay within a name,
// `**` crosses folders, a slash at the end means a folder, and `!` reverses an
// earlier pattern. Lists of paths in a project file use the same patterns, so
// there is only one kind to learn.
//
//	lines ──Parse──▶ Patterns ──Match──▶ ignored, not ignored, or undecided
//	                    ▲
//	.gitignore ──Tree───┘   one for each folder, from the repository's root down
package ignore

import "strings"

// Pattern is one line.
type Pattern struct {
	negated  bool // `!`: a match is not ignored
	folder   bool // matches folders only
	anchored bool // matches the whole path, not only its last part
	parts    []part
}

// Patterns are the lines of one file. The last one that matches decides.
type Patterns []Pattern

// Parse reads the patterns in a file. It skips comments, empty lines, and
// patterns that cannot match anything.
func Parse(text string) Patterns {
	var list Patterns
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if p, ok := ParsePattern(line); ok {
			list = append(list, p)
		}
	}
	return list
}

// ParsePattern reads one pattern. It returns false if the pattern cannot match
// anything.
func ParsePattern(line string) (Pattern, bool) {
	var p Pattern
	line = trimBlanks(line)
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		p.negated, line = true, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		p.folder, line = true, rest
	}
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	parts, ok := compile(line)
	p.parts = parts
	return p, ok
}

// trimBlanks removes the blanks at the end, except one after a backslash.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// Match reports whether a path is ignored, and whether any pattern matches it.
// The path has slashes and is relative to the folder of the patterns.
func (ps Patterns) Match(path string, folder bool) (ignored, decided bool) {
	for i := len(ps) - 1; i >= 0; i-- {
		if p := &ps[i]; (folder || !p.folder) && p.matches(path) {
			return !p.negated, true
		}
	}
	return false, false
}

// Covers reports whether the patterns match a file or one of the folders that
// contain it.
func (ps Patterns) Covers(path string) bool {
	for i := 0; i < len(path); i++ {
		if path[i] == '/' {
			if ignored, _ := ps.Match(path[:i], true); ignored {
				return true
			}
		}
	}
	ignored, _ := ps.Match(path, false)
	return ignored
}

func (p *Pattern) matches(path string) bool {
	if !p.anchored {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	return matches(p.parts, path)
}
