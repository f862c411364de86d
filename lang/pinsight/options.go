package pinsight

import (
	"cmp"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/run/trace"
)

// Options is what the command line gives the language.
type Options struct {
	Catalog *Catalog // nil is Builtin
	// Program is the program that is traced, for regions by name, and by file and
	// line; nil where none was given.
	Program *debuginfo.File
	// Libraries opens the libraries that the program is linked with. Nil: none is known.
	Libraries func() []*debuginfo.File
	// Runs says that the program is about to be traced, which finds regions itself.
	Runs bool
	// Loaded is the code of what a traced program has loaded by now that a place in it
	// stands for, at its addresses in the trace. Nil: no program runs.
	Loaded func(trace.Match) []trace.Code
}

// Code is the code of the program and its libraries that a section stands for.
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

// upstream is the catalogue of an installed PInsight, which has no pipelines.
func (o Options) upstream() *Catalog { return cmp.Or(o.Catalog, Upstream()) }
