package project

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/workspace/ignore"
)

// reader fills in a project.
type reader struct {
	project    *Project
	names      Names
	overriding bool // the settings come from the command line
}

func (r *reader) report(code *diag.Code, at source.Span, format string, args ...any) *diag.Diagnostic {
	return r.project.problems.Report(code, at, format, args...)
}

func (r *reader) read(f *source.File) {
	list, wrong := entries(f)
	if wrong != nil {
		r.report(notTOML, wrong.at, "this is not TOML: %s", wrong.what).Helped("until it is, none of its settings apply")
		return
	}
	for _, e := range list {
		r.entry(e)
	}
}

// override applies `KEY=VALUE` from the command line. The value is TOML or, if it
// is not valid TOML, a plain text.
func (r *reader) override(config []string) {
	r.overriding = true
	for _, text := range config {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			at := source.NewFile(commandLine, text)
			r.report(badValue, at.Span(0, len(text)), "expected KEY=VALUE, not `%s`", text)
			continue
		}
		list, wrong := entries(source.NewFile(commandLine, key+" = "+value))
		if wrong != nil {
			list, wrong = entries(source.NewFile(commandLine, key+" = '''"+value+"'''"))
		}
		if wrong != nil {
			r.report(notTOML, wrong.at, "`%s` is not a key and a value of TOML: %s", problem.Clip(text, problem.Short), wrong.what)
			continue
		}
		for _, e := range list {
			r.entry(e)
		}
	}
}

// entry applies one entry to its setting.
func (r *reader) entry(e entry) {
	section := ""
	if len(e.path) > 1 {
		section = e.path[0]
	}
	if e.kind == unstable.Table || e.kind == unstable.ArrayTable {
		r.section(e)
		return
	}
	switch section {
	case launchTable:
		r.program(e)
		return
	case runTable:
		r.run(e)
		return
	}
	if table, ok := find(keyList(r.names), section); ok && table.Table && len(e.path) == 2 {
		table.set(r, e)
		return
	}
	name := strings.Join(e.path, ".")
	key, ok := find(keyList(r.names), name)
	if !ok || key.Table || strings.Count(name, ".") >= len(e.path) { // a part of a key in quotes may contain a dot
		r.unknown(e)
		return
	}
	key.set(r, e)
}

// section checks the name of a table.
func (r *reader) section(e entry) {
	name := e.path[0]
	switch {
	case name == launchTable && len(e.path) > 1:
		r.programTable(e)
		return
	case name == runTable && len(e.path) > 1:
		r.runTableHead(e)
		return
	}
	key, known := find(keyList(r.names), name)
	known = known && key.Table || slices.ContainsFunc(keys(), func(key string) bool { return strings.HasPrefix(key, name+".") })
	switch {
	case !known || len(e.path) > 1:
		r.unknown(e)
	case e.kind == unstable.ArrayTable:
		r.report(badValue, e.span, "`%s` is one table, not a list of them", name).Helped("write `[%s]`", name)
	}
}

func (r *reader) unknown(e entry) {
	full := strings.Join(e.path, ".")
	if slices.ContainsFunc(keyList(r.names), func(k Key) bool { return k.Table && k.Name == full || strings.HasPrefix(k.Name, full+".") }) {
		r.report(badValue, e.at, "`%s` is a table of settings, and takes no value", problem.Clip(full, problem.Short)).Helped("write `%s.KEY = …`", full)
		return
	}
	d := r.report(unknownKey, e.span, "there is no setting `%s`", problem.Clip(full, problem.Short))
	prefix := full[:strings.LastIndexByte(full, '.')+1]
	var near []string // the keys of the same table, any of which may be the intended one
	for _, key := range keys() {
		if rest, ok := strings.CutPrefix(key, prefix); ok && !strings.Contains(rest, ".") {
			near = append(near, rest)
		}
	}
	if name, ok := problem.Nearest(e.path[len(e.path)-1], near); ok {
		d.Helped("%s", problem.DidYouMean(name))
		return
	}
	if all, ok := problem.Nearest(full, keys()); ok {
		d.Helped("%s", problem.DidYouMean(all))
		return
	}
	if table, ok := problem.Nearest(e.path[0], keys()); ok {
		d.Helped("%s", problem.DidYouMean(table))
		return
	}
	if len(near) == 0 { // there is no such table
		near = keys()
	}
	d.Helped("there are %s", strings.Join(near, ", "))
}

// texts returns a list of texts. A single text is a list with one item.
func (r *reader) texts(e entry) []value {
	if e.kind == unstable.String {
		return []value{e.value}
	}
	if e.kind == unstable.Array && !slices.ContainsFunc(e.list, func(v value) bool { return v.kind != unstable.String }) {
		return e.list
	}
	r.report(badValue, e.at, "`%s` takes a list of texts", strings.Join(e.path, ".")).Helped("write `%s = [\"…\"]`", e.path[len(e.path)-1])
	return nil
}

func (r *reader) text(e entry) (string, bool) {
	if e.kind == unstable.String {
		return e.value.text, true
	}
	r.report(badValue, e.at, "`%s` takes a text", strings.Join(e.path, ".")).Helped("write it in quotes")
	return "", false
}

// isTrue reads a boolean.
func (r *reader) isTrue(e entry) bool {
	if e.kind != unstable.Bool {
		r.report(badValue, e.at, "`%s` takes true or false", strings.Join(e.path, ".")).Helped("write it without quotes")
	}
	return e.kind == unstable.Bool && e.value.text == "true"
}

// codes reads a list of patterns for codes. Each must match a known code.
func (r *reader) codes(e entry) []string {
	list := []string{}
	for _, v := range r.texts(e) {
		list = append(list, v.text)
		r.code(v.text, v.at)
	}
	return list
}

func (r *reader) code(pattern string, at source.Span) {
	if len(r.names.Codes) == 0 || slices.ContainsFunc(r.names.Codes, func(id string) bool { return MatchCode(pattern, id) }) {
		return
	}
	d := r.report(unknownCode, at, "no finding has the code `%s`", problem.Clip(pattern, problem.Short))
	if near, ok := problem.Nearest(pattern, r.names.Codes); ok {
		d.Helped("%s", problem.DidYouMean(near))
	} else {
		d.Helped("`pentode explain CODE` explains a code; `*` matches any text")
	}
}

// patterns reads a list of patterns for paths, in the syntax of `.gitignore`.
func (r *reader) patterns(e entry) ignore.Patterns {
	list := ignore.Patterns{}
	for _, v := range r.texts(e) {
		list = append(list, r.pattern(v.text, v.at)...)
	}
	return list
}

// fileNames reads a list of patterns, each of which must match a file of the
// project.
func (r *reader) fileNames(e entry) ignore.Patterns {
	list := ignore.Patterns{}
	for _, v := range r.texts(e) {
		found := r.pattern(v.text, v.at)
		list = append(list, found...)
		if !strings.HasPrefix(v.text, "!") && len(found) > 0 {
			r.project.expected = append(r.project.expected, rule[source.Span]{v.text, found, v.at})
		}
	}
	return list
}

func (r *reader) pattern(text string, at source.Span) ignore.Patterns {
	p, ok := ignore.ParsePattern(text)
	if !ok {
		r.report(badValue, at, "the pattern `%s` matches nothing", problem.Clip(text, problem.Short)).
			Helped("patterns are written as in .gitignore: `*.pipe`, `build/`, `configs/**/old`")
		return nil
	}
	return ignore.Patterns{p}
}

// paths reads a list of files or folders.
func (r *reader) paths(e entry) []Path {
	list := []Path{}
	for _, v := range r.texts(e) {
		name := filepath.FromSlash(r.expand(v.text))
		if !filepath.IsAbs(name) && !r.overriding { // paths on the command line are relative to the working directory
			name = filepath.Join(r.project.Dir, name)
		}
		list = append(list, Path{name, v.at})
	}
	return list
}

// expand replaces `${project}` by the folder of the project.
func (r *reader) expand(text string) string {
	return strings.ReplaceAll(text, "${project}", absolute(r.project.Dir))
}

// put replaces the rule with the same pattern, or adds one.
func put[T any](list []rule[T], add rule[T]) []rule[T] {
	if i := slices.IndexFunc(list, func(have rule[T]) bool { return have.text == add.text }); i >= 0 {
		list[i] = add
		return list
	}
	return append(list, add)
}
