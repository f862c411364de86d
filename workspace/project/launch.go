package project

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Program is what the project says of one program of launch plans: a table
// `[launch.NAME]`, or `[launch."FILE:NAME"]` for the plan of one file.
type Program struct {
	File     string      // relative to the folder of the project; empty: every plan
	Name     string      // in the plan
	Span     source.Span // where it is named first
	Settings []Setting
}

// Setting is one key of a table, such as `copies`, or `env` and `PATH`.
type Setting struct {
	Path  []string
	Value Value
	Span  source.Span // of the value
}

// Value is a value of TOML: a text, a number or a truth value as it is written,
// or a list of these.
type Value struct {
	Text   string
	List   []string
	IsList bool
}

// Launch is what a project may say of runs of launch plans and of their programs, which the launch engine knows.
type Launch struct {
	Programs, Runs []Key                                  // sorted
	Judge          func(path []string, value Value) error // says what is wrong with a value for a program
	JudgeRun       func(name string, value Value) error   // the same for a run
}

func keyNames(list []Key) []string {
	names := make([]string, len(list))
	for i, k := range list {
		names[i] = k.Name
	}
	return names
}

// Planned reports the programs that no launch plan of the project has, where all of its files were looked at. planned are
// those of its plans, and found what was said already.
func (p *Project) Planned(planned []string, found diag.List) {
	for _, program := range p.programs {
		said := slices.ContainsFunc(found, func(d *diag.Diagnostic) bool {
			return len(program.Settings) > 0 && d.Span == program.Settings[0].Span
		})
		if !p.walked || program.File != "" || said || slices.Contains(planned, program.Name) {
			continue
		}
		p.problems.Report(unknownProgram, program.Span, "no launch plan of the project has a program `%s`", problem.Clip(program.Name, problem.Short)).
			Helped("%s", problem.Advise(program.Name, planned, "`pentode run --dry-run FILE` prints the names"))
	}
}

// Runs are the settings of whole runs.
func (p *Project) Runs() []Setting { return p.runs }

// Programs are the settings that hold for the plan of a file.
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
		r.run(e)
		return
	}
	key, ok := find(r.names.Launch.Programs, e.path[2])
	switch {
	case !ok:
		r.unknownProgramKey(e)
	case e.kind == unstable.ArrayTable:
		r.report(badValue, e.span, "`%s` is one value, not a list of tables", key.Name)
	case key.Table != (len(e.path) == 4) || e.kind == unstable.Table && len(e.path) == 4:
		r.report(badValue, e.at, "`%s` is %s", problem.Clip(strings.Join(e.path[2:], "."), problem.Short), key.shape())
	default:
		r.setting(e.path[1], e.path[2:], e)
	}
}

// run reads a setting of whole runs, which stands directly below `[launch]`.
func (r *reader) run(e entry) {
	name := e.path[1]
	if _, ok := find(r.names.Launch.Runs, name); !ok {
		names := keyNames(r.names.Launch.Runs)
		r.report(unknownKey, e.span, "there is no setting `%s`", problem.Clip(strings.Join(e.path, "."), problem.Short)).
			Helped("%s", problem.Advise(name, names, "there are "+strings.Join(names, ", ")+"; settings of one program stand below `[launch.NAME]`"))
		return
	}
	value, ok := r.plain(e.value)
	if !ok {
		r.report(badValue, e.at, "`%s` takes a text, a number or a list of these", strings.Join(e.path, "."))
		return
	}
	if judge := r.names.Launch.JudgeRun; judge != nil {
		if err := judge(name, value); err != nil {
			r.report(badValue, e.at, "%s", err)
			return
		}
	}
	list := slices.DeleteFunc(r.project.runs, func(s Setting) bool { return s.Path[0] == name }) // the command line replaces it
	r.project.runs = append(list, Setting{Path: e.path[1:], Value: value, Span: e.at})
}

// shape is what a key of a program takes.
func (k Key) shape() string {
	if k.Table {
		return "a table: write `" + k.Name + ".NAME = …`"
	}
	return "a value, not a table"
}

// programTable checks the head of a table below `launch`.
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

// isTable reports whether a setting of programs has keys of its own.
func (r *reader) isTable(name string) bool {
	key, ok := find(r.names.Launch.Programs, name)
	return ok && key.Table
}

// planFile notes the file of a table, which must be one of the project.
func (r *reader) planFile(e entry) {
	file, _, ok := strings.Cut(e.path[1], ":")
	if !ok || len(e.path) > 2 {
		return
	}
	if patterns := r.pattern("/"+file, e.span); patterns != nil {
		r.project.expected = append(r.project.expected, rule[source.Span]{file, patterns, e.span})
	}
}

func (r *reader) unknownProgramKey(e entry) {
	names := keyNames(r.names.Launch.Programs)
	r.report(unknownKey, e.span, "there is no setting `%s`", problem.Clip(strings.Join(e.path, "."), problem.Short)).
		Helped("%s", problem.Advise(e.path[2], names, "there are "+strings.Join(names, ", ")))
}

// short reads `[ready]`, `[ready-within]` and `[restart]`, which say one thing of
// several programs.
func (r *reader) short(e entry) {
	if _, ok := r.text(e); ok {
		r.setting(e.path[1], e.path[:1], e)
	}
}

// setting adds what is said of a program, unless it was said elsewhere.
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
	switch {
	case i < 0:
		p.Settings = append(p.Settings, s)
	case r.overriding:
		p.Settings[i] = s
	default:
		r.report(badValue, e.at, "`%s` of `%s` is said twice", strings.Join(path, "."), problem.Clip(name, problem.Short)).
			At(p.Settings[i].Span, "here too").Helped("keep one of them: `[launch.%s]` holds all that is said of a program", filepath.ToSlash(name))
	}
}

// programOf finds a program, or adds one that is named here.
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

// plain is a value as programs take it; false: a date, a table, or a list of lists.
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
