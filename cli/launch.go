package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/workspace/project"
)

func (a *app) launchVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "launch plan|list|status|logs|attach|stop|restart|signal|prune|collect",
		Short:   "Show what a run would start, and steer one that goes on",
		Example: examples("pentode launch plan examples/heat/heat.psdl", "pentode launch stop"),
	}
	cmd.AddCommand(a.launchPlanVerb(), a.launchListVerb(), a.launchStatusVerb(), a.launchLogsVerb(), a.launchAttachVerb(), a.launchStopVerb(),
		a.launchRestartVerb(), a.launchSignalVerb(), a.launchPruneVerb(), a.launchCollectVerb(), a.launchGuardVerb())
	return cmd
}

func (a *app) launchPlanVerb() *cobra.Command {
	var format string
	var flags planFlags
	cmd := &cobra.Command{
		Use:     "plan [FILE...]",
		Short:   "Show exactly what would be started, in order; nothing is",
		Example: examples("pentode launch plan examples/heat/heat.psdl", "pentode launch plan --format json --map localhost=node1 examples/heat/heat.psdl"),
		RunE: func(_ *cobra.Command, paths []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("--format takes text or json, not `%s`", format)
			}
			if a.files.lang == "" {
				a.files.lang = "paradyn"
			}
			w, err := a.workspace()
			if err != nil {
				return err
			}
			docs, problems, err := a.documents(w, paths)
			if err != nil {
				return err
			}
			if len(paths) == 0 {
				a.sayFound(docs)
			}
			c := w.Layers(docs)
			found := c.Diagnostics()
			a.say(append(problems, found...))
			plan, err := a.launchPlan(c, &flags, nil)
			if err != nil {
				return err
			}
			write := plan.WriteText
			if format == "json" {
				write = plan.WriteJSON
			}
			if err := write(a.out); err != nil {
				return err
			}
			if found.HasErrors() {
				return exitCode(exitNo)
			}
			return nil
		},
	}
	flags.flags(cmd.Flags())
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	return a.reads(cmd, "paradyn")
}

// planFlags are what a plan depends on besides its file.
type planFlags struct {
	visis, maps, flavors     []string
	ready, launcher, restart string
	remoteDir                string
	noSplit                  bool
}

func (p *planFlags) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&p.visis, "visi", nil, "launch: start a visualisation, by `NAME`, or all (repeatable)")
	f.StringArrayVar(&p.maps, "map", nil, "launch: use another host: `A=B` (repeatable)")
	f.StringVar(&p.ready, "ready", "", "launch: when a daemon is ready: `line:REGEXP|tcp:PORT|exec:COMMAND|alive:DURATION|none`")
	f.StringVar(&p.launcher, "launcher", "ssh", "launch: how other machines are reached: `local|ssh|srun` or a template such as 'rsh {host} {argv:q}'")
	f.StringArrayVar(&p.flavors, "flavor", nil, "launch: how programs of a flavor are started: `FLAVOR=LAUNCHER` (repeatable)")
	f.StringVar(&p.restart, "restart", "no", "launch: start programs again: `no|on-failure[:N]|always[:N]`")
	f.StringVar(&p.remoteDir, "remote-dir", "", "launch: the `DIR` where programs on other machines start (default the login directory; of Slurm this one)")
	f.BoolVar(&p.noSplit, "no-split", false, "launch: a daemon's command is one word, as it was in 1994")
}

func (p *planFlags) options() (launch.Options, error) {
	o := launch.Options{Visis: p.visis, Map: map[string]string{}, Flavors: map[string]launch.Starter{}, NoSplit: p.noSplit}
	var err error
	if o.Ready, err = launch.ParseReady(p.ready); err != nil {
		return o, fmt.Errorf("--ready: %w", err)
	}
	if o.Restart, err = launch.ParseRestart(p.restart); err != nil {
		return o, fmt.Errorf("--restart: %w", err)
	}
	shell, err := launch.Split(os.Getenv("PARADYN_RSH"))
	if err != nil {
		return o, fmt.Errorf("PARADYN_RSH: %w", err)
	}
	if o.Remote, err = launch.ParseLauncher(p.launcher, shell); err != nil {
		return o, fmt.Errorf("--launcher: %w", err)
	}
	for _, m := range p.maps {
		from, to, ok := strings.Cut(m, "=")
		if !ok || from == "" || to == "" {
			return o, fmt.Errorf("--map takes A=B, not `%s`", m)
		}
		o.Map[from] = to
	}
	for _, f := range p.flavors {
		flavor, launcher, ok := strings.Cut(f, "=")
		if !ok || !slices.Contains(paradyn.Flavors(), flavor) {
			return o, fmt.Errorf("--flavor takes FLAVOR=LAUNCHER with the flavor %s, not `%s`", strings.Join(paradyn.Flavors(), " or "), f)
		}
		if o.Flavors[flavor], err = launch.ParseLauncher(launcher, shell); err != nil {
			return o, fmt.Errorf("--flavor: %w", err)
		}
	}
	if o.Dir, err = os.Getwd(); err != nil {
		return o, errors.New("the working directory is not there any more")
	}
	o.RemoteDir = p.remoteDir
	if _, slurm := o.Remote.(launch.Srun); slurm {
		if o.Nodes, err = launch.Allocation(os.Getenv); err != nil {
			return o, err
		}
	}
	if self, err := os.Executable(); err == nil {
		o.Self = self
	}
	return o, nil
}

// launchPlan makes the plan of a configuration and reports what keeps it from being started.
func (a *app) launchPlan(c *lang.Config, flags *planFlags, more func(*launch.Options)) (*launch.Plan, error) {
	o, err := flags.options()
	if err != nil {
		return nil, err
	}
	if more != nil {
		more(&o)
	}
	if _, slurm := o.Remote.(launch.Srun); slurm && o.RemoteDir == "" {
		o.RemoteDir = o.Dir // the nodes of a cluster see the same files
	}
	m, ok := lang.Model[*paradyn.Model](c)
	if !ok {
		return nil, fmt.Errorf("`%s` is %s, and only Paradyn files are launched", c.Document.File.Path(), c.Document.Language.Title)
	}
	decls, err := m.Decls()
	if err != nil {
		return nil, err
	}
	plan, problems := launch.NewPlan(decls, o)
	found := paradyn.Diagnose(problems)
	a.say(found)
	if found.HasErrors() {
		return nil, exitCode(exitNo)
	}
	if err := a.ownWays(c, plan, flags); err != nil {
		return nil, err
	}
	if len(plan.Nodes) == 0 {
		fmt.Fprintln(a.err, "there is nothing to start: no daemon, no process, no visualisation")
	}
	return plan, nil
}

// ownWays gives programs of a plan what the project file says for them: when
// they are ready, and when they are started again. Flags win over it.
func (a *app) ownWays(c *lang.Config, plan *launch.Plan, flags *planFlags) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	p := w.Project(c.Document.File.Path())
	for _, n := range plan.Nodes {
		name := cmp.Or(n.Name, n.ID)
		if text, ok := p.Ready[name]; ok && flags.ready == "" {
			if n.Ready, err = launch.ParseReady(text); err != nil {
				return fmt.Errorf("%s: ready.%s: %w", project.FileName, name, err)
			}
		}
		if text, ok := p.Restart[name]; ok && flags.restart == "no" {
			if n.Restart, err = launch.ParseRestart(text); err != nil {
				return fmt.Errorf("%s: restart.%s: %w", project.FileName, name, err)
			}
		}
	}
	return nil
}
