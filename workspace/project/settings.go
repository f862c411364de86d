package project

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Key is a setting that exists in project files. It is not a schema.Key, because it reads its value itself,
// and describes in words what it accepts. Package runs provides the keys of launch plans, because this
// package knows no engine.
type Key struct {
	Name  string // the name with its table, as in `sprokit.types`
	Takes string // what its value looks like
	Doc   string
	Table bool     // a table with keys that the user chooses, as in `env`
	Words []string // the words that its value can be or begin with, if they are known

	set func(*reader, entry)
}

// keyList returns every key with a fixed name, and the tables whose keys the user chooses, sorted. It is used
// for reading, completion, hover and the reference page about project files.
func keyList(n Names) []Key {
	dialectWords := []string{load.Documented.String(), load.Upstream.String()}
	list := []Key{
		{Name: "as", Takes: dialects, Doc: "the dialect of all files", Words: dialectWords, set: (*reader).as},
		{Name: "coil.targets", Takes: "a list of files or folders", Doc: "files with further machines, or folders of them", set: func(r *reader, e entry) { r.project.Targets = r.paths(e) }},
		{Name: "coil.unstable", Takes: "`true` or `false`", Doc: "whether `target flags rustc` passes features for which rustc warns that they are unstable", set: func(r *reader, e entry) { r.project.Unstable = r.isTrue(e) }},
		{Name: "coil.vendor-schema", Takes: "a list of files", Doc: "JSON Schemas of vendors' sections", set: func(r *reader, e entry) { r.project.Vendors = r.paths(e) }},
		{Name: "env", Takes: "`NAME = \"VALUE\"`", Doc: "variables for `$ENV{…}`, if the environment does not set them", Table: true, set: (*reader).variable},
		{Name: "exclude", Takes: "a list of patterns", Doc: "files and folders that `pentode check .` and other walks skip; `--no-ignore` includes them, and so does naming them", set: func(r *reader, e entry) { r.project.exclude = r.patterns(e) }},
		{Name: "files", Takes: "`\"PATTERN\" = \"LANGUAGE\"`", Doc: "the language of files whose name and content do not decide it, or `none`", Table: true, Words: n.languages(), set: (*reader).language},
		{Name: "ignore", Takes: "a list of codes", Doc: "codes of findings that are not shown", Words: n.Codes, set: func(r *reader, e entry) { r.project.ignored = r.codes(e) }},
		{Name: "inside", Takes: "a list of folders", Doc: "the only folders that may be read for the files here, and the environment is not read either; `--inside DIR` does the same and overrides this", set: func(r *reader, e entry) { r.project.Inside = r.paths(e) }},
		{Name: launchTable, Takes: "a table for each program", Doc: "`[launch.NAME]`: settings of one program of launch plans, NAME as `pentode run --dry-run` prints it; `[launch.\"run.psdl:NAME\"]` applies only to the plan of that file", Table: true, set: (*reader).program},
		{Name: "paradyn.dialect", Takes: dialectsOfParadyn, Doc: "the language of Paradyn's files: the one of July 1994 (`psdl`), the one of August 1994 (`pcl`), or whichever a file shows signs of (`auto`)", Words: []string{"psdl", "pcl", "auto"}, set: (*reader).paradynDialect},
		{Name: "paradyn.system", Takes: "a file", Doc: "the system's file in the search, instead of the one below PARADYN_ROOT", set: func(r *reader, e entry) { r.project.System = r.path(e) }},
		{Name: "pdi.skip-plugins", Takes: "a list of names", Doc: "plugins that `pentode data replay` skips", set: (*reader).skippedPlugins},
		{Name: "pdi.sources", Takes: "a list of patterns", Doc: "sources of the programs that read the trees, in C, C++, Fortran or Python: names, events and types of both are compared", set: (*reader).sources},
		{Name: "per-file-ignore", Takes: "`\"PATTERN\" = [\"CODE\"]`", Doc: "the same as `ignore`, for the files that a pattern matches", Table: true, Words: n.Codes, set: (*reader).perFileIgnore},
		{Name: "pinsight.base", Takes: "an address such as `\"0x555555554000\"`", Doc: "where a position-independent `program` is loaded", set: (*reader).loadAddress},
		{Name: "pinsight.catalog", Takes: "a list of files", Doc: "files with further domains", set: func(r *reader, e entry) { r.project.Catalogs = r.paths(e) }},
		{Name: "pinsight.maps", Takes: "a file", Doc: "the memory map of a process that runs the `program`, such as /proc/PID/maps", set: func(r *reader, e entry) { r.project.Maps = r.path(e) }},
		{Name: "pinsight.program", Takes: "a file", Doc: "the traced program, with debug information: regions may be named by lines and functions of it", set: func(r *reader, e entry) { r.project.Program = r.path(e) }},
		{Name: runTable, Takes: "settings of runs", Doc: "settings for every run here; `[launch.NAME]` overrides them for its program", Table: true, set: (*reader).run},
		{Name: "runs.env", Takes: "a list of names", Doc: "variables that the record of a run keeps besides the variables that its files read; a variable whose name looks like a secret is never kept", set: (*reader).recordedEnv},
		{Name: "runs.keep", Takes: "a number", Doc: "how many records of runs are kept, by default 50; records with a tag are kept in addition", set: (*reader).keptRecords},
		{Name: "select", Takes: "a list of codes", Doc: "codes of the only findings that are shown", Words: n.Codes, set: func(r *reader, e entry) { r.project.selected = r.codes(e) }},
		{Name: "severity", Takes: "`\"CODE\" = \"SEVERITY\"`", Doc: "`error`, `warning` or `info`, by code", Table: true, Words: severities(), set: (*reader).severity},
		{Name: "sprokit.clusters", Takes: "a list of folders", Doc: "folders to look for clusters in, after the folders in SPROKIT_CLUSTER_PATH", set: func(r *reader, e entry) { r.project.Clusters = r.paths(e) }},
		{Name: "sprokit.complete", Takes: "`true` or `false`", Doc: "whether the catalogues have all process types and algorithms of the installation: a name that they lack is then an error", set: func(r *reader, e entry) { r.project.Complete = r.isTrue(e) }},
		{Name: "sprokit.fragments", Takes: "a list of patterns", Doc: "files that are only included by others", set: func(r *reader, e entry) { r.project.fragments = r.fileNames(e) }},
		{Name: "sprokit.include", Takes: "a list of folders", Doc: "folders to look for included files in", set: func(r *reader, e entry) { r.project.Include = r.paths(e) }},
		{Name: "sprokit.python", Takes: "a list of files", Doc: "Python modules with process types", set: func(r *reader, e entry) { r.project.Python = r.paths(e) }},
		{Name: "sprokit.templates", Takes: "a list of patterns", Doc: "files in which `[-NAME-]` is a placeholder for any text", set: func(r *reader, e entry) { r.project.templates = r.fileNames(e) }},
		{Name: "sprokit.types", Takes: "a list of files", Doc: "catalogues of process types: files, or `kwiver` and `viame`, which come with Pentode; later ones override earlier ones, and all override the built-in one", set: func(r *reader, e entry) { r.project.Types = r.paths(e) }},
	}
	list = append(list, traceKeys()...)
	for _, language := range []string{"coil", "paradyn", "pdi", "pinsight", "sprokit"} {
		list = append(list, Key{Name: language + ".as", Takes: dialects, Doc: "the dialect of these files", Words: dialectWords, set: (*reader).as})
	}
	slices.SortFunc(list, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// skippedPlugins reads a list of names.
func (r *reader) skippedPlugins(e entry) {
	r.project.SkipPlugins = nil
	for _, v := range r.texts(e) {
		r.project.SkipPlugins = append(r.project.SkipPlugins, v.text)
	}
}

// sources reads a list of patterns, each of which must match a source file.
func (r *reader) sources(e entry) {
	r.project.sources = nil
	for _, v := range r.texts(e) {
		if found := r.pattern(v.text, v.at); len(found) > 0 {
			r.project.sources = append(r.project.sources, rule[source.Span]{v.text, found, v.at})
		}
	}
}

const dialectsOfParadyn = "`psdl`, `pcl` or `auto`"

func (r *reader) paradynDialect(e entry) {
	text, ok := r.text(e)
	if !ok {
		return
	}
	if !slices.Contains([]string{"psdl", "pcl", "auto"}, text) {
		r.report(badValue, e.at, "`%s` is not a dialect of Paradyn's files", problem.Clip(text, problem.Short)).Helped("write " + dialectsOfParadyn)
		return
	}
	r.project.Paradyn = text
}

// path reads a single path. It returns nil if the value is empty.
func (r *reader) path(e entry) *Path {
	paths := r.paths(e)
	if len(paths) == 0 {
		return nil
	}
	return &paths[0]
}

func (r *reader) loadAddress(e entry) {
	value, ok := r.plain(e.value)
	digits := strings.TrimPrefix(strings.ToLower(value.Text), "0x")
	if _, err := strconv.ParseUint(digits, 16, 64); !ok || err != nil {
		r.report(badValue, e.at, "`%s` is not an address", problem.Clip(value.Text, problem.Short)).Helped("write one such as 0x555555554000")
		return
	}
	r.project.Base = &Path{digits, e.at}
}

const dialects = "`documented` or `upstream`"

// languages returns the names that a file's language can have, including `none`.
func (n Names) languages() []string { return append(slices.Clone(n.Languages), NoLanguage) }

func severities() (list []string) {
	for s := diag.Error; s <= diag.Info; s++ {
		list = append(list, s.String())
	}
	return list
}

// find returns the key of that name.
func find(list []Key, name string) (Key, bool) {
	if i := slices.IndexFunc(list, func(k Key) bool { return k.Name == name }); i >= 0 {
		return list[i], true
	}
	return Key{}, false
}

// launchTable contains a table for each program of launch plans. runTable has the settings of whole runs.
const (
	launchTable = "launch"
	runTable    = "run"
)

// Keys returns all settings of project files, sorted by name. The settings in `[run]` and `[launch.NAME]` are
// in Launch.
func (n Names) Keys() []Key { return keyList(n) }

// keys returns the sorted names of all settings and tables.
func keys() []string {
	var list []string
	for _, k := range keyList(Names{}) {
		list = append(list, k.Name)
		if section, _, ok := strings.Cut(k.Name, "."); ok {
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
	names := r.names.languages()
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
