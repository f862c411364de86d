// Package all is the list of the languages, and nothing else.
package all

import (
	"fmt"
	"os"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
)

// Options is what a user can give the languages.
type Options struct {
	Catalogs []string // files with further PInsight domains
	// Locate finds the addresses of a line of source in the traced program.
	Locate func(file string, line int) ([]uint64, error)

	Types       []string // files with further sprokit process types
	ClusterPath []string // folders with sprokit clusters
}

// Languages returns the languages. The error names the file that could not
// be used.
func Languages(o Options) ([]*lang.Language, error) {
	trace := pinsight.Options{Locate: o.Locate}
	for _, path := range o.Catalogs {
		if trace.Catalog == nil {
			trace.Catalog = pinsight.Builtin()
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s", source.Explain(path, err))
		}
		trace.Catalog, err = trace.Catalog.With(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("`%s` cannot be used: %w", path, err)
		}
	}
	flow, err := Flow(o)
	if err != nil {
		return nil, err
	}
	return []*lang.Language{sprokit.New(flow), pinsight.New(trace)}, nil
}

// Flow is what the options mean to pipelines.
func Flow(o Options) (sprokit.Options, error) {
	flow := sprokit.Options{Types: sprokit.Standard(), ClusterPath: o.ClusterPath}
	for _, path := range o.Types {
		f, err := os.Open(path)
		if err != nil {
			return flow, fmt.Errorf("%s", source.Explain(path, err))
		}
		err = sprokit.AddTypes(flow.Types, f)
		f.Close()
		if err != nil {
			return flow, fmt.Errorf("`%s` cannot be used: %w", path, err)
		}
	}
	return flow, nil
}
