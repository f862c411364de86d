package project

import (
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Program is the project's settings for one program of launch plans: a table `[launch.NAME]`, or
// `[launch."FILE:NAME"]` for the plan of one file.
type Program struct {
	File     string      // relative to the folder of the project; if empty, the table applies to every plan
	Name     string      // the program's name in the plan
	Span     source.Span // where the program is first mentioned
	Settings []Setting
}

// Setting is one key of a table: `copies`, or `env` followed by `PATH`.
type Setting struct {
	Path  []string
	Value Value
	Span  source.Span // the place of the value
}

// Value is a TOML value: a text, a number or a boolean as written, or a list of these.
type Value struct {
	Text   string
	List   []string
	IsList bool
}

// String returns the value as text; the items of a list are joined by commas.
func (v Value) String() string {
	if v.IsList {
		return strings.Join(v.List, ", ")
	}
	return v.Text
}

// Launch lists the settings of runs and of the programs of launch plans. Package runs provides them and
// checks their values.
type Launch struct {
	Programs, Runs []Key                                  // sorted
	Judge          func(path []string, value Value) error // returns what is wrong with a value for a program
	JudgeRun       func(path []string, value Value) error // returns what is wrong with a value for a run
}

func keyNames(list []Key) []string {
	names := make([]string, len(list))
	for i, k := range list {
		names[i] = k.Name
	}
	return names
}

// Planned reports settings for programs that are not in any launch plan. It is called after all files of
// the project were checked. planned are the programs in the plans, found are the findings so far.
func (p *Project) Planned(planned []string, found diag.List) {
	for _, program := range p.programs {
		reported := slices.ContainsFunc(found, func(d *diag.Diagnostic) bool {
			return len(program.Settings) > 0 && d.Span == program.Settings[0].Span
		})
		if !p.walked || program.File != "" || reported || slices.Contains(planned, program.Name) {
			continue
		}
		p.problems.Report(unknownProgram, program.Span, "no launch plan of the project has a program `%s`", problem.Clip(program.Name, problem.Short)).
			Helped("%s", problem.Advise(program.Name, planned, "`pentode run --dry-run FILE` prints the names"))
	}
}

// Runs returns the settings that apply to whole runs.
func (p *Project) Runs() []Setting { return p.runs }

// Programs returns the settings that apply to the plan of a file.
func (p *Project) Programs(file string) []Program {
	below, ok := p.below(file)
	var list []Program
	for _, program := range p.programs {
		if program.File == "" || ok && path.Clean(program.File) == below {
			list = append(list, program)
		}
	}
	return list
}

// program reads `[launch.NAME]`.
func (r *reader) program(e entry) {
	if len(e.path) < 3 {
		r.report(unknownKey, e.span, "there is no setting `%s`", problem.Clip(strings.Join(e.path, "."), problem.Short)).
			Helped("`[launch.NAME]` has the settings of one program; settings of whole runs are in `[run]`")
		return
	}
	key, ok := find(r.names.Launch.Programs, e.path[2])
	switch {
	case !ok:
		r.unknownSetting(e, e.path[2], r.names.Launch.Programs)
	case e.kind == unstable.ArrayTable:
		r.report(badValue, e.span, "`%s` is one value, not a list of tables", key.Name)
	case key.Table != (len(e.path) == 4) || e.kind == unstable.Table && len(e.path) == 4:
		r.report(badValue, e.at, "`%s` is %s", problem.Clip(strings.Join(e.path[2:], "."), problem.Short), key.shape())
	default:
		r.setting(e.path[1], e.path[2:], e)
	}
}

// run reads a setting that applies to whole runs: a key of `[run]` or of a table below it.
func (r *reader) run(e entry) {
	key, ok := find(r.names.Launch.Runs, e.path[1])
	switch {
	case !ok:
		r.unknownSetting(e, e.path[1], r.names.Launch.Runs)
		return
	case key.Table != (len(e.path) == 3):
		r.report(badValue, e.at, "`%s` is %s", problem.Clip(strings.Join(e.path[1:], "."), problem.Short), key.shape())
		return
	}
	value, ok := r.plain(e.value)
	if !ok {
		r.report(badValue, e.at, "`%s` takes a text, a number or a list of these", strings.Join(e.path, "."))
		return
	}
	path := e.path[1:]
	if judge := r.names.Launch.JudgeRun; judge != nil {
		if err := judge(path, value); err != nil {
			r.report(badValue, e.at, "%s", err)
			return
		}
	}
	list := slices.DeleteFunc(r.project.runs, func(s Setting) bool { return slices.Equal(s.Path, path) }) // the command line replaces the setting in the file
	r.project.runs = append(list, Setting{Path: path, Value: value, Span: e.at})
}

// runTableHead checks the header of a table below `[run]`.
func (r *reader) runTableHead(e entry) {
	key, ok := find(r.names.Launch.Runs, e.path[1])
	switch {
	case !ok:
		r.unknownSetting(e, e.path[1], r.names.Launch.Runs)
	case e.kind == unstable.ArrayTable:
		r.report(badValue, e.span, "`%s` is one table, not a list of them", problem.Clip(strings.Join(e.path, "."), problem.Short)).Helped("write it in single brackets")
	case !key.Table || len(e.path) > 2:
		r.report(badValue, e.at, "`%s` is %s", problem.Clip(strings.Join(e.path[1:], "."), problem.Short), key.shape())
	}
}

// shape describes the values that a key of a program accepts.
func (k Key) shape() string {
	if k.Table {
		return "a table: write `" + k.Name + ".NAME = …`"
	}
	return "a value, not a table"
}

// programTable checks the header of a table below `launch`.
func (r *reader) programTable(e entry) {
	switch {
	case e.kind == unstable.ArrayTable:
		r.report(badValue, e.span, "`%s` is one table, not a list of them", problem.Clip(strings.Join(e.path, "."), problem.Short)).Helped("write it in single brackets")
	case len(e.path) == 2 || len(e.path) == 3 && r.isTable(e.path[2]):
		r.planFile(e)
		r.programOf(e.path[1], e.span)
	case len(e.path) > 2:
		r.program(e)
	}
}

// isTable reports whether a setting of programs is a table, such as `env`.
func (r *reader) isTable(name string) bool {
	key, ok := find(r.names.Launch.Programs, name)
	return ok && key.Table
}

// planFile records the file in a table's name, which must be a file of the project.
func (r *reader) planFile(e entry) {
	file, _, ok := strings.Cut(e.path[1], ":")
	if !ok || len(e.path) > 2 {
		return
	}
	if patterns := r.pattern("/"+file, e.span); patterns != nil {
		r.project.expected = append(r.project.expected, rule[source.Span]{file, patterns, e.span})
	}
}

// unknownSetting reports a key that is not one of the given keys.
func (r *reader) unknownSetting(e entry, word string, keys []Key) {
	names := keyNames(keys)
	r.report(unknownKey, e.span, "there is no setting `%s`", problem.Clip(strings.Join(e.path, "."), problem.Short)).
		Helped("%s", problem.Advise(word, names, "there are "+strings.Join(names, ", ")))
}

// setting adds a setting of a program. A key that a file sets twice is an error, but the command line
// overrides it.
func (r *reader) setting(name string, path []string, e entry) {
	value, ok := r.plain(e.value)
	if !ok {
		r.report(badValue, e.at, "`%s` takes a text, a number or a list of these", strings.Join(e.path, "."))
		return
	}
	if r.names.Launch.Judge != nil {
		if err := r.names.Launch.Judge(path, value); err != nil {
			r.report(badValue, e.at, "%s", err)
			return
		}
	}
	s := Setting{Path: path, Value: value, Span: e.at}
	p := r.programOf(name, e.span)
	i := slices.IndexFunc(p.Settings, func(other Setting) bool { return slices.Equal(other.Path, path) })
	if i < 0 {
		p.Settings = append(p.Settings, s)
	} else {
		p.Settings[i] = s // a value from the command line replaces it
	}
}

// programOf finds a program, or adds it if this is its first setting.
func (r *reader) programOf(name string, at source.Span) *Program {
	file, own, ok := strings.Cut(name, ":")
	if !ok {
		file, own = "", name
	}
	list := &r.project.programs
	i := slices.IndexFunc(*list, func(p Program) bool { return p.File == file && p.Name == own })
	if i < 0 {
		i = len(*list)
		*list = append(*list, Program{File: file, Name: own, Span: at})
	}
	return &(*list)[i]
}

// plain converts a value to the form that programs accept. It returns false for a date, a table or a list
// of lists.
func (r *reader) plain(v value) (Value, bool) {
	switch v.kind {
	case unstable.String, unstable.Integer, unstable.Float, unstable.Bool:
		return Value{Text: r.expand(v.text)}, true
	case unstable.Array:
		list := Value{IsList: true, List: []string{}}
		for _, item := range v.list {
			one, ok := r.plain(item)
			if !ok || one.IsList {
				return Value{}, false
			}
			list.List = append(list.List, one.Text)
		}
		return list, true
	}
	return Value{}, false
}
