package pdi

import (
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// Options are the settings of the language from the command line.
type Options struct {
	Subtree string // the path of the tree in the document; if empty, the tree is the whole document or its key `pdi`
	// Program reads the source files of the programs that use the trees; nil if they are
	// unknown.
	Program func(source.Opener) *calls.Program

	Plugins []data.Plugin // further plugins that trees may name

	root *syntax.Node // the tree in the document, if already known
}
