package pinsight

import (
	"cmp"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/run/trace"
)

// Options are the settings of the language from the command line.
type Options struct {
	Catalog *Catalog // nil means Builtin
	// Program is the traced program, for regions by name or by file and line; nil if none was given.
	Program *debuginfo.File
	// Libraries opens the libraries that the program is linked with; nil if they are unknown.
	Libraries func() []*debuginfo.File
	// Runs means that the program is about to be traced; in that case the tracer itself finds the regions.
	Runs bool
	// Loaded returns the code at a place in the traced program, with the addresses that the trace has for it, if the library that contains it is loaded. It is nil if no program
	// runs.
	Loaded func(trace.Match) []trace.Code
}

// Code returns the code of the program and its libraries to which a section applies.
func (o *Options) Code(m trace.Match) []trace.Code {
	if found := Code(o.Program, m); found != nil || o.Libraries == nil {
		return found
	}
	for _, library := range o.Libraries() {
		if found := Code(library, m); found != nil {
			return found
		}
	}
	return nil
}

func (o Options) catalog() *Catalog { return cmp.Or(o.Catalog, Builtin()) }

// upstream returns the catalogue of an installed PInsight, which does not have Pentode's domain for pipelines.
func (o Options) upstream() *Catalog { return cmp.Or(o.Catalog, Upstream()) }
