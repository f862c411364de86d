package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/slurm"
	"github.com/pentode-dev/pentode/runs"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// submitFlags are the flags that `submit` has and `run` does not.
type submitFlags struct {
	to, follow string
	dryRun     bool
}

func (a *app) submitVerb() *cobra.Command {
	var flags submitFlags
	var psdl psdlFlags
	cmd := &cobra.Command{
		Use:   "submit PATH...",
		Short: "Run a launch plan as a job of a batch system",
		Long: "Submits a job in which `pentode run` starts the plan on the machines of the job, each program as a job step, and prints the job\n" +
			"number. `[run]` in pentode.toml has the options of the job: nodes, tasks, time, array and others. With --follow it shows the output\n" +
			"of the job until the job is over, and then copies its logs, so that `pentode logs` and `pentode ps` find them. Ctrl-C leaves the\n" +
			"job alone. Exit with --follow: the code of the job, for an array the largest one; 124 if the job ran into its time limit.",
		Example: examples("pentode submit --dry-run examples/heat/heat.psdl", "pentode submit --dry-run --keep-going examples/heat/heat.psdl > heat.sh"),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			switch {
			case flags.to != "slurm":
				return fmt.Errorf("--to takes slurm, not `%s`", flags.to)
			case slices.Contains(paths, stdio):
				return errors.New("a job reads the plan when it runs, without standard input: give a file")
			case flags.follow != "" && flags.dryRun:
				return errors.New("--dry-run submits no job to follow: leave --follow out")
			}
			batch, err := a.batch(cmd, paths, &psdl)
			if err != nil {
				return err
			}
			if flags.dryRun {
				_, err := fmt.Fprint(a.exact(), batch.Script())
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			return a.submit(ctx, batch, flags.follow)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.to, "to", "slurm", "the `BATCH SYSTEM`: slurm")
	f.BoolVar(&flags.dryRun, "dry-run", false, "print the batch script and submit nothing")
	f.StringVar(&flags.follow, "follow", "", "follow the job to its end; with a number, a `JOB` that was submitted before")
	f.Lookup("follow").NoOptDefVal = thisJob
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	psdl.flags(set)
	set.VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "detach" && flag.Name != "yes" {
			f.AddFlag(flag)
		}
	})
	return a.reads(cmd, "paradyn")
}

// thisJob is the value of --follow if it is given without a number.
const thisJob = "this"

// batch returns the Slurm job for a plan, which must have no errors.
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
	psdl.fill(&o)
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
	b.Job = runs.SettingsOf(w.Project(paths[len(paths)-1])).Job
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
	b.Argv = slices.Concat([]string{ownPath(), "run"}, passedOn(cmd.Flags()), []string{"--config=run.launcher=srun", "--"}, paths)
	return b, nil
}

// ownPath returns the absolute path of this program, which is the same on the other machines
// because they share the file system.
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

// passedOn returns the flags that the job passes to `run` unchanged.
func passedOn(f *pflag.FlagSet) (args []string) {
	f.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "to", "dry-run", "follow":
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

// submit submits a batch to Slurm, unless it was submitted before, and follows the job to its end.
func (a *app) submit(ctx context.Context, b slurm.Batch, follow string) error {
	base, err := control.StateDir(os.Getenv)
	if err != nil {
		return err
	}
	var job *slurm.Job
	if follow != "" && follow != thisJob {
		if job, err = b.Submitted(follow); err != nil {
			return err
		}
	} else {
		job, err = b.Submit(ctx)
	}
	if err != nil {
		return interrupted(ctx, a.no(err))
	}
	if follow == "" {
		fmt.Fprintf(a.err, "job %s is submitted; the same command with --follow=%[1]s follows it\n", job.ID)
		_, err := fmt.Fprintln(a.out, job.ID)
		return err
	}
	a.work.Begin("waiting for job "+job.ID, "")
	tasks, err := job.Follow(ctx, a.exact(), func(news string) { fmt.Fprintln(a.err, news) })
	if ctx.Err() != nil {
		fmt.Fprintf(a.err, "job %s continues; the same command with --follow=%[1]s follows it, `scancel %[1]s` ends it\n", job.ID)
		return interrupted(ctx, exitCode(exitInterrupted))
	}
	if err != nil {
		return a.no(err)
	}
	collected, err := job.Collect(base)
	for _, d := range collected {
		fmt.Fprintf(a.err, "run %s, logs in %s\n", d.Run.ID, filepath.Dir(d.LogFile("", "")))
	}
	if err != nil {
		return a.no(err)
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
