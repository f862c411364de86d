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
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/workspace"
)

// runJob is what is to be run.
type runJob struct {
	workspace *workspace.Workspace
	config    *lang.Config
	layers    []*lang.Document // the files it was read from
	searched  bool             // found by the search, not given
}

func (a *app) runVerb() *cobra.Command {
	pipe, psdl := &pipeFlags{}, &psdlFlags{}
	flags := map[string]func(*pflag.FlagSet){"sprokit": pipe.flags, "paradyn": psdl.flags}
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
			takes := func(l *lang.Language, allowed ...string) error {
				return foreign(cmd, own, l, append(allowed, forPlans...)...)
			}
			if len(paths) == 1 && isFolder(paths[0]) {
				if psdl.detach {
					return a.detach()
				}
				return a.runFolder(w, paths[0], pipe, psdl, takes)
			}
			job, err := a.job(w, paths)
			if err != nil {
				return err
			}
			l := job.config.Document.Language
			if flags[l.Name] == nil {
				return fmt.Errorf("%s files are not run by themselves; those of %s are", l.Title, strings.Join(slices.Sorted(maps.Keys(flags)), ", "))
			}
			if err := takes(l); err != nil {
				return err
			}
			if watch {
				return a.rerun(paths)
			}
			if psdl.detach {
				return a.detach()
			}
			return a.runFile(job, paths, pipe, psdl)
		},
	}
	for name, add := range flags {
		set := pflag.NewFlagSet(name, pflag.ContinueOnError)
		add(set)
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

// runFile runs a pipeline, or starts the programs of a launch file.
func (a *app) runFile(job runJob, paths []string, pipe *pipeFlags, psdl *psdlFlags) error {
	if job.searched {
		if err := a.permit(job.workspace, job.layers, psdl.yes); err != nil {
			return err
		}
	}
	v := newRunView(a, job.config.Document.File.Path(), pipe.stats)
	defer v.close()
	o, err := v.runOptions(job.workspace, pipe, psdl)
	if err != nil {
		return err
	}
	o.Record = a.recording(paths...)
	if job.config.Document.Language.Name == "paradyn" {
		r, err := runs.Plan(v.ctx, job.config, o)
		v.close()
		return a.planResult(r, err)
	}
	if pipe.dryRun {
		plan, opt, err := runs.PlanPipeline(job.config, o)
		if err != nil {
			return a.notRun(err)
		}
		return a.pipelinePlan(plan, opt)
	}
	r, err := runs.Pipeline(v.ctx, job.config, o)
	v.close()
	return v.pipelineEnded(r, err)
}

// detach runs this command in the background. Standard output gets the name of the
// run alone, for scripts.
func (a *app) detach() error {
	run, code, err := runs.Detach(a.program(), a.err)
	switch {
	case err != nil:
		return err
	case code != 0:
		return exitCode(code)
	case run == "": // it has ended well before it began
		return nil
	}
	fmt.Fprintf(a.err, "run %s goes on; `pentode launch attach %[1]s` shows it, `pentode launch stop %[1]s` ends it\n", run)
	_, err = fmt.Fprintln(a.out, run)
	return err
}

// forPlans are the flags of pipelines that a plan takes for the sites that it starts.
var forPlans = []string{"stats", "sites", "no-seal"}

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
