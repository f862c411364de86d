// Package project reads the file `pentode.toml`. Its settings apply to all
// files below its folder, whoever checks them and from whichever working
// directory.
//
// Only the nearest project file above a file applies. It says which files are
// checked, their language and dialect, where their includes and types are, and
// which findings matter. Flags on the command line override it; `--config
// KEY=VALUE` replaces one setting.
//
//	pentode.toml ──entries──▶ keys and values with their places ──settings──▶ Project
//	--config ────────┘                                              └──▶ findings
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/workspace/ignore"
)

// FileName is the name of a project file.
const FileName = "pentode.toml"

// commandLine stands for the file name in findings about settings from the
// command line.
const commandLine = "--config"

// Project has the settings of a project file. The zero value has no settings.
type Project struct {
	// Dir is the folder that paths are relative to. It is relative or
	// absolute, like the paths of the files in it.
	Dir  string
	File *source.File // nil if there is none

	exclude  ignore.Patterns
	ignored  []string // patterns of codes
	selected []string // patterns of codes; empty means all
	perFile  []rule[[]string]
	files    []rule[string]
	severity []severityRule
	env      map[string]string
	dialects map[string]load.Dialect // by language; "" is for all

	Include     []Path    // folders with included files
	Types       []Path    // catalogues of process types
	Complete    bool      // the catalogues have all types of the installation, so any other type is an error
	Python      []Path    // modules with process types
	Catalogs    []Path    // catalogues of traced domains
	Targets     []Path    // tables of machines, or folders of them
	Vendors     []Path    // JSON Schemas of vendors' sections of targets
	Unstable    bool      // rustc may use features that it warns about as unstable
	Clusters    []Path    // folders with clusters
	Program     *Path     // the traced program, with debug information; nil if unknown
	Maps        *Path     // the memory map of a process that runs the program
	Base        *Path     // the hexadecimal address at which the program is loaded
	System      *Path     // the system's file in Paradyn's search; if nil, the one below PARADYN_ROOT
	SkipPlugins []string  // plugins that a replay skips
	Paradyn     string    // the dialect of Paradyn's files: psdl, pcl or auto; empty means psdl
	programs    []Program // settings for the programs of launch plans
	runs        []Setting // settings for whole runs
	Inside      []Path    // the only folders that may be read; if empty, everything may be
	Records     Records   // settings for the records of runs
	Trace       Tracing   // settings for traced programs

	fragments ignore.Patterns
	templates ignore.Patterns
	sources   []rule[source.Span] // patterns for the source files of programs that use specification trees
	expected  []rule[source.Span] // patterns that have not matched any file yet
	walked    bool                // all files of the project have been listed

	problems diag.List
}

// Path is a path in the project file, with its place there.
type Path struct {
	Name string // relative to the working directory, or absolute
	Span source.Span
}

// rule applies to the files that a pattern covers.
type rule[T any] struct {
	text     string
	patterns ignore.Patterns
	value    T
}

type severityRule struct {
	code  string // a pattern
	value diag.Severity
}

// Problems returns the findings about the project file itself.
func (p *Project) Problems() diag.List { return p.problems }

// Unusable reports that a file which the project names cannot be used. If a
// catalogue is missing, the help names the command that makes it.
func (p *Project) Unusable(at Path, why error) {
	found := p.problems.Report(unusable, at.Span, "%s", why)
	if at.Span.File.Path() == commandLine {
		found.Helped("paths of --config are relative to the working directory")
		return
	}
	if errors.Is(why, fs.ErrNotExist) && slices.Contains(p.Types, at) {
		found.Helped("`pentode types import -o %s SOURCES` makes it, from the folders with your processes", at.Name).
			Note("paths are relative to the folder of %s", FileName)
		return
	}
	found.Helped("paths are relative to the folder of %s", FileName)
}

// Walked is told the files of the project, and reports the patterns that match
// none of them. It reports each pattern once.
func (p *Project) Walked(files []string) {
	for _, e := range p.expected {
		if !slices.ContainsFunc(files, func(file string) bool {
			below, ok := p.below(file)
			return ok && e.patterns.Covers(below)
		}) {
			p.problems.Report(unmatched, e.value, "no file matches the pattern `%s`", problem.Clip(e.text, problem.Short)).
				Helped("a name matches in any folder, a path with a slash is relative to the folder of %s", FileName)
		}
	}
	p.expected, p.walked = nil, true
}

// Confine removes the paths that are outside of the folders that may be read.
func (p *Project) Confine(dirs []string) {
	for _, list := range []*[]Path{&p.Include, &p.Types, &p.Python, &p.Catalogs, &p.Targets} {
		*list = slices.DeleteFunc(*list, func(path Path) bool {
			outside := !source.Inside{Dirs: dirs}.Holds(path.Name)
			if outside {
				p.Unusable(path, fmt.Errorf("`%s` cannot be used: %w", path.Name, source.ErrOutside))
			}
			return outside
		})
	}
}

// Excludes reports whether the project excludes a file or folder.
func (p *Project) Excludes(path string, folder bool) bool {
	below, ok := p.below(path)
	if !ok {
		return false
	}
	excluded, _ := p.exclude.Match(below, folder)
	return excluded
}

// Language returns the language that the project sets for a file: the name of
// a language, `none`, or "" if the project sets none. The last pattern that
// covers the file decides.
func (p *Project) Language(path string) string {
	below, ok := p.below(path)
	if !ok {
		return ""
	}
	for i := len(p.files) - 1; i >= 0; i-- {
		if p.files[i].patterns.Covers(below) {
			return p.files[i].value
		}
	}
	return ""
}

// NoLanguage is the name of a language in project files for files that Pentode
// must not read.
const NoLanguage = "none"

// IsFragment reports whether a file is only meant to be included by others.
func (p *Project) IsFragment(path string) bool {
	below, ok := p.below(path)
	return ok && p.fragments.Covers(below)
}

// IsTemplate reports whether `[-NAME-]` is a placeholder for any text in a
// file.
func (p *Project) IsTemplate(path string) bool {
	below, ok := p.below(path)
	return ok && p.templates.Covers(below)
}

// Dialect returns the dialect of a language, if the project sets one.
func (p *Project) Dialect(language string) (load.Dialect, bool) {
	d, ok := p.dialects[language]
	if !ok {
		d, ok = p.dialects[""]
	}
	return d, ok
}

// Getenv returns a variable that the project sets. It is used if the
// environment does not set the variable.
func (p *Project) Getenv(name string) (string, bool) {
	value, ok := p.env[name]
	return value, ok
}

// below returns a path relative to the folder of the project, with slashes.
func (p *Project) below(path string) (string, bool) {
	below, err := filepath.Rel(absolute(p.Dir), absolute(path))
	if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(below), true
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}
