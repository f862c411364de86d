package sprokit

import (
	"sync"

	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Options is what a user can give the language.
type Options struct {
	// Types are the process types that are known; nil is all of this program.
	Types *pipe.Registry
	// Include are folders with included files, after those of the environment.
	Include []string
	// Fragment reports whether a file is only ever included, Template whether
	// `[-NAME-]` stands for any text in it; nil: no file.
	Fragment, Template func(path string) bool
	// ClusterPath are folders with cluster files, after SPROKIT_CLUSTER_PATH.
	ClusterPath []string
	// Machine answers SYSENV; nil asks the operating system.
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
