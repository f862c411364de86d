package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// fileGroup is the help group of flags shared by all verbs that read files.
const fileGroup = "files"

// reads adds the flags for reading files to a verb, and the flags of the given
// languages; without a name, of all languages.
func (a *app) reads(cmd *cobra.Command, languages ...string) *cobra.Command {
	own, f, fl := cmd.Flags(), pflag.NewFlagSet("", pflag.ContinueOnError), &a.files
	takes := func(language string) bool { return len(languages) == 0 || slices.Contains(languages, language) }
	one := len(languages) == 1 // the language is fixed, and folders are not searched
	if !one {
		f.StringVar(&fl.lang, "lang", "", "the `LANGUAGE` of the files, whatever their names")
		f.BoolVar(&fl.noIgnore, "no-ignore", false, "do not skip the files that pentode.toml or .gitignore excludes")
	}
	if !one || languages[0] != "pinsight" { // PInsight has no includes
		f.StringArrayVarP(&fl.include, "include", "I", nil, "look for included files in `DIR` (repeatable)")
	}
	f.StringVar(&fl.as, "as", "documented", "read files as the documentation of their format says, or as the original program does: `documented|upstream`")
	f.StringArrayVarP(&fl.overrides, "setting", "s", nil, "override a setting of the file: `KEY=VALUE` (repeatable)")
	f.StringVar(&fl.filename, "filename", "", "the `NAME` of standard input, if PATH is -")
	fl.maxSize = source.DefaultMaxSize
	f.Var(&fl.maxSize, "max-size", "the largest file to read, a `SIZE`")
	f.StringArrayVar(&fl.config, "config", nil, "override a setting of pentode.toml: `KEY=VALUE` (repeatable)")
	f.StringArrayVar(&fl.inside, "inside", nil, "read only files in `DIR`, and no environment variables (repeatable)")
	f.BoolVar(&fl.noConfig, "no-config", false, "read no pentode.toml")
	f.VisitAll(func(flag *pflag.Flag) { flag.Annotations = map[string][]string{fileGroup: nil} })
	own.AddFlagSet(f)
	if takes("sprokit") {
		own.StringArrayVar(&fl.options.types, "types", nil, "sprokit: a `FILE` that declares process types (repeatable)")
	}
	if takes("pdi") {
		own.StringVar(&fl.options.subtree, "subtree", "", "PDI: the `YPATH` of the tree in the file, such as .runs[2]")
	}
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		fl.asGiven = cmd.Flags().Changed("as")
		return namesStdin(cmd, args)
	}
	return cmd
}

// namesStdin refuses --filename if the verb does not read standard input.
func namesStdin(cmd *cobra.Command, args []string) error {
	if !cmd.Flags().Changed("filename") || slices.Contains(args, "-") {
		return nil
	}
	read := false // whether standard input is read through a flag that takes a file
	cmd.Flags().Visit(func(f *pflag.Flag) { read = read || f.Value.String() == "-" })
	if read {
		return nil
	}
	return errors.New("--filename names standard input, which is not read here: give - as PATH, or leave --filename out")
}

// workspace returns a workspace that opens files as the flags say.
func (a *app) workspace() (*workspace.Workspace, error) {
	if a.files.maxSize < 1 {
		return nil, errors.New("--max-size takes a size such as 64MB, not 0")
	}
	languages, err := a.languages(&project.Project{})
	if err != nil {
		return nil, err
	}
	env := load.NewEnv()
	env.Opener = a.opener(noting{a, source.Disk{MaxSize: int64(a.files.maxSize)}})
	env.Include = a.files.include
	env.Lookup = a.lookup
	if a.files.as == load.Upstream.String() {
		env.Dialect = load.Upstream
	}
	for _, s := range a.files.overrides {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("-s takes KEY=VALUE, not `%s`", s)
		}
		env.Overrides = append(env.Overrides, load.Override{Key: key, Value: value})
	}
	w := workspace.New(languages, env)
	w.FixedDialect, w.NoIgnore = a.files.asGiven, a.files.noIgnore
	w.Inside, w.Known = a.files.inside, unplanned
	for _, dir := range w.Inside {
		if !isFolder(dir) {
			return nil, fmt.Errorf("--inside takes a folder, and `%s` is not one", dir)
		}
	}
	var projects source.Opener = noting{a, source.Disk{MaxSize: int64(a.files.maxSize)}}
	if len(w.Inside) > 0 {
		projects = source.Inside{Dirs: w.Inside, Under: projects}
	}
	w.Projects = &project.Finder{
		Opener: projects, Names: projectNames(languages),
		Config: a.files.config, Off: a.files.noConfig,
	}
	w.Configure = func(p *project.Project) []*lang.Language {
		languages, _ := a.languages(p) // errors of the flags were reported above
		return languages
	}
	if err := w.Projects.Validate(); err != nil {
		return nil, err
	}
	if a.files.lang != "" {
		if w.Force, err = lang.ByName(languages, a.files.lang); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// lookup returns an environment variable for a file: from the environment of this program, or the rank and size of a process without a
// plan. It adds the name to the record of the run.
func (a *app) lookup(name string) (string, bool) {
	if a.asked != nil {
		a.asked.Store(name, true)
	}
	if value, ok := os.LookupEnv(name); ok {
		return value, true
	}
	return unplanned(name)
}

// recording returns what the record of a run says about this command.
func (a *app) recording(paths ...string) *runs.Recording {
	return &runs.Recording{Paths: paths, Asked: func() (names []string) {
		if a.asked == nil {
			return nil
		}
		a.asked.Range(func(name, _ any) bool {
			names = append(names, name.(string))
			return true
		})
		return names
	}}
}

// unplanned returns a default value, such as rank 0, for a variable that a launch plan would set.
func unplanned(name string) (string, bool) {
	switch name {
	case "PENTODE_RANK":
		return "0", true
	case "PENTODE_SIZE":
		return "1", true
	}
	return "", false
}

// opener reads `-` from standard input, once.
func (a *app) opener(under source.Opener) source.Opener { return &stdin{app: a, under: under} }

type stdin struct {
	app   *app
	under source.Opener
}

// OpenNamed opens a path of the command line.
func (s *stdin) OpenNamed(path string) (*source.File, error) {
	if path != "-" {
		return source.OpenNamed(s.under, path)
	}
	return s.Open(path)
}

func (s *stdin) Open(path string) (*source.File, error) {
	if path != "-" {
		return s.under.Open(path)
	}
	if s.app.files.read == nil {
		name := s.app.files.filename
		if name == "" {
			name = "-"
		}
		f, err := source.Read(name, s.app.in, int64(s.app.files.maxSize))
		if err != nil {
			return nil, err
		}
		s.app.files.read = f
	}
	return s.app.files.read, nil
}

// documents opens the paths of a verb that works on one configuration: one file,
// or the layers of a layered language.
func (a *app) documents(w *workspace.Workspace, paths []string) ([]*lang.Document, diag.List, error) {
	if len(paths) == 0 {
		return a.search(w)
	}
	var docs []*lang.Document
	for _, path := range paths {
		d, err := a.open(w, path)
		if err != nil {
			return nil, nil, err
		}
		if len(docs) > 0 && (d.Language != docs[0].Language || !d.Language.Layered) {
			return nil, nil, fmt.Errorf("give one file: only a language with layers takes several, and %s has no layers", docs[0].Language.Title)
		}
		docs = append(docs, d)
	}
	return docs, nil, nil
}

// search finds the layers of a layered language by its own rules.
func (a *app) search(w *workspace.Workspace) ([]*lang.Document, diag.List, error) {
	if w.Force == nil || !w.Force.Layered {
		return nil, nil, errors.New("give a file, or - for standard input")
	}
	env := w.EnvOf(w.Force.Parse(source.NewFile("-", ""))) // files that the search finds belong to the project of this folder
	files, problems := w.Force.Search(env, "")
	var docs []*lang.Document
	for _, f := range files {
		d, err := w.Document(f)
		if err != nil {
			return nil, nil, err
		}
		docs = append(docs, d)
	}
	return docs, problems, nil
}

// open opens one document; its error can be shown to the user. A file over the
// size limit is reported as a finding, and the verb exits with 1.
func (a *app) open(w *workspace.Workspace, path string) (*lang.Document, error) {
	d, err := w.OpenNamed(path)
	if unsound := a.unsound(w); unsound != nil {
		return nil, unsound
	}
	if err == nil {
		return d, nil
	}
	if refused := workspace.Refused(path, err); refused != nil {
		a.say(diag.List{refused})
		return nil, exitCode(exitNo)
	}
	return nil, errors.New(workspace.Explain(path, err))
}

// unsound ends a verb if the project file has errors, because its settings for
// excluded files and languages are then unknown.
func (a *app) unsound(w *workspace.Workspace) error { return a.refuse(w.Problems()) }

// projectNames returns the names that a project file may use.
func projectNames(languages []*lang.Language) project.Names {
	n := project.Names{Launch: runs.ProjectSettings(), Secret: record.IsSecret}
	for _, l := range languages {
		n.Languages = append(n.Languages, l.Name)
	}
	for _, c := range allCodes(languages) {
		n.Codes = append(n.Codes, c.ID)
	}
	return n
}

// openWhole opens a folder as one run.
func (a *app) openWhole(w *workspace.Workspace, dir string) (*suite.Run, error) {
	switch {
	case len(a.files.overrides) > 0:
		return nil, errors.New("-s overrides a setting of one file, and a folder has several: give the file. --config overrides a setting of pentode.toml")
	case w.Force != nil:
		return nil, errors.New("--lang is for one file; the files of a folder have different languages")
	}
	run, err := runs.OpenFolder(w, dir)
	if err != nil {
		return nil, err
	}
	return run, a.unsound(w)
}

// config resolves the paths of a verb.
func (a *app) config(w *workspace.Workspace, paths []string) (*lang.Config, diag.List, error) {
	docs, problems, err := a.documents(w, paths)
	if err != nil {
		return nil, nil, err
	}
	return w.Layers(docs), problems, nil
}

// read opens and resolves the paths of a verb as one configuration, in the given language
// unless --lang names another.
func (a *app) read(paths []string, language string) (*workspace.Workspace, *lang.Config, error) {
	if a.files.lang == "" {
		a.files.lang = language
	}
	w, err := a.workspace()
	if err != nil {
		return nil, nil, err
	}
	c, _, err := a.config(w, paths)
	return w, c, err
}

// noting is an opener that reports the name of each file before it opens the file.
type noting struct {
	app   *app
	under source.Opener
}

func (n noting) Open(path string) (*source.File, error) {
	n.app.watch.note(path)
	return n.under.Open(path)
}

func (n noting) OpenNamed(path string) (*source.File, error) {
	n.app.watch.note(path)
	return source.OpenNamed(n.under, path)
}

// judge shows the findings of a run, and returns an error if there are errors among them.
func (a *app) judge(run *suite.Run) error { return a.refuse(suite.Diagnostics(run, a.host())) }

// use opens a file that the user named, and passes it to read.
func use(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return &unopened{path, err}
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("`%s` cannot be used: %w", path, err)
	}
	return nil
}

// unopened is the error for a file that cannot be opened, worded by this program.
type unopened struct {
	path string
	err  error
}

func (u *unopened) Error() string { return source.Explain(u.path, u.err) }

func (u *unopened) Unwrap() error { return u.err }

// orHere returns the paths of a verb, or the current folder if there are none.
func orHere(paths []string) []string {
	if len(paths) == 0 {
		return []string{"."}
	}
	return paths
}

// orAlone returns the paths of a verb that works on one file or run: without paths, the run in the current folder, else its only file.
func (a *app) orAlone(w *workspace.Workspace, paths []string) ([]string, error) {
	switch {
	case len(paths) > 0 || w.Force != nil: // with --lang, the language may have its own search
		return paths, nil
	case suite.IsRunFolder("."):
		return []string{"."}, nil
	}
	files, err := w.Entries(".")
	switch {
	case err != nil || len(files) == 0:
		return nil, errors.New("this folder has no file of the five languages: give a PATH, or - for standard input")
	case len(files) > 1:
		return nil, fmt.Errorf("this folder has %s: give one of them, such as %s", quantity.Count(len(files), "file", "files"), files[0])
	}
	return files, nil
}

// isFolder reports whether a path is a folder; it returns false if the path cannot be read.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
