// Package declnetcdf is the plugin `decl_netcdf`: it writes data of the store to netCDF-4 files and reads it
// back, as the specification tree declares.
//
// Package declhdf5 does the work that both plugins share: triggering operations, selections, keeping files
// between two steps, and processes that write together. This package implements a format for it:
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

// Plugin returns the plugin. A nil finder means a program of one process.
func Plugin(find ranks.Finder) data.Plugin {
	return data.Plugin{
		Name:   "decl_netcdf",
		Title:  "Decl'NetCDF",
		Doc:    "Writes and reads netCDF-4 files: a file, or a list of files.",
		Runs:   data.Everywhere,
		Config: config.OrList(fileRule),
		Parts: []config.Part{{Name: "variables.NAME", Doc: "The keys of a variable besides its type.", Rule: variableRule},
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
