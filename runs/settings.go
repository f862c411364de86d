package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/workspace/project"
)

// Settings are the settings of `[run]` in a project. The zero value changes nothing.
type Settings struct {
	launch.RunSettings

	FailOnErrors bool   // a pipeline with error data fails
	ErrorsTo     string // the file for error data
	TraceSize    *int64 // how many of the newest bytes of a pipeline's trace to keep; 0: all
	NoControl    bool   // other programs cannot control a pipeline
	NoSeal       bool   // results get no seal
}

// key is a setting of runs that the launch engine does not know.
type key struct {
	name, takes, doc string
	words            []string
	set              func(s *Settings, text string) error
}

func keys() []key {
	truth := func(field func(*Settings) *bool) func(*Settings, string) error {
		return func(s *Settings, text string) error {
			on, err := launch.ParseBool(text)
			*field(s) = !on
			return err
		}
	}
	return []key{
		{
			"control", "`true` or `false`", "whether other terminals may control a pipeline, by default `true`", nil,
			truth(func(s *Settings) *bool { return &s.NoControl }),
		},
		{
			"errors", "`keep` or `fail`", "whether error data make the run of a pipeline fail, by default `keep`", []string{"keep", "fail"},
			func(s *Settings, text string) error {
				if text != "keep" && text != "fail" {
					return fmt.Errorf("`%s` is not known: expected `keep` or `fail`", text)
				}
				s.FailOnErrors = text == "fail"
				return nil
			},
		},
		{
			"errors-to", "a file", "the file in the results for error data, one JSON object per line", nil,
			func(s *Settings, text string) error { s.ErrorsTo = text; return nil },
		},
		{
			"seal", "`true` or `false`", "whether results get a seal with their origin, which `pentode origin` reads; by default `true`", nil,
			truth(func(s *Settings) *bool { return &s.NoSeal }),
		},
		{
			"trace-size", "a size such as `64MB`", "how much of a pipeline's trace is kept; older events are dropped; by default 256MB, `0` keeps all", nil,
			func(s *Settings, text string) error {
				size, ok := bytesize.Parse(text)
				if !ok {
					return fmt.Errorf("`%s` is not a size: expected something like `64MB`, or 0", text)
				}
				s.TraceSize = &size
				return nil
			},
		},
	}
}

// Set sets one setting. path is its key and, for a table, the key in the table.
func (s *Settings) Set(path []string, v launch.Value) error {
	own := keys()
	i := slices.IndexFunc(own, func(k key) bool { return k.name == path[0] })
	switch {
	case i >= 0 && v.IsList:
		return fmt.Errorf("this is one value, not a list")
	case i >= 0:
		return own[i].set(s, v.Text)
	case path[0] == "flavor" && !slices.Contains(paradyn.Flavors(), path[1]):
		return fmt.Errorf("`%s` is not a flavor: expected %s", path[1], strings.Join(paradyn.Flavors(), ", "))
	}
	return s.RunSettings.Set(path, v)
}

// SettingsOf returns the settings of a project for whole runs.
func SettingsOf(p *project.Project) Settings {
	var s Settings
	for _, set := range p.Runs() {
		_ = s.Set(set.Path, launch.Value(set.Value)) // its errors were reported when the file was read
	}
	return s
}

// ProjectSettings returns the settings for runs and for programs of launch plans that a project file may have.
func ProjectSettings() project.Launch {
	l := project.Launch{
		Judge: func(path []string, value project.Value) error {
			return new(launch.Settings).Set(path, launch.Value(value), source.Span{})
		},
		JudgeRun: func(path []string, value project.Value) error {
			return new(Settings).Set(path, launch.Value(value))
		},
	}
	for _, k := range launch.Keys() {
		l.Programs = append(l.Programs, project.Key{Name: k.Name, Takes: k.Takes, Doc: k.Doc, Table: k.Table, Words: k.Words})
	}
	for _, k := range launch.RunKeys() {
		l.Runs = append(l.Runs, project.Key{Name: k.Name, Takes: k.Takes, Doc: k.Doc, Table: k.Table, Words: k.Words})
	}
	for _, k := range keys() {
		l.Runs = append(l.Runs, project.Key{Name: k.name, Takes: k.takes, Doc: k.doc, Words: k.words})
	}
	slices.SortFunc(l.Runs, func(a, b project.Key) int { return strings.Compare(a.Name, b.Name) })
	return l
}

// defaultTraceSize is how much of a pipeline's trace is kept by default.
const defaultTraceSize = 256 << 20

// configured returns the filled options, with the settings of a file's project for fields that are not set.
func (o Options) configured(path string) Options {
	o = o.filled()
	s := SettingsOf(o.Workspace.Project(path))
	p, plan := &o.Pipeline, &o.Plan
	p.FailOnErrors, p.ErrorsTo, p.NoControl = p.FailOnErrors || s.FailOnErrors, cmp.Or(p.ErrorsTo, s.ErrorsTo), p.NoControl || s.NoControl
	if s.TraceSize != nil {
		p.TraceSize = cmp.Or(p.TraceSize, *s.TraceSize, -1)
	}
	p.TraceSize = cmp.Or(p.TraceSize, defaultTraceSize)
	o.Seal = o.Seal && !s.NoSeal
	plan.Logs.Size, plan.Logs.Age, plan.Logs.Keep = cmp.Or(plan.Logs.Size, s.Logs.Size), cmp.Or(plan.Logs.Age, s.Logs.Age), cmp.Or(plan.Logs.Keep, s.Logs.Keep)
	t, own := o.Workspace.Project(path).Trace, &o.Trace
	own.Wait, own.NoGaps = own.Wait || t.Wait, own.NoGaps || t.NoGaps
	own.Ring, own.Compiler = cmp.Or(own.Ring, int(t.Ring)), cmp.Or(own.Compiler, t.Compiler)
	plan.Grace, plan.Hangup, plan.Reach = cmp.Or(plan.Grace, s.Grace), cmp.Or(plan.Hangup, s.Hangup), cmp.Or(plan.Reach, s.Reach)
	return o
}
