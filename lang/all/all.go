// Package all is the list of the languages, and nothing else.
package all

import (
	"fmt"
	"io"
	"os"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/debuginfo"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

// Options is what a user can give the languages.
type Options struct {
	Targets       []string       // COIL: files with further processors and features
	VendorSchemas []string       // COIL: files with the sections of vendors
	System        string         // Paradyn: the system's file in the search
	Dialect       string         // Paradyn: psdl, pcl or auto
	Types         []string       // sprokit: files that declare process types
	ClusterPath   []string       // sprokit: folders with clusters
	Processes     *flow.Registry // sprokit: the process types of this program; nil is the standard ones
	Subtree       string         // PDI: where in a document the tree is
	Catalogs      []string       // PInsight: files with further domains
	Program       string         // PInsight: the program that is traced
}

// Languages returns the languages. The error names the file that could not
// be used.
func Languages(o Options) ([]*lang.Language, error) {
	targets, err := o.Coil()
	if err != nil {
		return nil, err
	}
	flows, err := o.Sprokit()
	if err != nil {
		return nil, err
	}
	trace, err := traceOptions(o)
	if err != nil {
		return nil, err
	}
	dialect, err := paradyn.ParseDialect(o.Dialect)
	if err != nil {
		return nil, fmt.Errorf("--dialect: %w", err)
	}
	return []*lang.Language{
		coil.New(targets),
		paradyn.New(paradyn.Options{System: o.System, Dialect: dialect}),
		sprokit.New(flows),
		pdi.New(pdi.Options{Subtree: o.Subtree}),
		pinsight.New(trace),
	}, nil
}

// Coil is what the options mean to COIL.
func (o Options) Coil() (coil.Options, error) {
	var out coil.Options
	for _, path := range o.Targets {
		if err := use(path, func(r io.Reader) (err error) {
			out, err = out.WithTables(r)
			return err
		}); err != nil {
			return out, err
		}
	}
	for _, path := range o.VendorSchemas {
		if err := use(path, func(r io.Reader) (err error) {
			out, err = out.WithVendors(r)
			return err
		}); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Sprokit is what the options mean to pipelines.
func (o Options) Sprokit() (sprokit.Options, error) {
	out := sprokit.Options{Types: o.Processes, ClusterPath: o.ClusterPath}
	if out.Types == nil {
		out.Types = catalog.Standard()
	}
	for _, dir := range o.ClusterPath {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return out, fmt.Errorf("there is no folder `%s` to look for clusters in", dir)
		}
	}
	for _, path := range o.Types {
		if err := use(path, func(r io.Reader) error { return catalog.AddTypes(out.Types, r) }); err != nil {
			return out, err
		}
	}
	return out, nil
}

func traceOptions(o Options) (pinsight.Options, error) {
	var out pinsight.Options
	for _, path := range o.Catalogs {
		if out.Catalog == nil {
			out.Catalog = pinsight.Builtin()
		}
		if err := use(path, func(r io.Reader) (err error) {
			out.Catalog, err = out.Catalog.With(r)
			return err
		}); err != nil {
			return out, err
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

// use opens a file that the user named.
func use(path string, read func(io.Reader) error) error {
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
