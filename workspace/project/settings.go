package project

import (
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
)

// settings are all keys with a name of their own.
var settings = map[string]func(*reader, entry){
	"exclude": func(r *reader, e entry) { r.project.exclude = r.patterns(e) },
	"inside":  func(r *reader, e entry) { r.project.Inside = r.paths(e) },
	"ignore":  func(r *reader, e entry) { r.project.ignored = r.codes(e) },
	"select":  func(r *reader, e entry) { r.project.selected = r.codes(e) },

	"as":          (*reader).as,
	"coil.as":     (*reader).as,
	"paradyn.as":  (*reader).as,
	"pdi.as":      (*reader).as,
	"pinsight.as": (*reader).as,
	"sprokit.as":  (*reader).as,

	"sprokit.include":   func(r *reader, e entry) { r.project.Include = r.paths(e) },
	"sprokit.types":     func(r *reader, e entry) { r.project.Types = r.paths(e) },
	"sprokit.python":    func(r *reader, e entry) { r.project.Python = r.paths(e) },
	"sprokit.fragments": func(r *reader, e entry) { r.project.fragments = r.fileNames(e) },
	"sprokit.templates": func(r *reader, e entry) { r.project.templates = r.fileNames(e) },
	"pinsight.catalog":  func(r *reader, e entry) { r.project.Catalogs = r.paths(e) },
	"coil.targets":      func(r *reader, e entry) { r.project.Targets = r.paths(e) },
}

// tables are those whose keys the user chooses.
var tables = map[string]func(*reader, entry){
	"per-file-ignore": (*reader).perFileIgnore,
	"severity":        (*reader).severity,
	"files":           (*reader).language,
	"env":             (*reader).variable,
	"ready":           (*reader).short,
	"ready-within":    (*reader).short,
	"restart":         (*reader).short,
	launchTable:       (*reader).program,
}

// launchTable has a table for each program of launch plans.
const launchTable = "launch"

// keys are the names of all settings and tables, sorted.
func keys() []string {
	list := slices.Concat(slices.Collect(maps.Keys(settings)), slices.Collect(maps.Keys(tables)))
	for key := range settings {
		if section, _, ok := strings.Cut(key, "."); ok {
			list = append(list, section)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (r *reader) as(e entry) {
	text, ok := r.text(e)
	if !ok {
		return
	}
	language := ""
	if len(e.path) > 1 {
		language = e.path[0]
	}
	for _, d := range []load.Dialect{load.Documented, load.Upstream} {
		if d.String() == text {
			if r.project.dialects == nil {
				r.project.dialects = map[string]load.Dialect{}
			}
			r.project.dialects[language] = d
			return
		}
	}
	r.report(badValue, e.at, "`%s` is not a dialect", problem.Clip(text, problem.Short)).Helped("write `documented` or `upstream`")
}

func (r *reader) perFileIgnore(e entry) {
	pattern := e.path[1]
	r.project.perFile = put(r.project.perFile, rule[[]string]{pattern, r.pattern(pattern, e.span), r.codes(e)})
}

func (r *reader) severity(e entry) {
	r.code(e.path[1], e.span)
	text, ok := r.text(e)
	if !ok {
		return
	}
	for s := diag.Error; s <= diag.Info; s++ {
		if s.String() == text {
			r.project.severity = append(r.project.severity, severityRule{e.path[1], s})
			return
		}
	}
	r.report(badValue, e.at, "`%s` is not a severity", problem.Clip(text, problem.Short)).Helped("write `error`, `warning` or `info`; `ignore` is for codes that do not matter at all")
}

func (r *reader) language(e entry) {
	text, ok := r.text(e)
	if !ok {
		return
	}
	names := append(slices.Clone(r.names.Languages), NoLanguage)
	if !slices.Contains(names, text) {
		r.report(badValue, e.at, "`%s` is not a language", problem.Clip(text, problem.Short)).
			Helped("%s", problem.Advise(text, names, "write "+strings.Join(names, ", ")))
		return
	}
	pattern := e.path[1]
	r.project.files = put(r.project.files, rule[string]{pattern, r.pattern(pattern, e.span), text})
}

func (r *reader) variable(e entry) {
	if text, ok := r.text(e); ok {
		if r.project.env == nil {
			r.project.env = map[string]string{}
		}
		r.project.env[e.path[1]] = r.expand(text)
	}
}
