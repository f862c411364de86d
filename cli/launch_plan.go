package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) launchPlanVerb() *cobra.Command {
	var format string
	var flags planFlags
	cmd := &cobra.Command{
		Use:     "plan [FILE...]",
		Short:   "Show exactly what would be started, in order; nothing is",
		Example: examples("pentode launch plan examples/heat/heat.psdl", "pentode launch plan --format json --map localhost=node1 examples/heat/heat.psdl"),
		RunE: func(_ *cobra.Command, paths []string) error {
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
			o := runs.Options{Workspace: w, Program: a.program(), Events: func(e runs.Event) {
				if e, ok := e.(runs.Found); ok {
					a.say(e.Findings)
				}
			}}
			if err := flags.fill(&o.Plan); err != nil {
				return err
			}
			plan, err := runs.NewPlan(c, o)
			if refused := (*runs.Refusal)(nil); errors.As(err, &refused) {
				said := workspace.Unique(found)
				a.say(workspace.Unique(append(said[:len(said):len(said)], refused.Findings...))[len(said):])
				return exitCode(exitNo)
			}
			if err != nil {
				return a.notRun(err)
			}
			write := plan.WriteText
			if format == "json" {
				write = plan.WriteJSON
			}
			if err := a.writePlan(plan, write); err != nil {
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
	within                   time.Duration
	noSplit                  bool
}

func (p *planFlags) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&p.visis, "visi", nil, "launch: start a visualisation, by `NAME`, or all (repeatable)")
	f.StringArrayVar(&p.maps, "map", nil, "launch: use another host: `A=B` (repeatable)")
	f.StringVar(&p.ready, "ready", "", "launch: when a daemon is ready: `line:REGEXP|tcp:PORT|http:PORT/PATH|exec:COMMAND|alive:DURATION|none`")
	f.DurationVar(&p.within, "ready-within", 0, "launch: how long a daemon may take to be ready, a `DURATION` (default 30s)")
	f.StringVar(&p.launcher, "launcher", "ssh", "launch: how other machines are reached: `local|ssh|srun|TEMPLATE`, which is a command such as 'rsh {host} {argv:q}'")
	f.StringArrayVar(&p.flavors, "flavor", nil, "launch: how programs of a flavor are started: `FLAVOR=LAUNCHER` (repeatable)")
	f.StringVar(&p.restart, "restart", "no", "launch: start programs again: `no|on-failure[:N]|always[:N]`")
	f.StringVar(&p.remoteDir, "remote-dir", "", "launch: the `DIR` where programs on other machines start (default the login directory; of Slurm this one)")
	f.BoolVar(&p.noSplit, "no-split", false, "launch: a daemon's command is one word, as it was in 1994")
}

// fill writes what the flags say into the options of a plan.
func (p *planFlags) fill(plan *runs.PlanOptions) (err error) {
	plan.Launch, err = p.options()
	return err
}

func (p *planFlags) options() (launch.Options, error) {
	o := launch.Options{Visis: p.visis, Map: map[string]string{}, Flavors: map[string]launch.Starter{}, NoSplit: p.noSplit, RemoteDir: p.remoteDir}
	var err error
	if o.Ready, err = launch.ParseReady(p.ready); err != nil {
		return o, fmt.Errorf("--ready: %w", err)
	}
	if p.within < 0 {
		return o, fmt.Errorf("--ready-within takes a duration above zero, not `%s`", p.within)
	}
	o.Ready.Timeout = p.within
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
	if _, slurm := o.Remote.(launch.Srun); slurm {
		if o.Nodes, err = launch.Allocation(os.Getenv); err != nil {
			return o, err
		}
	}
	return o, nil
}

// writePlan prints a plan.
func (a *app) writePlan(plan *launch.Plan, write func(io.Writer) error) error {
	if len(plan.Nodes) == 0 {
		a.sayNothing()
	}
	return write(a.out)
}

func (a *app) sayNothing() {
	fmt.Fprintln(a.err, "there is nothing to start: no daemon, no process, no visualisation")
}

// sayFound names the files that the search found.
func (a *app) sayFound(layers []*lang.Document) {
	var names []string
	for _, d := range layers {
		names = append(names, d.File.Path())
	}
	fmt.Fprintf(a.err, "found by the search: %s\n", strings.Join(names, ", "))
}
