// Package all is the list of the languages, and nothing else.
package all

import (
	"fmt"
	"os"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/debuginfo"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
)

// Options is what a user can give the languages.
type Options struct {
	Catalogs []string // files with further PInsight domains
	Program  string   // the program that is traced
	Flow     sprokit.Options
}

// Languages returns the languages. The error names the file that could not
// be used.
func Languages(o Options) ([]*lang.Language, error) {
	trace, err := traceOptions(o)
	if err != nil {
		return nil, err
	}
	return []*lang.Language{sprokit.New(o.Flow), pinsight.New(trace)}, nil
}

func traceOptions(o Options) (pinsight.Options, error) {
	var out pinsight.Options
	for _, path := range o.Catalogs {
		if out.Catalog == nil {
			out.Catalog = pinsight.Builtin()
		}
		f, err := os.Open(path)
		if err != nil {
			return out, fmt.Errorf("%s", source.Explain(path, err))
		}
		out.Catalog, err = out.Catalog.With(f)
		f.Close()
		if err != nil {
			return out, fmt.Errorf("`%s` cannot be used: %w", path, err)
		}
	}
	if o.Program != "" {
		program, err := debuginfo.Open(o.Program, debuginfo.Options{})
		if err != nil {
			return out, err
		}
		out.Program = program
	}
	return out, nil
}
