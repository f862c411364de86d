package sprokit

import (
	"sync"

	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Options are the settings that a user can make for the language.
type Options struct {
	// Types are the known process types; nil means all types of this program.
	Types *pipe.Registry
	// Include are folders with included files, after the folders of the environment.
	Include []string
	// Fragment reports whether a file is only meant to be included. Template reports whether `[-NAME-]` may stand for any text in a file. If
	// nil, no file is.
	Fragment, Template func(path string) bool
	// ClusterPath are folders with cluster files, after SPROKIT_CLUSTER_PATH.
	ClusterPath []string
	// Machine returns the values for SYSENV; if nil, the operating system is asked.
	Machine func() Machine
}

// options are Options with the defaults filled in.
type options struct {
	Options
	registry *pipe.Registry
	machine  func() Machine
}

func newOptions(o Options) *options {
	full := &options{Options: o, registry: o.Types, machine: o.Machine}
	if full.registry == nil {
		full.registry = catalog.Standard()
	}
	if full.machine == nil {
		full.machine = sync.OnceValue(thisMachine)
	}
	no := func(string) bool { return false }
	if full.Fragment == nil {
		full.Fragment = no
	}
	if full.Template == nil {
		full.Template = no
	}
	return full
}
