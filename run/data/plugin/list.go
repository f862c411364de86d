// Package plugin is the list of all plugins.
//
// Each plugin is a package of its own with one declaration beside its code, a
// data.Plugin: its name, the keys of its configuration, the places where it runs,
// and what loads it. Nothing registers itself. The store of a C program, of a
// pipeline and of `data replay`, the checker, editors and the reference read this
// list; a new plugin is a folder and a line here.
//
//	            ┌──▶ lang/pdi: check, completion, reference
//	List ───────┤
//	            └──▶ data.Options ──▶ New(*data.Context) ──▶ callbacks in the store
package plugin

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/declnetcdf"
	"github.com/pentode-dev/pentode/run/data/plugin/flow"
	"github.com/pentode-dev/pentode/run/data/plugin/json"
	"github.com/pentode-dev/pentode/run/data/plugin/mpi"
	"github.com/pentode-dev/pentode/run/data/plugin/pycall"
	"github.com/pentode-dev/pentode/run/data/plugin/serialize"
	"github.com/pentode-dev/pentode/run/data/plugin/setvalue"
	"github.com/pentode-dev/pentode/run/data/plugin/timer"
	"github.com/pentode-dev/pentode/run/data/plugin/trace"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
)

// Program is what plugins need of the program that they run in. The zero value
// has no functions, one process and no Python.
type Program struct {
	Functions     usercode.Finder
	Communicators mpi.Communicators
	Python        pycall.Runner
	Process       flow.Program
	Own           []data.Plugin // that the program brings; Check finds out whether they fit
}

// List returns all plugins: ours, those that PDI no longer has, and those of the program.
func List(p Program) []data.Plugin {
	return append([]data.Plugin{
		declhdf5.Plugin(p.Communicators.Find),
		declnetcdf.Plugin(p.Communicators.Find),
		flow.Plugin(p.Process),
		json.Plugin(),
		mpi.Plugin(p.Communicators),
		pycall.Plugin(p.Python),
		serialize.Plugin(),
		setvalue.Plugin(),
		timer.Plugin(),
		trace.Plugin(),
		usercode.Plugin(p.Functions),
		removed("deisa", "1.9.3", "Couples a simulation with Dask."),
		removed("decl_sion", "1.7.1", "Wrote SIONlib files."),
		removed("flowvr", "1.7.1", "Coupled a simulation with FlowVR."),
		removed("fti", "1.7.1", "Wrote checkpoints."),
		removed("test", "1.7.1", "Tested the plugin interface."),
	}, p.Own...)
}

// Check returns what is wrong with the declarations of a program's own plugins, the first of
// it: trees could not name such a plugin, or it would never run.
func Check(own []data.Plugin) error {
	known := List(Program{})
	for _, p := range own {
		switch {
		case p.Name == "":
			return errors.New("a plugin of the data store has no name")
		case slices.ContainsFunc(known, func(k data.Plugin) bool { return k.Name == p.Name }):
			return fmt.Errorf("there is a plugin `%s` already", p.Name)
		case p.Runs == 0 && p.New != nil:
			return fmt.Errorf("plugin `%s` runs nowhere: set Runs, such as data.Everywhere", p.Name)
		case p.Runs != 0 && p.New == nil:
			return fmt.Errorf("plugin `%s` has no New, so it cannot run", p.Name)
		}
		known = append(known, p)
	}
	return nil
}

// removed is a plugin that PDI had until a release.
func removed(name, last, doc string) data.Plugin {
	return data.Plugin{Name: name, Doc: doc, Removed: last, Config: &config.Rule{Value: true}}
}
