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
	}
	cmd := &cobra.Command{
		Use:     "run PATH",
		Short:   "Do what a file says",
		Example: examples("pentode run sample.psdl", "pentode run --ready 'line:listening' --grace 5s sample.psdl"),
		RunE: func(_ *cobra.Command, paths []string) error {
			for _, path := range paths {
				if isFolder(path) {
					return fmt.Errorf("`%s` is a folder; give the file to run", path)
				}
			}
			return a.run(runners, paths)
		},
	}
	for _, r := range runners {
		r.flags(cmd.Flags())
	}
	return a.reads(cmd)
}

// run finds out what the paths are and hands them to their language.
func (a *app) run(runners map[string]runner, paths []string) error {
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
	return r.run(a, runJob{w, c, docs, len(paths) == 0})
}
