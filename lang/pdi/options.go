package pdi

import (
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// Options is what the command line gives the language.
type Options struct {
	Subtree string // where in a document the tree is; empty: the root, or `pdi`
	// Program reads the sources of the programs that read the trees; nil: they are
	// not known.
	Program func(source.Opener) *calls.Program

	Plugins []data.Plugin // that trees may name besides those of Pentode

	root *syntax.Node // where it is, if that is known already
}
