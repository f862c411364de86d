// Package all is the list of the languages, and nothing else.
package all

import (
	"fmt"
	"os"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/pinsight"
)

// Options is what a user can give the languages.
type Options struct {
	Catalogs      []string // files with further PInsight domains
	Targets       []string // files with further COIL targets
	VendorSchemas []string // files that say what COIL's vendor sections may have
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
		if err := use(path, func(f *os.File) (err error) { trace.Catalog, err = trace.Catalog.With(f); return err }); err != nil {
			return nil, err
		}
	}
	target, err := o.Coil()
	if err != nil {
		return nil, err
	}
	return []*lang.Language{coil.New(target), pinsight.New(trace)}, nil
}

// Coil is what the options mean to COIL.
func (o Options) Coil() (coil.Options, error) {
	var out coil.Options
	for _, path := range o.Targets {
		if err := use(path, func(f *os.File) (err error) { out, err = out.WithTables(f); return err }); err != nil {
			return out, err
		}
	}
	for _, path := range o.VendorSchemas {
		if err := use(path, func(f *os.File) (err error) { out, err = out.WithVendors(f); return err }); err != nil {
			return out, err
		}
	}
	return out, nil
}

// use reads a file that the user gave; the error names it.
func use(path string, read func(*os.File) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s", source.Explain(path, err))
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("`%s` cannot be used: %w", path, err)
	}
	return nil
}
