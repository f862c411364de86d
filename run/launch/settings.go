package launch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Settings are a project's settings for programs of a plan, for everything that declarations cannot express.
type Settings struct {
	Program string    // the id of a node, or the name of all nodes that were declared with it
	Only    bool      // the settings are for this plan alone, so the plan must have the program
	Given   []Setting `fingerprint:"-"` // as they were set, in order: the fields below have their meaning

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

// Setting is one setting as it was written.
type Setting struct {
	Key   string // such as `restart` or `env.PATH`
	Value string
	Span  source.Span // of the value
}

func (s Setting) String() string { return s.Key + " = " + s.Value }

// Value is the value of a setting: a text, or a list of texts. Numbers are texts as they were written.
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

// KeyOf describes a setting that is stored in an S. Package runs makes a project.Key of it, because this package reads no project files and package
// project knows no engine.
type KeyOf[S any] struct {
	Name  string
	Takes string // what its value looks like
	Doc   string
	Table bool     // it has keys of its own, like `env`
	Words []string // what its value can be or can begin with, if that is known

	set func(s *S, below string, v Value) error
}

// Key is a setting of a program.
type Key = KeyOf[Settings]

// Keys returns all settings, sorted by name.
func Keys() []Key {
	keys := slices.Concat(lifeKeys(), surroundingsKeys(), copyKeys(), stopKeys(), aliveKeys(), []Key{afterKey()})
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return keys
}

// The values of `ready` and `restart`, for one program and for the whole run.
const (
	readyForms   = "`line:REGEXP`, `tcp:PORT`, `http:PORT/PATH`, `exec:COMMAND`, `alive:DURATION`, `none`"
	restartForms = "`no`, `on-failure[:N]`, `always[:N]`"
)

func readyWords() []string   { return []string{"line:", "tcp:", "http:", "exec:", "alive:", "none"} }
func restartWords() []string { return []string{"no", "on-failure", "always"} }

// lifeKeys returns the settings for when a program starts and restarts.
func lifeKeys() []Key {
	return []Key{
		{
			Name: "ready", Takes: readyForms,
			Doc: "when the program is ready", Words: readyWords(),
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
			Name: "restart", Takes: restartForms,
			Doc: "when it is started again", Words: restartWords(),
			set: text(func(s *Settings, text string) error {
				r, err := ParseRestart(text)
				s.Restart = &r
				return err
			}),
		},
	}
}

// text returns the set function of a setting whose value is one text.
func text[S any](set func(*S, string) error) func(*S, string, Value) error {
	return func(s *S, _ string, v Value) error {
		if v.IsList {
			return fmt.Errorf("this is one value, not a list")
		}
		return set(s, v.Text)
	}
}

// Set sets one setting. path is its key and, for a table, the key in the table.
func (s *Settings) Set(path []string, v Value, at source.Span) error {
	s.Given = append(s.Given, Setting{strings.Join(path, "."), v.String(), at})
	return setBy(Keys(), s, path, v)
}

// setBy stores a value in s, by the first element of path.
func setBy[S any](keys []KeyOf[S], s *S, path []string, v Value) error {
	i := slices.IndexFunc(keys, func(k KeyOf[S]) bool { return k.Name == path[0] })
	if i < 0 || keys[i].Table != (len(path) == 2) {
		return fmt.Errorf("there is no setting `%s`", strings.Join(path, "."))
	}
	return keys[i].set(s, path[len(path)-1], v)
}

// span returns the position of a setting.
func (s *Settings) span(key string) source.Span {
	for _, g := range s.Given {
		if g.Key == key {
			return g.Span
		}
	}
	return source.Span{}
}

// configure gives the nodes their settings: first the settings by a name that several nodes may have, then the settings by id. Settings win over the
// options.
func (b *planner) configure(all []Settings) {
	if len(all) == 0 {
		return // without settings, the nodes are already in the order in which they start
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

// called maps each name that a setting can use to its nodes: an id, or a declared name.
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

// Names returns all names by which settings can name nodes of the plan, sorted.
func (p *Plan) Names() []string {
	var names []string
	for _, n := range p.Nodes {
		names = append(names, n.ID, n.Name, n.Base)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// unknownProgram reports settings for a program that the plan does not have. Settings for every plan of the project may be for a program of another
// plan: they are reported only if a program without settings has a similar name.
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

// apply applies settings to a node.
func (b *planner) apply(n *Node, s *Settings) {
	n.Settings = append(n.Settings, s.Given...)
	timeout := cmp.Or(s.ReadyWithin, n.Ready.Timeout)
	if s.Ready != nil {
		n.Ready = *s.Ready
	}
	n.Ready.Timeout = timeout
	if s.Restart != nil {
		n.Restart = *s.Restart
	}
	if s.Stop != nil {
		n.Stop = *s.Stop
	}
	n.Grace = cmp.Or(s.Grace, n.Grace)
	n.Alive.merge(s.Alive)
	b.surround(n, s)
}
