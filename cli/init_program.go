package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/suite"
)

// sources are the programming languages that init writes a program in.
var sources = map[string]struct {
	ext      string
	compiler string // or interpreter
	variable string // that names another one; empty: there is none, and nothing to build
}{
	"c":       {".c", "cc", "CC"},
	"cxx":     {".cxx", "c++", "CXX"},
	"fortran": {".f90", "gfortran", "FC"},
	"python":  {".py", "python3", ""},
}

func programLanguages() []string { return slices.Sorted(maps.Keys(sources)) }

// initSource writes a run with a program in a programming language.
func (a *app) initSource(dir, language string) error {
	l, ok := sources[language]
	if !ok {
		return fmt.Errorf("a program is written in one of %s, not in `%s`%s", strings.Join(programLanguages(), ", "), language, near(language, programLanguages()))
	}
	name, err := runName(dir)
	if err != nil {
		return err
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

// buildLines is what a README says of a program that is compiled.
const buildLines = "Build it, then check and run:\n\n```sh\nsh build.sh\n```\n"

// initProgram writes a run for a program of the user.
func (a *app) initProgram(dir, program string) error {
	name, err := runName(dir)
	if err != nil {
		return err
	}
	command, err := commandFrom(dir, program)
	if err != nil {
		return err
	}
	linked, compiled := suite.Look(program)
	words := map[string]string{
		"SOURCE": program, "COMMAND": command,
		"DATA": "what is written of them to `" + name + ".json`", "KEPT": ", and `" + name + ".json`",
	}
	folder, found := "mine", []string{}
	if linked.PDI {
		folder, words["DATA"], words["KEPT"] = "exposes", "what your program exposes, and what is written of it", ""
		words["COMMAND"] += " " + name + ".yml"
		found = append(found, "It is linked with PDI, so it is given `"+name+".yml` as its argument, and the log of the first run names what it exposes.")
	}
	if linked.MPI {
		words["COMMAND"] = mpirun(linked.MPICH) + " -n 4 " + words["COMMAND"]
		found = append(found, "It is linked with MPI, so four ranks of it are started.")
	}
	trace := ""
	if (linked.OpenMP || linked.MPI) && !linked.Static {
		words["COMMAND"] = "pentode trace run --config " + name + ".pinsight -- " + words["COMMAND"]
		trace = traceOf(linked)
		found = append(found, "It is started by `pentode trace run`, and its events are in `trace.json` beside those of the pipeline.")
	}
	switch {
	case linked.GNU && !linked.OpenMP:
		found = append(found, "Its OpenMP is GCC's, which has no interface for tools: build it with clang to trace its parallel regions.")
	case len(found) == 0 && compiled:
		found = append(found, "It is linked with neither OpenMP, MPI nor PDI: the steps of the pipeline are traced.")
	case len(found) == 0:
		found = append(found, "It is not a compiled program: what it uses is not known, and the steps of the pipeline are traced.")
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

// commandFrom is how a program is started in a folder. A Python program that may not be
// executed is given to its interpreter.
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
		return "", fmt.Errorf("the name `%s` has a letter that a pipeline cannot write; give the program another one", program)
	case info.Mode()&0o111 != 0:
		return quoted, nil
	case filepath.Ext(path) == ".py":
		return "python3 " + quoted, nil
	}
	return "", fmt.Errorf("the file `%s` may not be executed; `chmod +x` lets it", program)
}

// mpirun is the launcher of an MPI where several can be installed.
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

// traceOf is what of a program is traced.
func traceOf(l suite.Runtimes) string {
	var b strings.Builder
	if l.OpenMP {
		b.WriteString("\n# Of the program: where its threads begin and end to work together.\n[OpenMP.default]\n    omp_parallel_begin = on\n    omp_parallel_end = on\n")
	}
	if l.MPI {
		b.WriteString("\n# Of the program: what its ranks tell each other. `pentode docs pinsight` lists all calls.\n[MPI.default]\n    MPI_Send = on\n    MPI_Recv = on\n    MPI_Allreduce = on\n    MPI_Barrier = on\n")
	}
	if l.OpenMP {
		for _, name := range l.Parallel {
			fmt.Fprintf(&b, "\n# The parallel regions of one function: all of them.\n[Lexgion(%s)] : OpenMP.default\n    tracing_rate = 1\n", name)
		}
	}
	return b.String()
}

// programFiles are the files of folders of starter/program. In them a word such as @NAME@
// stands for its value, and a file `run.EXT` is called like the run.
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
