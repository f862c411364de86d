// Package flow is the plugin `flow`: it hands data of the program to a pipeline that runs
// beside it, and takes numbers from there.
//
//	event ──▶ knobs of the pipeline become metadata ──▶ other plugins, and this one:
//	          data of the event ──▶ a slot of shared memory ──▶ process `program` of the pipeline
//
// The pipeline is one that the launcher of the run has started, or the plugin starts it.
package flow

import (
	"strings"

	"github.com/pentode-dev/pentode/core/bytesize"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/handoff"
)

// Program is what the plugin needs of the program that it runs in. The zero value is a
// program of one process.
type Program struct {
	Getenv     func(name string) string // nil: that of the operating system
	Rank, Size int                      // among the processes of the program
}

// Plugin is the declaration.
func Plugin(p Program) data.Plugin {
	return data.Plugin{
		Name:     "flow",
		Title:    "Flow",
		Doc:      "Hands data to a pipeline that runs beside the program, whose process of the type `program` has them, and takes numbers that are set there.",
		Runs:     data.Programs,
		Tunes:    true,
		HearsAll: true, // the numbers come at any event
		Config: &config.Rule{Keys: []config.Key{
			{Name: "pipeline", Rule: config.Only(config.Path), Required: true, Doc: "The file of the pipeline. One that the run's launch plan starts is awaited, any other one is started."},
			{Name: "on_data", Rule: config.OneOrMore(config.Reads), Doc: "Data that are handed over when they are shared, each as a step of its own."},
			{Name: "on_event", Rule: config.ByName(config.Event, config.OneOrMore(config.Reads)), Doc: "Data that are handed over at an event, together as one step: `event: [names]`."},
			{Name: "policy", Rule: config.OneOf(handoff.Policies()...), Default: string(handoff.Latest),
				Doc: "What happens while the pipeline is busy: `latest` forgets older steps, `drop` the new one, `block` lets the program wait."},
			{Name: "ranks", Rule: config.OneOf("root", "each"), Default: "root",
				Doc: "Which processes of an MPI program hand data over: the first, or each, to a pipeline of its own, which leaves its results in `rank-N`."},
			{Name: "max_step", Rule: config.Only(config.Text), Default: "64MB", Doc: "The most bytes that the data of a step take, such as `512MB`. They take room only where they are used."},
			{Name: "if_lost", Rule: config.OneOf("continue", "fail"), Default: "continue", Doc: "What happens when the pipeline ends before the program: it goes on without it, or its next call is an error."},
			config.Log,
		}},
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

// flow is the plugin of one store.
type flow struct {
	*data.Context
	Settings
	program Program
	link    *link
	names   []string // of the data that are handed over
	knobs   []knob
}

// Settings are what a tree says.
type Settings struct {
	Pipeline *data.Node   // the name of its file
	OnDatum  []*data.Node // names of data that are handed over when they are shared
	Events   []Event
	Policy   handoff.Policy
	Each     bool // every process of an MPI program hands data over
	MaxStep  int
	Fails    bool // the program does not go on without the pipeline
}

// Event is one of the program's, with the names of the data that are handed over then.
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
	err = c.Each("a mapping", s.key)
	return s, err
}

// key reads one key.
func (s *Settings) key(name string, key, v *data.Node) (err error) {
	word := ""
	switch name {
	case "pipeline":
		s.Pipeline = v
		if v.Blank() {
			return data.Errorf(data.StatusSpecTree, v, "`pipeline` names no file")
		}
		_, err = v.Scalar("the name of a file")
	case "on_data":
		s.OnDatum, err = names(v)
	case "on_event":
		err = v.Each("a mapping of events", func(name string, _, v *data.Node) error {
			list, err := names(v)
			s.Events = append(s.Events, Event{name, list})
			return err
		})
	case "policy":
		word, err = choice(v, name, handoff.Policies()...)
		s.Policy = handoff.Policy(word)
	case "ranks":
		word, err = choice(v, name, "root", "each")
		s.Each = word == "each"
	case "if_lost":
		word, err = choice(v, name, "continue", "fail")
		s.Fails = word == "fail"
	case "max_step":
		if word, err = v.Scalar("a number of bytes"); err != nil {
			return err
		}
		n, ok := bytesize.Parse(word)
		if !ok || n < 1 || n > handoff.MaxStep {
			return data.Errorf(data.StatusValue, v, "`max_step` is `%s`: it is a number of bytes up to %d, such as `512MB`", word, handoff.MaxStep)
		}
		s.MaxStep = int(n)
	case "logging":
	default:
		return data.Errorf(data.StatusSpecTree, key, "the plugin `flow` has no key `%s`", name)
	}
	return err
}

// names are one name or a list of such.
func names(n *data.Node) ([]*data.Node, error) {
	if n.Blank() {
		return nil, nil
	}
	list := []*data.Node{n}
	if n.Kind == data.SequenceNode {
		list = n.Items
	}
	for _, item := range list {
		if _, err := item.Scalar("the name of a datum"); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// choice is one of some words.
func choice(n *data.Node, key string, words ...string) (string, error) {
	text, err := n.Scalar("a word")
	if err != nil {
		return "", err
	}
	for _, w := range words {
		if w == text {
			return w, nil
		}
	}
	return "", data.Errorf(data.StatusValue, n, "`%s` is `%s`: it is one of `%s`", key, text, strings.Join(words, "`, `"))
}
