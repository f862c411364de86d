package pdi

import (
	"regexp"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// uses are what the plugins of a tree do with the names that it shares with its program.
type uses struct {
	waits  []value          // events
	raised map[string]bool  // events
	fills  map[string]value // memory of the program that they write
	takes  map[string]value // memory of the program that they read
	gives  map[string]bool  // data that they share themselves
	hears  bool             // one hears every event
	blind  bool             // one is not known, or has an event that only the run knows
}

// uses walks the configurations of the plugins by their rules.
func (m *Model) uses() *uses {
	u := &uses{raised: map[string]bool{}, fills: map[string]value{}, takes: map[string]value{}, gives: map[string]bool{}}
	for _, p := range m.Plugins {
		spec := FindPlugin(p.Name)
		if spec == nil || spec.Removed != "" {
			u.blind = true
			continue
		}
		u.hears = u.hears || spec.HearsAll
		for _, name := range spec.Data {
			u.gives[name] = true
		}
		if p.Name != "timer" { // plugins trigger its events
			u.walk(spec.Config, p.config, "")
		}
	}
	return u
}

// walk looks at a value by its rule; under is the last key that the rule has.
func (u *uses) walk(r *config.Rule, v value, under string) {
	switch {
	case r == nil || v.absent():
	case v.is(data.ScalarNode):
		u.name(r.Scalar, v, under)
		if r.Scalar == config.Script {
			u.script(v.Text)
		}
	case v.is(data.SequenceNode):
		for _, item := range v.items() {
			u.walk(r.List, item, under)
		}
	case v.is(data.MappingNode):
		for key, val := range v.pairs() {
			if known := r.Find(key.Text); known != nil {
				u.walk(known.Rule, val, known.Name)
				continue
			}
			u.name(r.NameIs, key, under)
			u.walk(r.Names, val, under)
		}
	}
}

// name notes what is done with a name.
func (u *uses) name(is config.Use, v value, under string) {
	switch name := v.Text; {
	case is != config.Event && is != config.Reads && is != config.Writes:
	case strings.Contains(name, "$"):
		u.blind = u.blind || is == config.Event
	case is == config.Event && under == "event":
		u.raised[name] = true
	case is == config.Event:
		u.waits = append(u.waits, v)
	case under == "share" || under == "expose":
		u.gives[name] = true
	case is == config.Writes || under == "read":
		u.fills[name] = v
	case under == "write":
		u.takes[name] = v
	}
}

// calls are what a script does with the store.
var scriptCalls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bpdi\.(expose|share|event|multi_expose)\(\s*(?:['"]([^'"]+)['"])?`)
})

// script notes what a script of the tree shares and triggers.
func (u *uses) script(text string) {
	for _, call := range scriptCalls().FindAllStringSubmatch(text, -1) {
		switch {
		case call[2] == "" || call[1] == "multi_expose":
			u.blind = true
		case call[1] == "event":
			u.raised[call[2]] = true
		default:
			u.gives[call[2]] = true
		}
	}
}
