package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/lang/pdi/calls"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/child"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace/project"
)

// languages are all languages, with the options of the command line, and where
// it has none with those of a project. The error names the file of the command
// line that could not be used; one of the project is a finding about it.
func (a *app) languages(p *project.Project) ([]*lang.Language, error) {
	f := a.files.options
	o, err := a.options.own().Options()
	if err != nil {
		return nil, err
	}
	o.PDI.Subtree = f.subtree
	o.Paradyn.Settings = func(file string) []launch.Settings { return runs.Programs(p, file) }
	if p.HasSources() {
		o.PDI.Program = (&calls.Sources{Paths: p.Sources(calls.Reads)}).Read
	}
	if p.System != nil {
		o.Paradyn.System = p.System.Name
	}
	if o.Coil, err = coilOptions(p); err != nil {
		return nil, err
	}
	if err = a.sprokit(p, &o.Sprokit); err != nil {
		return nil, err
	}
	if o.PInsight, err = f.pinsight(p); err != nil {
		return nil, err
	}
	if o.Paradyn.Dialect, err = paradyn.ParseDialect(cmp.Or(p.Paradyn, "psdl")); err != nil {
		return nil, err // the project has refused it
	}
	return all.Languages(o), nil
}

// useAll reads the files of a flag, or those of a project where the flag was
// not given.
func useAll(p *project.Project, flag []string, own []project.Path, read func(path string) error) error {
	for _, path := range flag {
		if err := read(path); err != nil {
			return err
		}
	}
	if len(flag) > 0 {
		return nil
	}
	for _, path := range own {
		if err := read(path.Name); err != nil {
			p.Unusable(path, err)
		}
	}
	return nil
}

// coilOptions are the options of COIL.
func coilOptions(p *project.Project) (o coil.Options, err error) {
	if err := useAll(p, nil, tables(p.Targets), func(path string) error {
		return use(path, func(r io.Reader) error {
			with, err := o.WithTables(r)
			if err == nil {
				o = with
			}
			return err
		})
	}); err != nil {
		return o, err
	}
	return o, useAll(p, nil, p.Vendors, func(path string) error {
		return use(path, func(r io.Reader) error {
			with, err := o.WithVendors(r)
			if err == nil {
				o = with
			}
			return err
		})
	})
}

// tables are files with machines; a folder stands for the JSON files in it.
func tables(paths []project.Path) []project.Path {
	var list []project.Path
	for _, path := range paths {
		if !isFolder(path.Name) {
			list = append(list, path)
			continue
		}
		files, _ := filepath.Glob(filepath.Join(path.Name, "*.json")) // the pattern is sound
		for _, file := range files {
			list = append(list, project.Path{Name: file, Span: path.Span})
		}
	}
	return list
}

// sprokit adds to the options of pipelines what files and the project have: process types, folders.
func (a *app) sprokit(p *project.Project, o *sprokit.Options) error {
	f := a.files.options
	o.Fragment, o.Template = p.IsFragment, p.IsTemplate
	for _, path := range p.Clusters {
		if o.ClusterPath = append(o.ClusterPath, path.Name); !isFolder(path.Name) {
			p.Unusable(path, fmt.Errorf("there is no folder `%s` to look for clusters in", path.Name))
		}
	}
	if len(a.files.include) == 0 {
		for _, path := range p.Include {
			if o.Include = append(o.Include, path.Name); !isFolder(path.Name) {
				p.Unusable(path, fmt.Errorf("there is no folder `%s` to look for included files in", path.Name))
			}
		}
	}
	o.Types.Complete = p.Complete
	if err := useAll(p, f.types, p.Types, func(path string) error { return useTypes(o.Types, path, p.Dir) }); err != nil {
		return err
	}
	if around := os.Getenv(child.EmbedVariable); around != "" {
		if err := child.Embed(o.Types, around); err != nil {
			return err
		}
	}
	return addModules(o.Types, p, len(a.files.inside) > 0)
}

// useTypes reads a catalogue: a file, or where there is none, one of this program by its
// name alone, which a project has as a path below its folder.
func useTypes(types *pipe.Registry, path, dir string) error {
	name, below := filepath.Base(path), filepath.Dir(path)
	if info, err := os.Stat(path); (err != nil || info.IsDir()) && (path == name || below == filepath.Clean(dir)) {
		if text, ok := catalog.Shipped(name); ok {
			return catalog.AddTypes(types, text)
		}
	}
	return use(path, func(r io.Reader) error { return catalog.AddTypes(types, r) })
}

// addModules adds the classes of Python modules: those that the project names
// by their files, and those of SPROKIT_PYTHON_MODULES, which are in the working
// directory or in PYTHONPATH, unless what may be read is confined.
func addModules(types *pipe.Registry, p *project.Project, confined bool) error {
	for _, path := range p.Python {
		if _, err := os.Stat(path.Name); err != nil {
			p.Unusable(path, fmt.Errorf("there is no Python module `%s`", path.Name))
			continue
		}
		module := strings.TrimSuffix(filepath.Base(path.Name), ".py")
		if err := catalog.AddModules(types, []string{module}, pythonFolders(filepath.Dir(path.Name))); err != nil {
			return err
		}
	}
	if len(p.Inside) > 0 || confined {
		return nil
	}
	folders := pythonFolders(append([]string{"."}, filepath.SplitList(os.Getenv("PYTHONPATH"))...)...)
	return catalog.AddModules(types, filepath.SplitList(os.Getenv("SPROKIT_PYTHON_MODULES")), folders)
}

func pythonFolders(dirs ...string) []catalog.Folder {
	var list []catalog.Folder
	for _, dir := range dirs {
		if dir != "" {
			list = append(list, catalog.Folder{Path: dir, Tree: os.DirFS(dir)})
		}
	}
	return list
}

func (f *languageFlags) pinsight(p *project.Project) (o pinsight.Options, err error) {
	err = useAll(p, nil, p.Catalogs, func(path string) error {
		return use(path, func(r io.Reader) error {
			if o.Catalog == nil {
				o.Catalog = pinsight.Builtin()
			}
			with, err := o.Catalog.With(r)
			if err == nil {
				o.Catalog = with
			}
			return err
		})
	})
	if err == nil {
		o.Program, err = f.tracedProgram(p)
	}
	return o, err
}

// allCodes are those of all languages, and of what they have in common.
func allCodes(languages []*lang.Language) []*diag.Code {
	codes := slices.Concat(lang.SharedCodes(), project.Codes(), suite.Codes())
	for _, l := range languages {
		codes = append(codes, l.Codes...)
	}
	return codes
}

// choices are the values that the help of a flag lists, as in `text|json`, where it takes
// no other. Misuse and completion read them there.
func choices(f *pflag.Flag) []string {
	values, _ := pflag.UnquoteUsage(f)
	if strings.Contains(values, "|") && strings.ToLower(values) == values {
		return strings.Split(values, "|")
	}
	return nil
}

// fileFlags are the flags of every verb that reads a file.
type fileFlags struct {
	lang, as, filename string
	include, overrides []string
	values             []string // of data, in verbs about data
	maxSize            byteSize
	config, inside     []string
	noConfig, noIgnore bool
	asGiven            bool         // the user gave the dialect
	read               *source.File // standard input, where it was read
	options            languageFlags
}

// languageFlags are the flags that only one language takes.
type languageFlags struct {
	types   []string // sprokit: files that declare process types
	subtree string   // PDI: where in a document the tree is
	pid     int      // PInsight: a process that runs the traced program
}

// tracedProgram opens the program whose addresses regions are: that of a process, or of the project. It is nil where none is
// known; what the project names and cannot be used is a finding about it.
func (f *languageFlags) tracedProgram(p *project.Project) (*debuginfo.File, error) {
	path, named := "", p.Program
	switch {
	case named != nil:
		path = named.Name
	case f.pid != 0:
		var err error
		if path, err = os.Readlink(fmt.Sprintf("/proc/%d/exe", f.pid)); err != nil {
			return nil, fmt.Errorf("there is no process %d, or it is another user's", f.pid)
		}
	default:
		for _, where := range []*project.Path{p.Base, p.Maps} {
			if where != nil {
				p.Unusable(*where, errors.New("`base` and `maps` of `[pinsight]` say where a program is loaded, and `program` names none"))
			}
		}
		return nil, nil
	}
	program, err := debuginfo.Open(path, debuginfo.Options{})
	if err == nil {
		if err = f.load(program, p); err == nil {
			return program, nil
		}
		program.Close()
	}
	if named != nil {
		p.Unusable(*named, err)
		return nil, nil
	}
	return nil, err
}

// load says where the program is loaded.
func (f *languageFlags) load(program *debuginfo.File, p *project.Project) error {
	given := 0
	for _, is := range []bool{p.Base != nil, p.Maps != nil, f.pid != 0} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return errors.New("`pinsight.base`, `pinsight.maps` and --pid each say where the program is loaded; give one of them")
	case p.Base != nil:
		base, err := strconv.ParseUint(p.Base.Name, 16, 64)
		return errors.Join(err, program.Load(base))
	case p.Maps != nil:
		return use(p.Maps.Name, program.LoadFrom)
	case f.pid != 0:
		return use(fmt.Sprintf("/proc/%d/maps", f.pid), program.LoadFrom)
	}
	return nil
}

// projectFlags gives the flags about pentode.toml to a verb that reads no file.
func (a *app) projectFlags(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringArrayVar(&a.files.config, "config", nil, "replace a setting of pentode.toml: `KEY=VALUE` (repeatable)")
	cmd.Flags().BoolVar(&a.files.noConfig, "no-config", false, "read no pentode.toml")
	return cmd
}

// here is the project of the working directory, for what is asked without a file.
func (a *app) here() (*project.Project, error) {
	languages, err := a.languages(&project.Project{})
	if err != nil {
		return nil, err
	}
	finder := &project.Finder{
		Opener: source.Disk{MaxSize: source.DefaultMaxSize}, Names: projectNames(languages), Config: a.files.config, Off: a.files.noConfig,
	}
	if err := finder.Validate(); err != nil {
		return nil, err
	}
	p := finder.Of(".", true)
	return p, a.usable(p)
}

// usable ends a verb where the project file has a mistake, or names what cannot be
// used.
func (a *app) usable(p *project.Project) error { return a.refuse(p.Problems()) }
