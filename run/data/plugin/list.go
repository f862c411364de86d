// Package plugin lists all plugins.
//
// Each plugin is a separate package with one declaration next to its code, a data.Plugin:
// its name, the keys of its configuration, the places where it runs, and the function that
// loads it. Nothing registers itself. The store of a C program, of a pipeline and of `data
// replay`, the checker, editors and the reference use this list; a new plugin needs a folder
// and a line here.
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

// Program has what the plugins need from the program. The zero value stands for a program of
// one process without callable functions and without Python.
type Program struct {
	Functions     usercode.Finder
	Communicators mpi.Communicators
	Python        pycall.Runner
	Process       flow.Program
	Own           []data.Plugin // the program's own plugins, which Check has accepted
}

// List returns all plugins: the built-in ones, those that PDI had in the past, and the
// program's own.
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

// Check returns the first error in the declarations of a program's own plugins: for example,
// a name that trees cannot use, or a plugin that would never run.
func Check(own []data.Plugin) error {
	known := List(Program{})
	for _, p := range own {
		switch {
		case p.Name == "":
			return errors.New("a plugin of the data store has no name")
		case slices.ContainsFunc(known, func(k data.Plugin) bool { return k.Name == p.Name }):
			return fmt.Errorf("there is already a plugin `%s`", p.Name)
		case p.Runs == 0 && p.New != nil:
			return fmt.Errorf("plugin `%s` runs nowhere: set Runs, such as data.Everywhere", p.Name)
		case p.Runs != 0 && p.New == nil:
			return fmt.Errorf("plugin `%s` has no New, so it cannot run", p.Name)
		}
		known = append(known, p)
	}
	return nil
}

// removed declares a plugin that PDI had up to the release last.
func removed(name, last, doc string) data.Plugin {
	return data.Plugin{Name: name, Doc: doc, Removed: last, Config: &config.Rule{Value: true}}
}
