package cli

import (
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// starter has a folder with the first file of each language, and one with those
// of a run.
//
//go:embed starter
var starter embed.FS

func (a *app) initVerb() *cobra.Command {
	var language string
	var run bool
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a commented first file of a language, or a small run of five files",
		Example: examples("pentode init --lang sprokit",
			"pentode init --run squares"),
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			switch {
			case run && language != "":
				return errors.New("--lang writes one file and --run five; give one of the two")
			case run:
				return a.initRun(dir)
			case language != "":
				return a.initLanguage(language, dir)
			}
			return errors.New("give --run for a small run of five files, or --lang with the language of a first file")
		},
	}
	cmd.Flags().StringVar(&language, "lang", "", "the `LANGUAGE` of the file")
	cmd.Flags().BoolVar(&run, "run", false, "a run of five files that checks clean and runs")
	return cmd
}

func (a *app) initLanguage(name, dir string) error {
	languages, err := a.languages(&project.Project{})
	if err != nil {
		return err
	}
	l, err := lang.ByName(languages, name)
	if err != nil {
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

// initRun writes the run, whose files are called like its folder. Its target is the
// machine it is written on, without what only some machines of its kind have.
func (a *app) initRun(dir string) error {
	files, err := starterFiles("run", dir)
	if err != nil {
		return err
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return errors.New("the working directory is not there any more")
	}
	name := unfit().ReplaceAllString(filepath.Base(full), "_")
	for i, f := range files {
		files[i] = source.NewFile(filepath.Join(dir, name+filepath.Ext(f.Path())), starterName().ReplaceAllString(f.Text(), name+"$1"))
	}
	machines, err := a.machines()
	if err != nil {
		return err
	}
	t, err := a.detect(machines, 0)
	if err != nil {
		return err
	}
	t.Features = nil
	text := coil.Write(t, "TARGET: what the programs of the run are built for.")
	if err := a.create(append(files, source.NewFile(filepath.Join(dir, name+".coilcfg"), text))); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "next: pentode check %[1]s, pentode graph %[1]s, pentode run %[1]s\n", dir)
	return nil
}

// starterName finds the names that the files of the run have for each other.
var starterName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bsquares(\.(?:pipe|yml|pinsight|psdl))\b`) })

// unfit are the letters of a folder's name that the files in it do without, so that each
// can name the others without quotes.
var unfit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_.-]+`) })

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
