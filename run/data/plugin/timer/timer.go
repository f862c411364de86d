// Package timer is the plugin `timer`: it measures the time between events.
package timer

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
)

// Plugin returns the plugin.
func Plugin() data.Plugin {
	return data.Plugin{
		Name:     "timer",
		Title:    "Timer",
		Doc:      "Adds up the time between events and reports it at the end: `name: {start, stop}`, or `name: P` for the events P_start_timer and P_stop_timer, or a list of such P.",
		Runs:     data.Everywhere,
		HearsAll: true,
		Config:   config.OrList(rule(new(string))),
		New:      load,
	}
}

// rule returns the rule of the timers by name, and of where they are reported.
func rule(output *string) *config.Rule {
	return &config.Rule{NameIs: config.Text, Keys: []config.Key{
		{Name: "output_to", Rule: config.Only(config.Path), Read: into.Scalar(output, "`cout` or the name of a file"), Doc: "`cout` for the log, or a file that gets a line `name,seconds` for each timer."},
		config.Log,
	}, Names: &config.Rule{Scalar: config.Text, List: config.Only(config.Text), Keys: eventKeys("", new(string), new(string))}}
}

// eventKeys returns the keys for the events that start and stop a timer.
func eventKeys(timer string, start, stop *string) []config.Key {
	return []config.Key{
		{Name: "start", Rule: config.Only(config.Event), Required: true, Read: into.Scalar(start, "the event that starts timer `"+timer+"` after `start`"), Doc: "The event that starts it."},
		{Name: "stop", Rule: config.Only(config.Event), Required: true, Read: into.Scalar(stop, "the event that stops timer `"+timer+"` after `stop`"), Doc: "The event that stops it."},
	}
}

// timerWords are the texts of the timer's log messages. Programs parse them, so in
// upstream's dialect they are the original program's.
type timerWords struct{ alreadyRunning, notRunning, total, shown, saved string }

var (
	ourWords = timerWords{
		alreadyRunning: "timer `%s` is already running: its start is ignored",
		notRunning:     "timer `%s` is not running: its stop is ignored",
		total:          "total time of timer `%s`: %s seconds",
	}
	upstreamWords = timerWords{
		alreadyRunning: "Timer for %s is already running. Ignoring the start",
		notRunning:     "Cannot end timer for %s  because it was never started.",
		total:          "Total time spent for %s : %s seconds",
		shown:          "Successfully output results to standard output",
		saved:          "Successfully saved results to %s",
	}
)

// clock is the state of one timer.
type clock struct {
	name    string
	running bool
	since   time.Time
	total   time.Duration
}

func load(c *data.Context) error {
	now, say := c.Host().Now, ourWords
	if c.Env().Dialect == data.Upstream {
		say = upstreamWords
	}
	var clocks []*clock
	output := "cout"
	watch := func(t *clock, start, stop string) {
		c.OnEvent(start, func(string) error {
			if t.running {
				c.Log.Error(say.alreadyRunning, t.name)
				return nil
			}
			t.running, t.since = true, now()
			return nil
		})
		c.OnEvent(stop, func(string) error {
			if !t.running {
				c.Log.Error(say.notRunning, t.name)
				return nil
			}
			t.running = false
			t.total += now().Sub(t.since)
			return nil
		})
	}
	add := func(key, value *data.Node) error {
		t := &clock{name: key.Text}
		clocks = append(clocks, t)
		switch value.Kind {
		case data.ScalarNode:
			watch(t, value.Text+"_start_timer", value.Text+"_stop_timer")
		case data.SequenceNode:
			for _, item := range value.Items {
				prefix, err := item.Scalar("the prefix of two events")
				if err != nil {
					return err
				}
				watch(t, prefix+"_start_timer", prefix+"_stop_timer")
			}
		case data.MappingNode:
			var start, stop string
			if err := into.Keys(c, value, &config.Rule{Keys: eventKeys(t.name, &start, &stop)}); err != nil {
				return err
			}
			watch(t, start, stop)
		}
		return nil
	}
	if c.Config.Kind != data.ScalarNode || c.Env().Dialect != data.Upstream { // in upstream's dialect, a scalar is ignored
		for _, timers := range into.Items(c.Config) { // the configuration is one mapping, or a list of mappings
			if err := into.Mapping(c, timers, "a mapping of timers", rule(&output), add); err != nil {
				return err
			}
		}
	}
	c.Log.Info("Plugin loaded successfully")
	c.OnClose(func() error {
		err := report(c, clocks, output, say)
		c.Log.Info("Closing plugin")
		return err
	})
	return nil
}

func report(c *data.Context, clocks []*clock, output string, say timerWords) (err error) {
	if output == "cout" {
		for _, t := range clocks {
			c.Log.Info(say.total, t.name, strconv.FormatFloat(t.total.Seconds(), 'g', 9, 64))
		}
		if say.shown != "" {
			c.Log.Info("%s", say.shown)
		}
		return nil
	}
	f, err := c.Host().Open(output, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return data.Errorf(data.StatusSystem, nil, "cannot write the times to `%s`: %v", output, err)
	}
	for _, t := range clocks {
		if _, err = fmt.Fprintf(f, "%s,%.9g\n", t.name, t.total.Seconds()); err != nil {
			break
		}
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil && say.saved != "" {
		c.Log.Info(say.saved, output)
	}
	return err
}
