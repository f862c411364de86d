// Package declnetcdf is the plugin `decl_netcdf`: it writes data of the store to netCDF-4 files, and reads it
// from them, as the specification tree declares.
//
// When something is due, what it selects, the files between two steps and the processes that write together are
// those of declhdf5, to which this package is a format:
//
//	configuration ──▶ declhdf5.Steps ──▶ declhdf5: events, conditions, selections, communicators
//	                                          └──▶ format: dimensions, variables, types, attributes ──▶ netcdf
package declnetcdf

import (
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// Plugin is the declaration. A nil finder is that of programs of one process.
func Plugin(find ranks.Finder) data.Plugin {
	return data.Plugin{
		Name:   "decl_netcdf",
		Title:  "Decl'NetCDF",
		Doc:    "Writes and reads netCDF-4 files: a file, or a list of files.",
		Runs:   data.Everywhere,
		Config: config.OrList(fileRule),
		Parts: []config.Part{{Name: "variables.NAME", Doc: "What a variable is, besides its type.", Rule: variableRule},
			{Name: "write.NAME", Doc: "How a datum is written.", Rule: writeRule}, {Name: "read.NAME", Doc: "How a datum is read.", Rule: readRule}, declhdf5.AsyncPart},
		New: func(c *data.Context) error {
			return declhdf5.Start(c, find, func(n *data.Node) (declhdf5.Steps, error) {
				f := &file{Context: c}
				err := f.parse(n)
				return f.Steps, err
			})
		},
	}
}
