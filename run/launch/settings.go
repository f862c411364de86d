package launch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/bytesize"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// Settings are what a project says of programs of a plan and their declarations
// have no word for.
type Settings struct {
	Program string    // the id of a node, or the name of all that were declared with it
	Only    bool      // they are for this plan alone, so that it must have the program
	Given   []Setting `fingerprint:"-"` // as they were set, in order: the fields below have what they mean

	After       []Edge
	Ready       *Ready
	ReadyWithin time.Duration
	Restart     *Restart
	Stop        *Stop
	Grace       time.Duration
	Alive       Alive

	Dir     string
	Env     []Var `fingerprint:"set"`
	EnvFile string
	Around
	Copies
}

// Setting is one of the settings as it was written.
type Setting struct {
	Key   string // such as `restart` or `env.PATH`
	Value string
	Span  source.Span // of the value
}

func (s Setting) String() string { return s.Key + " = " + s.Value }

// Value is what a setting is given: a text, or a list of texts. Numbers are
// texts as they were written.
type Value struct {
	Text   string
	List   []string
	IsList bool
}

func (v Value) String() string {
	if v.IsList {
		return strings.Join(v.List, ", ")
	}
	return v.Text
}

// Key is a setting that there is. Package runs makes a project.Key of it: this package reads no project files, and a project
// knows no engine.
type Key struct {
	Name  string
	Takes string // what its value looks like
	Doc   string
	Table bool     // it has keys of its own, as `env` has
	Words []string // what its value can be or begin with, where that is known

	set func(s *Settings, below string, v Value) error
}

// Keys are all settings, sorted by name.
func Keys() []Key {
	keys := slices.Concat(lifeKeys(), aroundKeys(), copyKeys(), stopKeys(), aliveKeys(), []Key{afterKey()})
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return keys
}

// lifeKeys are the settings of when a program starts and starts again.
func lifeKeys() []Key {
	return []Key{
		{
			Name: "ready", Takes: "`line:REGEXP`, `tcp:PORT`, `http:PORT/PATH`, `exec:COMMAND`, `alive:DURATION`, `none`",
			Doc: "when the program is ready", Words: []string{"line:", "tcp:", "http:", "exec:", "alive:", "none"},
			set: text(func(s *Settings, text string) error {
				r, err := ParseReady(text)
				s.Ready = &r
				return err
			}),
		},
		{
			Name: "ready-within", Takes: "a duration such as `2m`",
			Doc: "how long it may take to be ready, by default 30s",
			set: text(func(s *Settings, text string) (err error) { s.ReadyWithin, err = ParseWithin(text); return err }),
		},
		{
			Name: "restart", Takes: "`no`, `on-failure[:N]`, `always[:N]`",
			Doc: "when it is started again", Words: []string{"no", "on-failure", "always"},
			set: text(func(s *Settings, text string) error {
				r, err := ParseRestart(text)
				s.Restart = &r
				return err
			}),
		},
	}
}

// text is a setting that is one text.
func text(set func(*Settings, string) error) func(*Settings, string, Value) error {
	return func(s *Settings, _ string, v Value) error {
		if v.IsList {
			return fmt.Errorf("this is one value, not a list")
		}
		return set(s, v.Text)
	}
}

// Set sets one setting: path is its key and, below a table, the key there.
func (s *Settings) Set(path []string, v Value, at source.Span) error {
	keys := Keys()
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == path[0] })
	if i < 0 || keys[i].Table != (len(path) == 2) {
		return fmt.Errorf("there is no setting `%s`", strings.Join(path, "."))
	}
	s.Given = append(s.Given, Setting{strings.Join(path, "."), v.String(), at})
	return keys[i].set(s, path[len(path)-1], v)
}

// span is where a setting was written.
func (s *Settings) span(key string) source.Span {
	for _, g := range s.Given {
		if g.Key == key {
			return g.Span
		}
	}
	return source.Span{}
}

// configure gives the nodes their settings: first those by the name that
// several may have, then those by id. What the options say wins.
func (b *planner) configure(all []Settings) {
	if len(all) == 0 {
		return // declarations alone are in the order in which they start
	}
	called := b.called()
	var unknown []*Settings
	for i := range all {
		s := &all[i]
		if len(called[s.Program]) == 0 && len(s.Given) > 0 {
			unknown = append(unknown, s)
		}
		for _, n := range called[s.Program] {
			b.apply(n, s)
		}
	}
	for _, s := range unknown {
		b.unknownProgram(s)
	}
	b.wait(all, called)
	b.order()
}

// called are the nodes by what a setting can call them: their id, or the name of their declarations.
func (b *planner) called() map[string][]*Node {
	called := map[string][]*Node{}
	for _, n := range b.plan.Nodes {
		called[n.ID] = append(called[n.ID], n)
		if n.Name != "" && n.Name != n.ID {
			called[n.Name] = append(called[n.Name], n)
		}
		if n.Base != n.Name && n.Base != "" {
			called[n.Base] = append(called[n.Base], n)
		}
	}
	return called
}

// Names are all names by which settings can mean nodes of the plan, sorted.
func (p *Plan) Names() []string {
	var names []string
	for _, n := range p.Nodes {
		names = append(names, n.ID, n.Name, n.Base)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// unknownProgram reports settings for a program that the plan does not have. Those that are for any plan
// of the project may be meant for another one: they are worth a word where a program without settings is called nearly so.
func (b *planner) unknownProgram(s *Settings) {
	var ids []string
	for _, n := range b.plan.Nodes {
		if s.Only || len(n.Settings) == 0 {
			ids = append(ids, n.ID)
		}
	}
	near, found := problem.Nearest(s.Program, ids)
	severity := problem.Info
	if s.Only {
		severity = problem.Error
	} else if !found {
		return
	}
	p := b.report(severity, ProgramUnknown, s.Given[0].Span, s.Program, "the plan has no program `%s`", problem.Clip(s.Program, problem.Short))
	p.Expected, p.Suggestion = "`pentode run --dry-run` lists them", near
}

// apply gives a node what is set for it and the options do not say.
func (b *planner) apply(n *Node, s *Settings) {
	wins := map[string]bool{
		"ready": b.Ready.Probe != ProbeDefault, "ready-within": b.Ready.Timeout != 0, "restart": b.Restart.When != RestartNever,
	}
	for _, g := range s.Given {
		if !wins[g.Key] {
			n.Settings = append(n.Settings, g)
		}
	}
	timeout := n.Ready.Timeout
	if s.Ready != nil && !wins["ready"] {
		n.Ready = *s.Ready
	}
	n.Ready.Timeout = cmp.Or(b.Ready.Timeout, s.ReadyWithin, timeout)
	if s.Restart != nil && !wins["restart"] {
		n.Restart = *s.Restart
	}
	if s.Stop != nil {
		n.Stop = *s.Stop
	}
	n.Grace = cmp.Or(s.Grace, n.Grace)
	n.Alive.merge(s.Alive)
	b.surround(n, s)
}

// RunSettings are what a project says of whole runs. The zero value says nothing.
type RunSettings struct {
	Logs state.Rotation
	Job  Job
}

// Job is what a batch system is asked for.
type Job struct {
	Nodes, Tasks int           // 0: as many as the plan has hosts; as nodes
	Time         time.Duration // 0: what the batch system gives
	Array        string        // such as `0-9%2`; empty: the plan runs once
	Options      []string      // of its own, such as `--partition=gpu`
}

// RunKey is a setting of whole runs that there is.
type RunKey struct {
	Name  string
	Takes string // what its value looks like
	Doc   string

	set func(s *RunSettings, v Value) error
}

// RunKeys are all settings of whole runs, sorted by name.
func RunKeys() []RunKey {
	return []RunKey{
		{
			Name: "array", Takes: "indices such as `\"0-9\"` or `\"1,3,5%2\"`", Doc: "`submit`: run the plan once for each of them, which programs find in `SLURM_ARRAY_TASK_ID`; `%N` lets N run at a time",
			set: runText(func(s *RunSettings, text string) error { s.Job.Array = text; return checkArray(text) }),
		},
		{
			Name: "log-age", Takes: "a duration such as `24h`", Doc: "the age at which a log becomes a compressed piece, instead of `--log-age`",
			set: runText(func(s *RunSettings, text string) (err error) { s.Logs.Age, err = ParseWithin(text); return err }),
		},
		{
			Name: "log-keep", Takes: "a number", Doc: "how many pieces of a log are kept, instead of `--log-keep`",
			set: runCount(func(s *RunSettings) *int { return &s.Logs.Keep }),
		},
		{
			Name: "log-size", Takes: "a size such as `10MB`", Doc: "the size at which a log becomes a compressed piece, instead of `--log-size`",
			set: runText(func(s *RunSettings, text string) error {
				var ok bool
				if s.Logs.Size, ok = bytesize.Parse(text); !ok || s.Logs.Size < 1 {
					return fmt.Errorf("`%s` is not a size: expected something like `10MB`", text)
				}
				return nil
			}),
		},
		{
			Name: "nodes", Takes: "a number", Doc: "`submit`: the machines of the job; without, as many as the plan has hosts",
			set: runCount(func(s *RunSettings) *int { return &s.Job.Nodes }),
		},
		{
			Name: "slurm", Takes: "a list such as `[\"--partition=gpu\", \"--account=abc\"]`", Doc: "`submit`: further options of `sbatch`",
			set: func(s *RunSettings, v Value) error {
				s.Job.Options = v.List
				if !v.IsList {
					s.Job.Options = []string{v.Text}
				}
				for _, o := range s.Job.Options {
					if err := checkOption(o); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Name: "tasks", Takes: "a number", Doc: "`submit`: the tasks of the job, for which the batch system sets processors aside; without, one on each machine",
			set: runCount(func(s *RunSettings) *int { return &s.Job.Tasks }),
		},
		{
			Name: "time", Takes: "a duration such as `2h`", Doc: "`submit`: how long the job may take",
			set: runText(func(s *RunSettings, text string) (err error) { s.Job.Time, err = ParseWithin(text); return err }),
		},
	}
}

// Set sets one setting.
func (s *RunSettings) Set(name string, v Value) error {
	keys := RunKeys()
	i := slices.IndexFunc(keys, func(k RunKey) bool { return k.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no setting `%s`", name)
	}
	return keys[i].set(s, v)
}

// runText is a setting that is one text.
func runText(set func(*RunSettings, string) error) func(*RunSettings, Value) error {
	return func(s *RunSettings, v Value) error {
		if v.IsList {
			return fmt.Errorf("this is one value, not a list")
		}
		return set(s, v.Text)
	}
}

// runCount is a setting that is a number from 1.
func runCount(field func(*RunSettings) *int) func(*RunSettings, Value) error {
	return runText(func(s *RunSettings, text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1_000_000 {
			return fmt.Errorf("`%s` is not a number from 1 on", text)
		}
		*field(s) = n
		return nil
	})
}

// checkArray says what is wrong with the indices of an array.
func checkArray(text string) error {
	indices, limit, limited := strings.Cut(text, "%")
	if _, err := strconv.ParseUint(limit, 10, 32); limited && err != nil {
		return fmt.Errorf("`%s` is not a number of tasks that run at a time", limit)
	}
	for part := range strings.SplitSeq(indices, ",") {
		span, step, stepped := strings.Cut(part, ":")
		first, last, ranged := strings.Cut(span, "-")
		for _, number := range []struct {
			text string
			here bool
		}{{first, true}, {last, ranged}, {step, stepped}} {
			if _, err := strconv.ParseUint(number.text, 10, 31); number.here && err != nil {
				return fmt.Errorf("`%s` is not a list of indices: expected something like `0-9`, `1,3,5` or `0-15%%4`", text)
			}
		}
	}
	return nil
}

// ownOptions are those of sbatch that a submission sets itself.
var ownOptions = []string{"array", "chdir", "error", "job-name", "nodes", "ntasks", "output", "time", "wait", "wrap", "parsable"}

// checkOption says what is wrong with an option for sbatch.
func checkOption(option string) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(option, "--"), "=")
	switch {
	case !strings.HasPrefix(option, "--") || name == "":
		return fmt.Errorf("`%s` is not an option of sbatch: expected something like `--partition=gpu`", option)
	case strings.ContainsAny(option, "\n\r\x00"):
		return fmt.Errorf("an option of sbatch is one line")
	case slices.Contains(ownOptions, name):
		return fmt.Errorf("`--%s` is set by `submit` itself; the settings of `[launch]` say nodes, tasks, time and array", name)
	}
	return nil
}
