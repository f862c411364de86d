package pdi

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// uses holds what the plugins of a tree do with the names that it shares with its program.
type uses struct {
	waits  []value          // events that plugins wait for
	raised map[string]bool  // events that plugins trigger
	fills  map[string]value // memory of the program that plugins write
	takes  map[string]value // memory of the program that plugins read
	gives  map[string]bool  // data that plugins share themselves
	hears  bool             // a plugin receives every event
	blind  bool             // a plugin is unknown, or uses an event whose name only the run knows
}

// uses walks the configurations of the plugins by their rules.
func (m *Model) uses() *uses {
	u := &uses{raised: map[string]bool{}, fills: map[string]value{}, takes: map[string]value{}, gives: map[string]bool{}}
	for _, p := range m.Plugins {
		spec := m.FindPlugin(p.Name)
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

// walk visits a value by its rule; under is the last key that the rule has.
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

// name records what is done with a name.
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

// scriptCalls matches the calls of a script to the store.
var scriptCalls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bpdi\.(expose|share|event|multi_expose)\(\s*(?:['"]([^'"]+)['"])?`)
})

// script records what a script of the tree shares and triggers.
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

// CalledFunction is a function of the program that the tree calls through `user_code`.
type CalledFunction struct {
	Name string
	Span source.Span
}

// CalledFunctions returns the functions that the program must have.
func (m *Model) CalledFunctions() (list []CalledFunction) {
	p := m.plugins["user_code"]
	if p == nil {
		return nil
	}
	for _, section := range []string{"on_event", "on_data"} {
		for group := range p.config.get(section).each() {
			for _, calls := range group.pairs() {
				for call := range calls.each() {
					for name := range call.pairs() {
						if name.is(data.ScalarNode) && name.Text != "when" {
							list = append(list, CalledFunction{name.Text, name.span()})
						}
					}
				}
			}
		}
	}
	return list
}

// WrittenFile is an HDF5 or netCDF file that the tree writes.
type WrittenFile struct {
	Name     string // as written, perhaps an expression
	Span     source.Span
	Together bool // a communicator selects the processes that write it
}

// WrittenFiles returns the files that `decl_hdf5` and `decl_netcdf` write.
func (m *Model) WrittenFiles() []WrittenFile {
	var list []WrittenFile
	for _, name := range []string{"decl_hdf5", "decl_netcdf"} {
		p := m.plugins[name]
		if p == nil {
			continue
		}
		for f := range p.config.each() {
			if name := f.get("file"); name.is(data.ScalarNode) && !f.get("write").absent() {
				list = append(list, WrittenFile{name.Text, name.span(), !f.get("communicator").absent()})
			}
		}
	}
	return list
}

// program is the program of a tree, as far as its sources are known.
type program struct {
	*calls.Program
	*uses
	own     bool                       // all of its calls are for this tree
	depends map[string]map[string]bool // names that the types of data read
	missed  map[string]bool            // names of the program that a finding about the tree mentions
}

// written reports whether plugins only overwrite a name that the program shares.
func (x *program) written(name string) bool {
	_, fills := x.fills[name]
	return fills
}

// read describes which sources were read.
func (x *program) read() string {
	const maxNamed = 3
	if len(x.Files) > maxNamed {
		return fmt.Sprintf("%d sources were read", len(x.Files))
	}
	var names []string
	for _, f := range x.Files {
		names = append(names, f.Source.Path())
	}
	return "sources that were read: " + strings.Join(names, ", ")
}

// against prepares the check against a program. It returns nil if the program is unknown, or if its sources do not call PDI.
func (m *Model) against(p *calls.Program) *program {
	if p == nil || len(p.Calls) == 0 {
		return nil
	}
	own, named := p.Of(m.main().Tree.File().Path(), m.exists)
	if len(own.Calls) == 0 {
		return nil
	}
	x := &program{Program: own, uses: m.uses(), own: named || m.alone, depends: map[string]map[string]bool{}, missed: map[string]bool{}}
	for _, d := range m.names {
		x.depends[d.Name] = m.dependencies(d.value, map[string]bool{}, map[string]bool{})
	}
	return x
}

// dependencies returns the names that a type reads, through the types that it names.
func (m *Model) dependencies(v value, names, seen map[string]bool) map[string]bool {
	switch {
	case v.is(data.ScalarNode):
		if t := m.types[v.Text]; t != nil && !seen[v.Text] {
			seen[v.Text] = true
			m.dependencies(t.value, names, seen)
		}
		if !strings.Contains(v.Text, "$") {
			break
		}
		if p, err := expr.Compile(v.Text, m.dialect); err == nil {
			for ref := range p.Refs() {
				names[ref.Name] = true
			}
		}
	case v.is(data.SequenceNode):
		for _, item := range v.items() {
			m.dependencies(item, names, seen)
		}
	case v.is(data.MappingNode):
		for _, val := range v.pairs() {
			m.dependencies(val, names, seen)
		}
	}
	return names
}
