package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

// A runner does what the files of one language say.
type runner interface {
	flags(*pflag.FlagSet)
	run(*workspace.Workspace, *lang.Config) error
}

// runners are the languages that can be run, by name.
func (a *app) runners() map[string]runner {
	return map[string]runner{"sprokit": &pipeRun{app: a}}
}

func (a *app) runVerb() *cobra.Command {
	runners := a.runners()
	own := map[string]map[string]bool{} // flags of each language
	cmd := &cobra.Command{
		Use:     "run PATH",
		Short:   "Do what a file says",
		Long:    "Runs a pipeline. Ctrl-C once stops it in good order, twice at once.\nExit: 0 finished, 1 failed, 130 interrupted.",
		Example: examples("pentode run --stats examples/numbers/squares.pipe", "pentode run --scheduler sync --trace out.json detect.pipe"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if len(paths) == 1 && isFolder(paths[0]) {
				return fmt.Errorf("`%s` is a folder; give the file in it that shall be run", paths[0])
			}
			w, err := a.workspace()
			if err != nil {
				return err
			}
			config, problems, err := a.config(w, paths)
			if err != nil {
				return err
			}
			a.say(problems)
			l := config.Document.Language
			r := runners[l.Name]
			if r == nil {
				return fmt.Errorf("%s files are not run by themselves; those of %s are", l.Title, strings.Join(slices.Sorted(maps.Keys(runners)), ", "))
			}
			if err := foreign(cmd, own, l); err != nil {
				return err
			}
			return r.run(w, config)
		},
	}
	for name, r := range runners {
		set := pflag.NewFlagSet(name, pflag.ContinueOnError)
		r.flags(set)
		own[name] = map[string]bool{}
		set.VisitAll(func(f *pflag.Flag) { own[name][f.Name] = true })
		cmd.Flags().AddFlagSet(set)
	}
	return a.reads(cmd)
}

// foreign refuses a flag that another language's run takes.
func foreign(cmd *cobra.Command, own map[string]map[string]bool, l *lang.Language) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for name, flags := range own {
			if flags[f.Name] && !own[l.Name][f.Name] && err == nil {
				err = fmt.Errorf("--%s is for %s files, not for those of %s", f.Name, name, l.Title)
			}
		}
	})
	return err
}
