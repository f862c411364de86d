package cli

import (
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// starter has a folder with the first file of each language, one with those of a run,
// and in `program` those of runs with a program of the user.
//
//go:embed starter
var starter embed.FS

func (a *app) initVerb() *cobra.Command {
	var language, program string
	var run bool
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a commented first file of a language, or a small run of five files",
		Long: "Writes a commented first file of a language, or a small run of five files. With a programming language (" + strings.Join(programLanguages(), ", ") + ") the run has a program in it, " +
			"and with --program the one that you have: what it is linked with decides how it is started and traced.",
		Example: examples("pentode init --lang sprokit", "pentode init --run wave --lang fortran"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			switch {
			case run && language != "" && program != "":
				return errors.New("--lang writes a program and --program names yours; give one of the two")
			case run && program != "":
				return a.initProgram(dir, program)
			case run && language != "":
				return a.initSource(dir, language)
			case run:
				return a.initRun(dir)
			case program != "":
				return errors.New("--program belongs to --run, which writes the files around it")
			case language != "":
				return a.initLanguage(language, dir)
			}
			return errors.New("give --run for a small run of five files, or --lang with the language of a first file")
		},
	}
	cmd.Flags().StringVar(&language, "lang", "", "the `LANGUAGE` of the file; with --run that of the program")
	cmd.Flags().BoolVar(&run, "run", false, "a run of five files that checks clean and runs")
	cmd.Flags().StringVar(&program, "program", "", "the `PROGRAM` that the run is for")
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
			return fmt.Errorf("%w; --run --lang %s writes a run with a program in it", err, name)
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

// initRun writes a run whose files are called like its folder.
func (a *app) initRun(dir string) error {
	files, err := starterFiles("run", dir)
	if err != nil {
		return err
	}
	name, err := runName(dir)
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

// runName is what the files of a run are called: its folder.
func runName(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", errors.New("the working directory is not there any more")
	}
	return unfit().ReplaceAllString(filepath.Base(full), "_"), nil
}

// createRun writes the files of a run, and its target: the machine it is written on,
// without what only some machines of its kind have.
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

// layOut formats what the name of the run has made longer.
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

// starterName finds the names that the files of the run have for each other.
var starterName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bsquares(\.(?:pipe|yml|pinsight|psdl))\b`) })

// unfit are the letters of a folder's name that the files in it do without, so that each
// can name the others without quotes, and no program takes one for a flag.
var unfit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-|[^A-Za-z0-9_.-]+`) })

// starterFiles are the files of a folder of starter, as they will lie in dir.
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

// create writes new files and names them.
func (a *app) create(files []*source.File) error {
	if err := workspace.Create(files...); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintln(a.out, f.Path())
	}
	return nil
}
