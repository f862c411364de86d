package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/debuginfo"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/suite"
)

// languageFlags are the flags that only one language takes.
type languageFlags struct {
	targets       []string // COIL: files with further processors and features
	vendorSchemas []string // COIL: files with the sections of vendors
	system        string   // Paradyn: the system's file in the search
	dialect       string   // Paradyn: psdl, pcl or auto
	types         []string // sprokit: files that declare process types
	clusterPath   []string // sprokit: folders with clusters
	subtree       string   // PDI: where in a document the tree is
	catalogs      []string // PInsight: files with further domains
	program       string   // PInsight: the program that is traced
}

// languages are all languages, with the options of the command line. The
// error names the file that could not be used.
func (a *app) languages() ([]*lang.Language, error) {
	f := a.files.options
	o := all.Options{PDI: pdi.Options{Subtree: f.subtree}, Paradyn: paradyn.Options{System: f.system}}
	var err error
	if o.Coil, err = f.coil(); err != nil {
		return nil, err
	}
	if o.Sprokit, err = a.sprokit(); err != nil {
		return nil, err
	}
	if o.PInsight, err = f.pinsight(); err != nil {
		return nil, err
	}
	if o.Paradyn.Dialect, err = paradyn.ParseDialect(f.dialect); err != nil {
		return nil, fmt.Errorf("--dialect: %w", err)
	}
	return all.Languages(o), nil
}

// coil are the options of COIL.
func (f *languageFlags) coil() (o coil.Options, err error) {
	for _, path := range f.targets {
		if err := use(path, func(r io.Reader) error { o, err = o.WithTables(r); return err }); err != nil {
			return o, err
		}
	}
	for _, path := range f.vendorSchemas {
		if err := use(path, func(r io.Reader) error { o, err = o.WithVendors(r); return err }); err != nil {
			return o, err
		}
	}
	return o, nil
}

// sprokit are the options of pipelines: the process types of the engine, those
// that join it to the other engines, those of the Go program, those of files.
func (a *app) sprokit() (sprokit.Options, error) {
	f := a.files.options
	o := sprokit.Options{Types: catalog.Standard(), ClusterPath: f.clusterPath}
	if err := o.Types.Add(suite.ExposeType(a.store)); err != nil {
		return o, err
	}
	for _, t := range a.options.Types {
		if err := o.Types.Add(t); err != nil {
			return o, err
		}
	}
	for _, dir := range f.clusterPath {
		if !isFolder(dir) {
			return o, fmt.Errorf("there is no folder `%s` to look for clusters in", dir)
		}
	}
	for _, path := range f.types {
		if err := use(path, func(r io.Reader) error { return catalog.AddTypes(o.Types, r) }); err != nil {
			return o, err
		}
	}
	return o, catalog.AddModules(o.Types, filepath.SplitList(os.Getenv("SPROKIT_PYTHON_MODULES")), pythonFolders())
}

// pythonFolders are where Python looks for modules of the user: the working
// directory and PYTHONPATH.
func pythonFolders() []catalog.Folder {
	var list []catalog.Folder
	for _, dir := range append([]string{"."}, filepath.SplitList(os.Getenv("PYTHONPATH"))...) {
		if dir != "" {
			list = append(list, catalog.Folder{Path: dir, Tree: os.DirFS(dir)})
		}
	}
	return list
}

// store opens the data store of a specification tree for processes of the
// type `expose`. A run sets stores; a verb that only looks at a pipeline needs none.
func (a *app) store(path string) (*data.Store, error) {
	if a.stores == nil {
		return nil, fmt.Errorf("the tree `%s` cannot be opened: this program runs pipelines without a data store", path)
	}
	return a.stores(path)
}

func (f *languageFlags) pinsight() (o pinsight.Options, err error) {
	for _, path := range f.catalogs {
		if o.Catalog == nil {
			o.Catalog = pinsight.Builtin()
		}
		if err := use(path, func(r io.Reader) error { o.Catalog, err = o.Catalog.With(r); return err }); err != nil {
			return o, err
		}
	}
	if f.program != "" {
		o.Program, err = debuginfo.Open(f.program, debuginfo.Options{})
	}
	return o, err
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
