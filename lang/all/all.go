// Package all is the list of the languages, and nothing else.
package all

import (
	"fmt"
	"os"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
)

// Options is what a user can give the languages.
type Options struct {
	Catalogs []string // files with further PInsight domains
	// Locate finds the addresses of a line of source in the traced program.
	Locate func(file string, line int) ([]uint64, error)
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
	return []*lang.Language{pinsight.New(trace)}, nil
}
