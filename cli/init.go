package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// starter has a folder with the first file of each language, a folder with the files of a
// run, and in `program` the files of runs with a program of the user.
//
//go:embed starter
var starter embed.FS

func (a *app) initVerb() *cobra.Command {
	var language, program, name, in string
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Create a commented first file of a language, or a small run of five files",
		Long: "Creates a commented first file of a language in the folder DIR. With --name it creates a small run of five files, in DIR or in a new\n" +
			"folder named after the run. --in adds an example program in a programming language; --program uses a program that you have, and its\n" +
			"libraries decide how it is started and traced. Existing files are never overwritten.",
		Example: examples("pentode init --lang sprokit", "pentode init --name wave --in fortran"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			if name == "" {
				switch {
				case cmd.Flags().Changed("name"):
					return errors.New("--name is empty: give the name of the run")
				case program != "" || in != "":
					return errors.New("--program and --in need --name, the name of the run to create")
				case language != "" && filepath.Ext(dir) != "" && !isFolder(dir):
					return fmt.Errorf("`%s` looks like a file: give the folder for the new file, or nothing for the current folder", dir)
				case language != "":
					return a.initLanguage(language, dir)
				}
				return errors.New("give --name for a small run of five files, or --lang with the language of a first file")
			}
			if strings.HasPrefix(name, "-") {
				return fmt.Errorf("--name takes the name of a run, not `%s`", name)
			}
			if len(args) == 0 {
				dir = name
			}
			name = unfit().ReplaceAllString(filepath.Base(name), "_")
			switch {
			case language != "":
				return errors.New("--lang is the language of one file, and --name creates five files; --in is the programming language of a program")
			case in != "" && program != "":
				return errors.New("--in creates a program and --program names yours: give only one of them")
			case program != "":
				return a.initProgram(dir, name, program)
			case in != "":
				return a.initSource(dir, name, in)
			}
			return a.initRun(dir, name)
		},
	}
	cmd.Flags().StringVar(&language, "lang", "", "the `LANGUAGE` of the file: coil, paradyn, sprokit, pdi or pinsight")
	cmd.Flags().StringVar(&name, "name", "", "create a run of five files under this `NAME`; it checks clean and runs")
	cmd.Flags().StringVar(&program, "program", "", "your `PROGRAM`, which the run starts")
	cmd.Flags().StringVar(&in, "in", "", "create an example program in this programming `LANGUAGE`: "+strings.Join(programLanguages(), ", "))
	return cmd
}

func (a *app) initLanguage(name, dir string) error {
	languages, err := a.languages(&project.Project{})
	if err != nil {
		return err
	}
	l, err := lang.ByName(languages, name)
	if err != nil {
		if _, ok := sources[name]; ok {
			return fmt.Errorf("%w; --name NAME --in %s creates a run with an example program", err, name)
		}
		return err
	}
	files, err := starterFiles(l.Name, dir)
	if err != nil {
		return err
	}
	if err := a.create(files); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "next: pentode check %s\n", files[0].Path())
	return nil
}

// initRun writes a run.
func (a *app) initRun(dir, name string) error {
	files, err := starterFiles("run", dir)
	if err != nil {
		return err
	}
	for i, f := range files {
		files[i] = source.NewFile(filepath.Join(dir, name+filepath.Ext(f.Path())), starterName().ReplaceAllString(f.Text(), name+"$1"))
	}
	if err := a.createRun(dir, name, files); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "next: pentode check %[1]s, pentode graph %[1]s, pentode run %[1]s\n", launch.Quote(dir))
	return nil
}

// createRun writes the files of a run. Its target is this machine, without features
// that only some machines of its kind have.
func (a *app) createRun(dir, name string, files []*source.File) error {
	machines, err := a.machines()
	if err != nil {
		return err
	}
	t, err := a.detect(machines, 0)
	if err != nil {
		return err
	}
	t.Features = nil
	if err := a.layOut(files); err != nil {
		return err
	}
	text := coil.Write(t, "TARGET: what the programs of the run are built for.")
	return a.create(append(files, source.NewFile(filepath.Join(dir, name+".coilcfg"), text)))
}

// layOut formats the files, whose columns moved when the name of the run was filled in.
func (a *app) layOut(files []*source.File) error {
	languages, err := a.languages(&project.Project{})
	if err != nil {
		return err
	}
	plans, err := lang.ByName(languages, "paradyn")
	if err != nil {
		return err
	}
	for i, f := range files {
		if filepath.Ext(f.Path()) == ".psdl" {
			text, _ := plans.Parse(f).Format()
			files[i] = source.NewFile(f.Path(), text)
		}
	}
	return nil
}

// starterName matches the names by which the files of the run refer to each other.
var starterName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bsquares(\.(?:pipe|yml|pinsight|psdl))\b`) })

// unfit matches characters in a folder's name that are replaced in file names. The files can then
// refer to each other without quotes, and no file name looks like a flag.
var unfit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-|[^A-Za-z0-9_.-]+`) })

// starterFiles returns the files of a folder of starter, with their paths in dir.
func starterFiles(folder, dir string) ([]*source.File, error) {
	entries, err := starter.ReadDir("starter/" + folder)
	if err != nil {
		return nil, err
	}
	var files []*source.File
	for _, e := range entries {
		text, err := starter.ReadFile("starter/" + folder + "/" + e.Name())
		if err != nil {
			return nil, err
		}
		files = append(files, source.NewFile(filepath.Join(dir, e.Name()), string(text)))
	}
	return files, nil
}

// create writes new files and prints their names.
func (a *app) create(files []*source.File) error {
	if err := workspace.Create(files...); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintln(a.out, f.Path())
	}
	return nil
}

// sources are the programming languages of --in.
var sources = map[string]struct {
	ext      string
	compiler string // or interpreter
	variable string // the environment variable that names another compiler; empty: nothing is built
}{
	"c":       {".c", "cc", "CC"},
	"cxx":     {".cxx", "c++", "CXX"},
	"fortran": {".f90", "gfortran", "FC"},
	"python":  {".py", "python3", ""},
}

func programLanguages() []string { return slices.Sorted(maps.Keys(sources)) }

// initSource writes a run with an example program in a programming language.
func (a *app) initSource(dir, name, language string) error {
	l, ok := sources[language]
	if !ok {
		return fmt.Errorf("--in takes one of %s, not `%s`%s", strings.Join(programLanguages(), ", "), language, near(language, programLanguages()))
	}
	words := map[string]string{"COMMAND": "./" + name, "SOURCE": name + l.ext, "BUILD": buildLines}
	next := "sh " + launch.Quote(filepath.Join(dir, "build.sh")) + ", "
	if l.variable == "" {
		words["COMMAND"], words["BUILD"], next = l.compiler+" "+name+l.ext, "", ""
	}
	files, err := programFiles(dir, name, words, "run", "frames", language)
	if err != nil {
		return err
	}
	if err := a.createRun(dir, name, files); err != nil {
		return err
	}
	compiler := l.compiler
	if own := os.Getenv(l.variable); l.variable != "" && own != "" {
		compiler, _, _ = strings.Cut(own, " ")
	}
	if _, err := exec.LookPath(compiler); err != nil {
		fmt.Fprintf(a.err, "`%s` is not installed, and %s needs it\n", compiler, words["SOURCE"])
	}
	fmt.Fprintf(a.err, "next: %[2]spentode check %[1]s, pentode run %[1]s\n", launch.Quote(dir), next)
	return nil
}

// buildLines is the part of a README about building a compiled program.
const buildLines = "Build it, then check and run:\n\n```sh\nsh build.sh\n```\n"

// initProgram writes a run for a program of the user.
func (a *app) initProgram(dir, name, program string) error {
	command, err := commandFrom(dir, program)
	if err != nil {
		return err
	}
	linked, compiled := suite.Look(program)
	words := map[string]string{
		"SOURCE": program, "COMMAND": command,
		"DATA": "which of them are written to `" + name + ".json`", "KEPT": ", and `" + name + ".json`",
	}
	folder, found := "mine", []string{}
	if linked.PDI {
		folder, words["DATA"], words["KEPT"] = "exposes", "what your program exposes, and what of it is written", ""
		words["COMMAND"] += " " + name + ".yml"
		found = append(found, "It is linked with PDI, so its argument is `"+name+".yml`, and the log of the first run names the data that it exposes.")
	}
	if linked.MPI {
		words["COMMAND"] = mpirun(linked.MPICH) + " -n 4 " + words["COMMAND"]
		found = append(found, "It is linked with MPI, so the run starts four ranks of it.")
	}
	trace := ""
	if (linked.OpenMP || linked.MPI) && !linked.Static {
		words["COMMAND"] = "pentode trace record --policy " + name + ".pinsight -- " + words["COMMAND"]
		trace = traceOf(linked)
		found = append(found, "`pentode trace record` starts it, so `trace.json` has its events beside the events of the pipeline.")
	}
	switch {
	case linked.GNU && !linked.OpenMP:
		found = append(found, "Its OpenMP is GCC's, which has no interface for tools: build it with clang to trace its parallel regions.")
	case len(found) == 0 && compiled:
		found = append(found, "It is linked with neither OpenMP, MPI nor PDI: only the steps of the pipeline are traced.")
	case len(found) == 0:
		found = append(found, "It is not a compiled program, so its libraries are unknown: only the steps of the pipeline are traced.")
	}
	words["FOUND"] = strings.Join(found, " ")
	files, err := programFiles(dir, name, words, "run", "mine")
	if err == nil && folder != "mine" {
		var others []*source.File
		others, err = programFiles(dir, name, words, folder)
		files = slices.DeleteFunc(files, func(f *source.File) bool {
			return slices.ContainsFunc(others, func(o *source.File) bool { return o.Path() == f.Path() })
		})
		files = append(files, others...)
	}
	if err != nil {
		return err
	}
	for i, f := range files {
		if filepath.Ext(f.Path()) == ".pinsight" {
			files[i] = source.NewFile(f.Path(), f.Text()+trace)
		}
	}
	if err := a.createRun(dir, name, files); err != nil {
		return err
	}
	for _, line := range found {
		fmt.Fprintln(a.err, line)
	}
	fmt.Fprintf(a.err, "next: pentode check %[1]s, pentode run %[1]s\n", launch.Quote(dir))
	return nil
}

// commandFrom returns the command that starts a program from a folder. A Python file that is
// not executable is passed to the interpreter.
func commandFrom(dir, program string) (string, error) {
	info, err := os.Stat(program)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no program `%s`", program)
	case err != nil || info.IsDir():
		return "", fmt.Errorf("`%s` is not a program", program)
	}
	full, err := filepath.Abs(program)
	if err != nil {
		return "", errors.New("the working directory is not there any more")
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", errors.New("the working directory is not there any more")
	}
	path, err := filepath.Rel(from, full)
	if err != nil {
		path = full
	}
	if filepath.Base(path) == path {
		path = "./" + path
	}
	quoted := path
	if strings.ContainsAny(path, " \t'") {
		quoted = `"` + path + `"`
	}
	switch {
	case strings.ContainsAny(path, "\"$\n"):
		return "", fmt.Errorf("the name `%s` has a character that a pipeline cannot write; rename the program", program)
	case info.Mode()&0o111 != 0:
		return quoted, nil
	case filepath.Ext(path) == ".py":
		return "python3 " + quoted, nil
	}
	return "", fmt.Errorf("the file `%s` is not executable; `chmod +x` makes it so", program)
}

// mpirun returns the launcher of one MPI implementation, since several may be installed.
func mpirun(mpich bool) string {
	name := "mpirun.openmpi"
	if mpich {
		name = "mpirun.mpich"
	}
	if _, err := exec.LookPath(name); err != nil {
		return "mpirun"
	}
	return name
}

// traceOf returns the trace configuration for a program.
func traceOf(l suite.Runtimes) string {
	var b strings.Builder
	if l.OpenMP {
		b.WriteString("\n# The program: where its threads begin and end to work together.\n[OpenMP.default]\n    omp_parallel_begin = on\n    omp_parallel_end = on\n")
	}
	if l.MPI {
		b.WriteString("\n# The program: messages between its ranks. `pentode schema --format markdown pinsight` lists all calls.\n[MPI.default]\n    MPI_Send = on\n    MPI_Recv = on\n    MPI_Allreduce = on\n    MPI_Barrier = on\n")
	}
	if l.OpenMP {
		for _, name := range l.Parallel {
			fmt.Fprintf(&b, "\n# All parallel regions of one function.\n[Lexgion(%s)] : OpenMP.default\n    tracing_rate = 1\n", name)
		}
	}
	return b.String()
}

// programFiles returns the files of folders of starter/program. It replaces each word such as @NAME@
// by its value, and renames `run.EXT` after the run.
func programFiles(dir, name string, words map[string]string, folders ...string) ([]*source.File, error) {
	pairs := []string{"@NAME@", name}
	for word, value := range words {
		pairs = append(pairs, "@"+word+"@", value)
	}
	filled := strings.NewReplacer(pairs...)
	var files []*source.File
	for _, folder := range folders {
		list, err := starterFiles("program/"+folder, dir)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			base := filepath.Base(f.Path())
			if ext, ok := strings.CutPrefix(base, "run."); ok {
				base = name + "." + ext
			}
			files = append(files, source.NewFile(filepath.Join(dir, base), filled.Replace(f.Text())))
		}
	}
	return files, nil
}
