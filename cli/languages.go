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

// languages returns all languages with their options: from the command line, else from
// the project. The error names a file of the command line that could not be used; an
// unusable file of the project becomes a finding about it.
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
		return nil, err // cannot happen, because the project file was checked when it was read
	}
	return all.Languages(o), nil
}

// useAll reads the files of a flag, or the files of a project if the flag was
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

// coilOptions returns the options of COIL.
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

// tables returns files with machines: a folder is replaced by the JSON files in it.
func tables(paths []project.Path) []project.Path {
	var list []project.Path
	for _, path := range paths {
		if !isFolder(path.Name) {
			list = append(list, path)
			continue
		}
		files, _ := filepath.Glob(filepath.Join(path.Name, "*.json")) // the pattern is valid
		for _, file := range files {
			list = append(list, project.Path{Name: file, Span: path.Span})
		}
	}
	return list
}

// sprokit adds the process types and folders that the flags and the project name to the options of pipelines.
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

// useTypes reads a catalogue: a file, or, if the file does not exist, a built-in catalogue of that
// name. A project gives such a name as a path below its folder.
func useTypes(types *pipe.Registry, path, dir string) error {
	name, below := filepath.Base(path), filepath.Dir(path)
	if info, err := os.Stat(path); (err != nil || info.IsDir()) && (path == name || below == filepath.Clean(dir)) {
		if text, ok := catalog.Shipped(name); ok {
			return catalog.AddTypes(types, text)
		}
	}
	return use(path, func(r io.Reader) error { return catalog.AddTypes(types, r) })
}

// addModules adds the classes of Python modules: modules that the project names
// by file, and, unless --inside confines reading, modules in SPROKIT_PYTHON_MODULES, which
// are searched for in the working directory and in PYTHONPATH.
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

// allCodes returns the codes of all languages, and the codes that they share.
func allCodes(languages []*lang.Language) []*diag.Code {
	codes := slices.Concat(lang.SharedCodes(), project.Codes(), suite.Codes())
	for _, l := range languages {
		codes = append(codes, l.Codes...)
	}
	return codes
}

// choices returns the values that the help of a flag lists, as in `text|json`, if the flag takes
// no others. Misuse messages and completion use them.
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
	values             []string // values of data (--set)
	maxSize            byteSize
	config, inside     []string
	noConfig, noIgnore bool
	asGiven            bool         // --as was given
	read               *source.File // standard input, if it was read
	options            languageFlags
}

// languageFlags are the flags that apply to only one language.
type languageFlags struct {
	types   []string // sprokit: files that declare process types
	subtree string   // PDI: the place of the tree in a document
	pid     int      // PInsight: the process id of the traced program
}

// tracedProgram opens the program whose code the addresses of regions refer to: the running process of --pid, or the program that
// the project names. It returns nil if neither is given. If the project's program cannot be used, that becomes a finding about
// the project.
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
				p.Unusable(*where, errors.New("`base` and `maps` of `[pinsight]` say where a program is loaded, but `program` is not set"))
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

// load sets the address at which the program is loaded.
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

// projectFlags adds the flags for pentode.toml to a verb that reads no file.
func (a *app) projectFlags(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringArrayVar(&a.files.config, "config", nil, "override a setting of pentode.toml: `KEY=VALUE` (repeatable)")
	cmd.Flags().BoolVar(&a.files.noConfig, "no-config", false, "read no pentode.toml")
	return cmd
}

// here returns the project of the working directory, for verbs without a file.
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

// usable ends a verb if the project file has an error, or names a file that cannot be
// used.
func (a *app) usable(p *project.Project) error { return a.refuse(p.Problems()) }
