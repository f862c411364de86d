package cli

import (
	"errors"
	"fmt"
	"maps"
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
	searched  bool             // found by the search, not given
}

func (a *app) runVerb() *cobra.Command {
	pipe := &pipeRun{}
	psdl := &psdlRun{pipe: pipe}
	runners := map[string]runner{"sprokit": pipe, "paradyn": psdl}
	own := map[string]map[string]bool{} // flags of each language
	var watch bool
	cmd := &cobra.Command{
		Use:   "run PATH",
		Short: "Do what a file or a run folder says",
		Long: "Runs a pipeline, starts the programs of a launch file, or does all that the files of a folder say.\n" +
			"Ctrl-C once stops in good order, twice at once.\n" +
			"Exit: 0 finished, 1 failed, 130 interrupted; of launched programs the code of the first that failed.",
		Example: examples("pentode run examples/heat", "pentode run --stats examples/heat/heat.pipe"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			if len(paths) == 1 && isFolder(paths[0]) {
				if psdl.detach {
					return a.detach()
				}
				return a.runFolder(w, paths[0], pipe, psdl, func(l *lang.Language) error { return foreign(cmd, own, l, append(forFolders, forPlans...)...) })
			}
			job, err := a.job(w, paths)
			if err != nil {
				return err
			}
			l := job.config.Document.Language
			r := runners[l.Name]
			if r == nil {
				return fmt.Errorf("%s files are not run by themselves; those of %s are", l.Title, strings.Join(slices.Sorted(maps.Keys(runners)), ", "))
			}
			if err := foreign(cmd, own, l, forPlans...); err != nil {
				return err
			}
			if watch {
				return a.rerun(paths)
			}
			if psdl.detach {
				return a.detach()
			}
			return r.run(a, job)
		},
	}
	for name, r := range runners {
		set := pflag.NewFlagSet(name, pflag.ContinueOnError)
		r.flags(set)
		own[name] = map[string]bool{}
		set.VisitAll(func(f *pflag.Flag) { own[name][f.Name] = true })
		cmd.Flags().AddFlagSet(set)
	}
	watchFlag(cmd, &watch)
	return a.reads(cmd)
}

// job finds out what the paths are.
func (a *app) job(w *workspace.Workspace, paths []string) (runJob, error) {
	if len(paths) == 0 && w.Force == nil {
		return runJob{}, errors.New("give the file to run, or --lang paradyn to search for it")
	}
	for _, path := range paths {
		if isFolder(path) {
			return runJob{}, fmt.Errorf("`%s` is a folder; give it alone", path)
		}
	}
	docs, problems, err := a.documents(w, paths)
	if err != nil {
		return runJob{}, err
	}
	a.say(problems)
	return runJob{w, w.Layers(docs), docs, len(paths) == 0}, nil
}

// forFolders are the flags of pipelines that a folder takes whatever is started in it.
var forFolders = []string{"out", "allow-outside", "dry-run"}

// forPlans are the flags of pipelines that a plan takes for the sites that it starts.
var forPlans = []string{"stats", "sites"}

// foreign refuses a flag that another language's run takes, but for allowed ones.
func foreign(cmd *cobra.Command, own map[string]map[string]bool, l *lang.Language, allowed ...string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(allowed, f.Name) {
			return
		}
		for name, flags := range own {
			if flags[f.Name] && !own[l.Name][f.Name] && err == nil {
				err = fmt.Errorf("--%s is for %s files, not for those of %s", f.Name, name, l.Title)
			}
		}
	})
	return err
}
