package sprokit

import (
	"sync"

	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Options are the settings that a user can give the language.
type Options struct {
	// Types are the known process types; nil means all types of this program.
	Types *pipe.Registry
	// Include are folders with included files, after the folders of the environment.
	Include []string
	// Fragment reports whether a file is meant only for inclusion, Template whether `[-NAME-]` may replace any text in it; nil means no file.
	Fragment, Template func(path string) bool
	// ClusterPath are folders with cluster files, after SPROKIT_CLUSTER_PATH.
	ClusterPath []string
	// Machine returns the values for SYSENV; nil means the operating system's.
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
