// Package flow is the plugin `flow`: it passes data of the program to a pipeline that runs next
// to it, and receives numbers from the pipeline.
//
//	event ──▶ knobs of the pipeline become metadata ──▶ other plugins, and this one:
//	          data of the event ──▶ a slot of shared memory ──▶ process `program` of the pipeline
//
// The launcher of the run has started the pipeline, or the plugin starts it.
package flow

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
	"github.com/pentode-dev/pentode/run/handoff"
)

// Program describes the program in which the plugin runs. The zero value is a program of one process.
type Program struct {
	Getenv     func(name string) string // nil: os.Getenv
	Rank, Size int                      // the rank of this process, and the number of processes of the program
}

// Plugin returns the plugin.
func Plugin(p Program) data.Plugin {
	return data.Plugin{
		Name:     "flow",
		Title:    "Flow",
		Doc:      "Passes data to a pipeline that runs next to the program, where a process of the type `program` receives them. Numbers that are set in the pipeline come back as metadata.",
		Runs:     data.Programs,
		Tunes:    true,
		HearsAll: true, // at any event, numbers may arrive from the pipeline
		Config:   new(Settings).rule(),
		New: func(c *data.Context) error {
			settings, err := Read(c.Config)
			if err != nil {
				return err
			}
			f := &flow{Context: c, Settings: settings, program: p}
			c.Greet()
			c.OnInit(func() error { return data.Within(f.begin(), "in the plugin `flow`") })
			return nil
		},
		Check: func(c *data.Context) error { _, err := Read(c.Config); return err },
	}
}

// flow is the plugin in one store.
type flow struct {
	*data.Context
	Settings
	program Program
	link    *link
	names   []string // names of the data that are passed on
	knobs   []knob
}

// Settings are the plugin's configuration in a tree.
type Settings struct {
	Pipeline *data.Node   // the name of the pipeline's file
	OnDatum  []*data.Node // names of data that are passed on when they are shared
	Events   []Event
	Policy   handoff.Policy
	Each     bool // true: every process of an MPI program passes data on; false: only the first
	MaxStep  int
	Fails    bool // true: the program stops with an error when the pipeline ends
}

// Event names an event of the program, and the data that are passed on when it is triggered.
type Event struct {
	Name string
	Data []*data.Node
}

// Read reads the configuration of the plugin.
func Read(c *data.Node) (s Settings, err error) {
	s.Policy, s.MaxStep = handoff.Latest, 64<<20
	if _, err := c.Field("pipeline", "the name of a file"); err != nil {
		return s, err
	}
	return s, into.Mapping(nil, c, "a mapping", s.rule(), func(key, _ *data.Node) error {
		return data.Errorf(data.StatusSpecTree, key, "the plugin `flow` has no key `%s`", key.Text)
	})
}

// rule returns the rule of the configuration, which is read into s.
func (s *Settings) rule() *config.Rule {
	return &config.Rule{Keys: []config.Key{
		{Name: "pipeline", Rule: config.Only(config.Path), Required: true, Read: into.Parsed(&s.Pipeline, pipeline),
			Doc: "The file of the pipeline. If the run's launch plan starts it, the program waits for it; otherwise the plugin starts it."},
		{Name: "on_data", Rule: config.OneOrMore(config.Reads), Read: into.Parsed(&s.OnDatum, names), Doc: "Data that are passed on when they are shared, each as a separate step."},
		{Name: "on_event", Rule: config.ByName(config.Event, config.OneOrMore(config.Reads)), Read: into.Func(s.events), Doc: "Data that are passed on at an event, together as one step: `event: [names]`."},
		choice("policy", "How steps are treated while the pipeline is busy: `latest` drops older steps, `drop` drops the new step, `block` makes the program wait.",
			func(word string) { s.Policy = handoff.Policy(word) }, handoff.Policies()...),
		choice("ranks", "Which processes of an MPI program pass data on: the first, or each to its own pipeline, which writes its results to `rank-N`.",
			func(word string) { s.Each = word == "each" }, "root", "each"),
		{Name: "max_step", Rule: config.Only(config.Text), Default: "64MB", Doc: "The largest size of the data of a step, such as `512MB`. Memory is used only as needed.",
			Read: into.ScalarFunc("a number of bytes", func(n *data.Node) error {
				size, ok := bytesize.Parse(n.Text)
				if !ok || size < 1 || size > handoff.MaxStep {
					return data.Errorf(data.StatusValue, n, "`max_step` is `%s`: expected a number of bytes up to %d, such as `512MB`", n.Text, handoff.MaxStep)
				}
				s.MaxStep = int(size)
				return nil
			})},
		choice("if_lost", "Whether the program continues without a pipeline that ends first, or its next call fails.",
			func(word string) { s.Fails = word == "fail" }, "continue", "fail"),
		config.Log,
	}}
}

func pipeline(n *data.Node) (*data.Node, error) {
	if n.Blank() {
		return nil, data.Errorf(data.StatusSpecTree, n, "`pipeline` does not name a file")
	}
	_, err := n.Scalar("the name of a file")
	return n, err
}

func (s *Settings) events(n *data.Node) error {
	return n.Each("a mapping of events", func(name string, _, v *data.Node) error {
		list, err := names(v)
		s.Events = append(s.Events, Event{name, list})
		return err
	})
}

// names reads one name or a list of names.
func names(n *data.Node) ([]*data.Node, error) {
	if n.Blank() {
		return nil, nil
	}
	return into.List(n, func(n *data.Node) (*data.Node, error) {
		_, err := n.Scalar("the name of a datum")
		return n, err
	})
}

// choice returns a key whose value is one of the given words. The first word is the default.
func choice(name, doc string, take func(word string), words ...string) config.Key {
	return config.Key{Name: name, Rule: config.OneOf(words...), Default: words[0], Doc: doc, Read: into.ScalarFunc("a word", func(n *data.Node) error {
		if !slices.Contains(words, n.Text) {
			return data.Errorf(data.StatusValue, n, "`%s` is `%s`: expected one of `%s`", name, n.Text, strings.Join(words, "`, `"))
		}
		take(n.Text)
		return nil
	})}
}
