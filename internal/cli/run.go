package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

// runner runs the files of one language.
type runner interface {
	flags(*pflag.FlagSet)
	run(a *app, job runJob) error
}

// runJob is what is to be run.
type runJob struct {
	workspace *workspace.Workspace
	config    *lang.Config
	layers    []*lang.Document // the files it was read from
	searched  bool             // nobody named them
}

func (a *app) runVerb() *cobra.Command {
	runners := map[string]runner{
		"paradyn": &psdlRun{},
		"sprokit": &pipeRun{},
	}
	flags := map[string]*pflag.FlagSet{}
	cmd := &cobra.Command{
		Use:   "run PATH",
		Short: "Do what a file says",
		Long: "Starts the programs of a launch file, or runs a pipeline. Ctrl-C once stops a run in good order, twice at once.\n" +
			"Exit of a pipeline: 0 finished, 1 failed, 130 interrupted; of a launch: the code of the first program that failed.",
		Example: examples("pentode run --stats examples/numbers/squares.pipe", "pentode run --ready 'line:listening' --grace 5s sample.psdl"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			for _, path := range paths {
				if isFolder(path) {
					return fmt.Errorf("`%s` is a folder; give the file to run", path)
				}
			}
			return a.run(runners, paths, func(l *lang.Language) error { return foreign(cmd, flags, l) })
		},
	}
	for name, r := range runners {
		flags[name] = pflag.NewFlagSet(name, pflag.ContinueOnError)
		r.flags(flags[name])
		cmd.Flags().AddFlagSet(flags[name])
	}
	return a.reads(cmd)
}

// foreign refuses a flag that only the runs of another language have.
func foreign(cmd *cobra.Command, flags map[string]*pflag.FlagSet, l *lang.Language) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for name, set := range flags {
			if err == nil && set.Lookup(f.Name) != nil && flags[l.Name].Lookup(f.Name) == nil {
				err = fmt.Errorf("--%s is for runs of %s files, not of %s files", f.Name, name, l.Name)
			}
		}
	})
	return err
}

// run finds out what the paths are and hands them to their language.
func (a *app) run(runners map[string]runner, paths []string, fits func(*lang.Language) error) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	if len(paths) == 0 && w.Force == nil {
		return errors.New("give the file to run, or --lang paradyn to search for it")
	}
	docs, problems, err := a.documents(w, paths)
	if err != nil {
		return err
	}
	a.say(problems)
	c := w.Layers(docs)
	l := c.Document.Language
	r := runners[l.Name]
	if r == nil {
		var names []string
		for name := range runners {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("%s files cannot be run; those of %s can", l.Title, strings.Join(names, ", "))
	}
	if err := fits(l); err != nil {
		return err
	}
	return r.run(a, runJob{w, c, docs, len(paths) == 0})
}
