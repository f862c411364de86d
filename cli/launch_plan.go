package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/collect"
	"github.com/pentode-dev/pentode/run/launch/slurm"
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

// submitFlags are the flags of `launch submit` that `run` does not have, or not with this meaning.
type submitFlags struct {
	slurm, print, detach bool
	follow               string
}

func (a *app) launchSubmitVerb() *cobra.Command {
	var flags submitFlags
	var psdl psdlFlags
	cmd := &cobra.Command{
		Use:   "submit --slurm FILE...",
		Short: "Run a launch plan as a job of a batch system",
		Long: "Submits a job in which `pentode run` starts the plan on the machines of the job, each program as a step of it. Nodes, tasks, time, array and other options of\n" +
			"the job stand in `[launch]` of pentode.toml. Shows what the job writes until it is over, and then takes its logs over, for `launch logs` and `launch status`.\n" +
			"Ctrl-C leaves the job alone. Exit: as the job ended; of an array the largest code; 124 where it took longer than it may.",
		Example: examples("pentode launch submit --slurm --print examples/heat/heat.psdl", "pentode launch submit --slurm --print --keep-going examples/heat/heat.psdl > heat.sh"),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			switch {
			case !flags.slurm:
				return errors.New("give --slurm: there is no other batch system to submit to")
			case cmd.Flags().Changed("launcher"):
				return errors.New("a job starts its programs with srun: leave --launcher out")
			case flags.follow != "" && (flags.print || flags.detach):
				return errors.New("--follow is for a job that was submitted before: leave --print and --detach out")
			}
			batch, err := a.batch(cmd, paths, &psdl)
			if err != nil {
				return err
			}
			if flags.print {
				_, err := fmt.Fprint(a.exact(), batch.Script())
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			return a.submit(ctx, batch, flags)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.slurm, "slurm", false, "submit it to Slurm")
	f.BoolVar(&flags.print, "print", false, "print the batch script and submit nothing")
	f.StringVar(&flags.follow, "follow", "", "submit nothing, and show the `JOB` that was submitted before")
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	psdl.flags(set)
	set.VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "detach" && flag.Name != "yes" {
			f.AddFlag(flag)
		}
	})
	f.BoolVar(&flags.detach, "detach", false, "print the number of the job and do not wait for it")
	return a.reads(cmd, "paradyn")
}

// batch is the job of a plan, which must be sound.
func (a *app) batch(cmd *cobra.Command, paths []string, psdl *psdlFlags) (slurm.Batch, error) {
	var b slurm.Batch
	if a.files.lang == "" {
		a.files.lang = "paradyn"
	}
	w, err := a.workspace()
	if err != nil {
		return b, err
	}
	c, problems, err := a.config(w, paths)
	if err != nil {
		return b, err
	}
	a.say(problems)
	if err := a.unsound(w); err != nil {
		return b, err
	}
	o := runs.Options{Workspace: w, Program: a.program()}
	if err := psdl.fill(&o); err != nil {
		return b, err
	}
	o.Plan.Launch.Remote = launch.Srun{}
	if found := c.Diagnostics(); found.HasErrors() {
		a.say(found)
		return b, exitCode(exitNo)
	}
	plan, err := runs.NewPlan(c, o)
	if err != nil {
		return b, a.notRun(err)
	}
	if len(plan.Nodes) == 0 {
		return b, errors.New("there is nothing to start: no daemon, no process, no visualisation")
	}
	b.Job = runs.RunSettings(w.Project(paths[len(paths)-1])).Job
	if b.Nodes == 0 {
		b.Nodes = slurm.Hosts(plan)
	}
	name := filepath.Base(paths[len(paths)-1])
	b.Name = launch.Word(strings.TrimSuffix(name, filepath.Ext(name)))
	if b.Dir, err = os.Getwd(); err != nil {
		return b, errors.New("the current folder cannot be found")
	}
	if err := b.Validate(); err != nil {
		return b, err
	}
	b.Argv = slices.Concat([]string{ownPath(), "run", "--launcher=srun"}, passedOn(cmd.Flags()), []string{"--"}, paths)
	return b, nil
}

// ownPath is this program as other machines find it, which see the same files.
func ownPath() string {
	if path, err := exec.LookPath(os.Args[0]); err == nil {
		if path, err = filepath.Abs(path); err == nil {
			return path
		}
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// passedOn are the flags that `run` gets as they were given.
func passedOn(f *pflag.FlagSet) (args []string) {
	f.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "slurm", "print", "detach", "follow":
			return
		}
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			args = append(args, "--"+flag.Name+"="+v)
		}
	})
	return args
}

// submit hands a batch to Slurm, unless that was done before, and stays with it to its end.
func (a *app) submit(ctx context.Context, b slurm.Batch, flags submitFlags) error {
	base, err := control.StateDir(os.Getenv)
	if err != nil {
		return err
	}
	var job *slurm.Job
	if flags.follow != "" {
		job, err = b.Submitted(flags.follow)
	} else {
		job, err = b.Submit(ctx)
	}
	if err != nil {
		return interrupted(ctx, err)
	}
	if flags.detach {
		fmt.Fprintf(a.err, "job %s is submitted; the same command with --follow %[1]s instead of --detach shows it\n", job.ID)
		_, err := fmt.Fprintln(a.out, job.ID)
		return err
	}
	tasks, err := job.Follow(ctx, a.exact(), func(news string) { fmt.Fprintln(a.err, news) })
	if ctx.Err() != nil {
		fmt.Fprintf(a.err, "job %s goes on; the same command with --follow %[1]s shows it, `scancel %[1]s` ends it\n", job.ID)
		return exitCode(exitInterrupted)
	}
	if err != nil {
		return err
	}
	collected, err := job.Collect(base)
	for _, d := range collected {
		fmt.Fprintf(a.err, "run %s, logs in %s\n", d.Run.ID, filepath.Dir(d.LogFile("", "")))
	}
	if err != nil {
		return err
	}
	code := exitOK
	for _, t := range tasks {
		code = max(code, t.Code())
	}
	if code != exitOK {
		return exitCode(code)
	}
	return nil
}

func (a *app) launchCollectVerb() *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:   "collect",
		Short: "Gather the progress of a run's processes: a daemon for launch plans",
		Long: "Listens for the progress of the pipelines of its run, and writes a line for each report. It says\n" +
			"`PARADYND` and its process id when it is ready, as daemons of launch plans do, and ends when it is told to.",
		Example: examples("pentode launch collect --socket /tmp/progress", "pentode launch collect --socket /tmp/progress > progress.log"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if socket == "" {
				socket = runs.ProgressSocket()
			}
			if socket == "" {
				return errors.New("a daemon that gathers progress belongs to a run: start it in a launch plan, or say with --socket where it listens")
			}
			return a.collect(socket)
		},
	}
	cmd.Flags().StringVar(&socket, "socket", "", "listen on the socket `PATH` instead of that of the run")
	return cmd
}

func (a *app) collect(socket string) error {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(asked)
	server, err := collect.Listen(socket, a.out)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "PARADYND %d\n", os.Getpid())
	<-asked
	err = server.Close()
	for _, p := range server.Summary() {
		fmt.Fprintf(a.out, "%s (rank %d) %s after %s\n", p.Name, p.Rank, p.State, count(int(p.Done), "step", "steps"))
	}
	return err
}
