package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// runJob is what `run` starts: a pipeline, a launch, or a run folder.
type runJob struct {
	workspace *workspace.Workspace
	config    *lang.Config
	layers    []*lang.Document // the files that it was read from
	searched  bool             // the files were found by the search, not given
}

func (a *app) runVerb() *cobra.Command {
	pipe, psdl := &pipeFlags{}, &psdlFlags{}
	var as format
	flags := map[string]func(*pflag.FlagSet){"sprokit": pipe.flags, "paradyn": psdl.flags}
	own := map[string]map[string]bool{} // the flags of each language
	var watch bool
	cmd := &cobra.Command{
		Use:   "run [PATH]",
		Short: "Run a pipeline, a launch file or a run folder",
		Long: "Runs a pipeline, starts the programs of a launch file, or runs everything in a folder, by default the current one.\nCtrl-C once stops the run in order, a second time at once.\n" +
			"Exit: 0 finished, 1 failed, 130 interrupted; if launched programs fail, the exit code of the first of them.",
		Example: examples("pentode run examples/heat", "pentode run --stats examples/heat/heat.pipe"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("format") && !pipe.dryRun {
				return errors.New("--format is the format of the plan of --dry-run; --stats=json prints figures as JSON")
			}
			if cmd.Flags().Changed("stats") && len(paths) > 1 && (paths[0] == "json" || paths[0] == "table") {
				return fmt.Errorf("write --stats=%s, with an equals sign", paths[0])
			}
			if paths, err = a.orAlone(w, paths); err != nil {
				return err
			}
			takes := func(l *lang.Language, allowed ...string) error {
				return foreign(cmd, own, l, append(allowed, forPlans...)...)
			}
			if len(paths) == 1 && isFolder(paths[0]) {
				if psdl.detach && !pipe.dryRun {
					return a.detach()
				}
				return a.runFolder(w, paths[0], pipe, psdl, as, takes)
			}
			job, err := a.job(w, paths)
			if err != nil {
				return err
			}
			l := job.config.Document.Language
			if flags[l.Name] == nil {
				return fmt.Errorf("a %s file cannot be run by itself; only files of %s can", l.Title, strings.Join(slices.Sorted(maps.Keys(flags)), ", "))
			}
			if err := takes(l); err != nil {
				return err
			}
			switch {
			case watch:
				return a.rerun(paths)
			case psdl.detach && !pipe.dryRun:
				return a.detach()
			}
			return a.runFile(job, paths, pipe, psdl, as)
		},
	}
	for name, add := range flags {
		set := pflag.NewFlagSet(name, pflag.ContinueOnError)
		add(set)
		own[name] = map[string]bool{}
		set.VisitAll(func(f *pflag.Flag) { own[name][f.Name] = true })
		cmd.Flags().AddFlagSet(set)
	}
	cmd.Flags().StringVar((*string)(&as), "format", string(asText), "the format of the plan of --dry-run: `text|json`")
	watchFlag(cmd, &watch)
	return a.reads(cmd)
}

// job finds out what the paths are: a folder, a pipeline, or a launch.
func (a *app) job(w *workspace.Workspace, paths []string) (runJob, error) {
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
func (a *app) runFile(job runJob, paths []string, pipe *pipeFlags, psdl *psdlFlags, as format) error {
	if job.searched && pipe.dryRun {
		a.sayFound(job.layers)
	} else if job.searched {
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
	launched := job.config.Document.Language.Name == "paradyn"
	if launched && pipe.dryRun {
		return a.launchPlan(job.config, o, as)
	}
	if launched {
		r, err := runs.Plan(v.ctx, job.config, o)
		v.close()
		return a.planResult(r, err)
	}
	if pipe.dryRun {
		plan, opt, err := runs.PlanPipeline(job.config, o)
		if err != nil {
			return a.notRun(err)
		}
		return a.pipelinePlan(plan, opt, as)
	}
	r, err := runs.Pipeline(v.ctx, job.config, o)
	v.close()
	return v.pipelineEnded(r, err)
}

// detach runs this command in the background. It prints only the name of the run
// to standard output, for scripts.
func (a *app) detach() error {
	run, code, err := runs.Detach(context.Background(), a.program(), a.err)
	switch {
	case err != nil:
		return err
	case code != 0:
		return exitCode(code)
	case run == "": // the run ended successfully before anything started
		return nil
	}
	fmt.Fprintf(a.err, "run %s continues in the background; `pentode attach %[1]s` shows it, `pentode stop %[1]s` ends it\n", run)
	_, err = fmt.Fprintln(a.out, run)
	return err
}

// forPlans are the pipeline flags that a launch plan also takes, for the sites that it starts.
var forPlans = []string{"stats", "sites", "dry-run"}

// foreign refuses a flag that only runs of another language take, except the allowed ones.
func foreign(cmd *cobra.Command, own map[string]map[string]bool, l *lang.Language, allowed ...string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(allowed, f.Name) {
			return
		}
		for name, flags := range own {
			if flags[f.Name] && !own[l.Name][f.Name] && err == nil {
				err = fmt.Errorf("--%s is for %s files, not for %s files", f.Name, name, l.Title)
			}
		}
	})
	return err
}

// runOptions returns the options of a run from the flags.
func (v *runView) runOptions(w *workspace.Workspace, pipe *pipeFlags, psdl *psdlFlags) (runs.Options, error) {
	o := v.options(w)
	if err := pipe.fill(&o); err != nil {
		return o, err
	}
	if err := cmp.Or(notStdio("--trace", o.Pipeline.Trace, "a file that gets a seal when it is complete"), notStdio("-o", o.Results, "the folder of the results")); err != nil {
		return o, err
	}
	o.Plan.Sites = pipe.stats != "" || pipe.sites != ""
	psdl.fill(&o)
	return o, nil
}

// runFolder runs a folder, and lists the results. The function takes refuses flags that do not apply to the
// language of the started file.
func (a *app) runFolder(w *workspace.Workspace, dir string, pipe *pipeFlags, psdl *psdlFlags, as format, takes func(*lang.Language, ...string) error) error {
	run, err := a.openWhole(w, dir)
	if err != nil {
		return err
	}
	title := dir
	if started := run.Starts(); started != nil {
		title = started.Document.File.Path()
		if err := takes(started.Document.Language, forFolders...); err != nil {
			return err
		}
	}
	v := newRunView(a, title, pipe.stats)
	defer v.close()
	o, err := v.runOptions(w, pipe, psdl)
	if err != nil {
		return err
	}
	o.Record = a.recording(dir)
	if pipe.dryRun {
		return a.planFolder(run, o, as)
	}
	result, err := runs.Folder(v.ctx, run, o)
	v.close()
	if run.Starts() == run.Configs[suite.Flow] {
		err = v.pipelineEnded(result, err)
	} else {
		err = a.planResult(result, err)
	}
	if result.Results != "" {
		a.results(result.Results, result.Made)
	}
	return err
}

// planFolder prints what a folder would start.
func (a *app) planFolder(run *suite.Run, o runs.Options, as format) error {
	programs, pipeline, opt, err := runs.PlanFolder(run, o)
	switch {
	case err != nil:
		return a.notRun(err)
	case programs == nil:
		return a.pipelinePlan(pipeline, opt, as)
	}
	return a.writePlan(programs, as)
}

// results lists the files that a run has written to a folder.
func (a *app) results(folder string, list []runs.Made) {
	if len(list) == 0 {
		fmt.Fprintf(a.err, "nothing was written to %s\n", folder)
		return
	}
	fmt.Fprintf(a.err, "\nresults in %s:\n", folder)
	var rows [][]string
	for _, m := range list {
		name, files := m.First, ""
		if m.Count > 1 {
			name, files = name+" … "+filepath.Base(m.Last), quantity.Count(m.Count, "file", "files")
		}
		rows = append(rows, []string{"  " + name, bytesize.Text(m.Bytes), files})
	}
	t := columns.Table{Columns: columns.Of(columns.Name, columns.Figure, columns.Figure), Width: widthOf(a.err)}
	_ = t.Write(a.err, rows) // a failed write to standard error cannot be reported
}

// forFolders are the pipeline flags that every run folder takes.
var forFolders = []string{"output", "allow-outside", "dry-run"}

// planResult returns the exit code of a plan.
func (a *app) planResult(r runs.Result, err error) error {
	switch {
	case err != nil:
		return a.notRun(err)
	case r.Plan == nil:
		a.sayNothing()
	case r.Plan.Code != 0:
		return exitCode(r.Plan.Code)
	}
	return nil
}

// permit refuses to start a file that the search found in the working directory, unless
// the user gave --yes.
func (a *app) permit(w *workspace.Workspace, layers []*lang.Document, yes bool) error {
	a.sayFound(layers)
	for _, d := range layers {
		if paradyn.Implicit(w.Env, d.File) && !yes {
			return fmt.Errorf("the search found `%s` in the working directory, but the command does not name it, so nothing is started; "+
				"`pentode run --dry-run` shows what it would start, `--yes` or its path starts it", d.File.Path())
		}
	}
	return nil
}

// pipelineEnded prints the figures of a pipeline and how it ended, and returns the exit code. A site that
// another program coordinates leaves this to that program.
func (v *runView) pipelineEnded(r runs.Result, err error) error {
	total := "before it started"
	if r.Began {
		total = totalOf(&r.Stats)
		if e := v.app.figures(&r.Stats, v.stats); e != nil && err == nil {
			err = &runs.Failure{Err: e}
		}
	}
	var failed *runs.Failure
	isFailure := errors.As(err, &failed)
	stopped := errors.Is(err, flow.ErrStopped)
	switch {
	case err != nil && !isFailure && !stopped:
		return v.app.notRun(err)
	case r.Led && err != nil:
		return exitCode(exitNo)
	case r.Led, err == nil && v.stats == "table": // nothing to add: the coordinator reports, or the table shows the totals
		return nil
	case err == nil:
		fmt.Fprintln(v.app.err, "finished: "+total)
		return nil
	case errors.Is(err, runs.ErrInterrupted):
		fmt.Fprintln(v.app.err, "interrupted: "+total)
		return interrupted(v.ctx, exitCode(exitInterrupted))
	case stopped:
		fmt.Fprintln(v.app.err, "stopped on request: "+total)
		return exitCode(exitInterrupted)
	case len(failed.Findings) > 0:
		v.app.say(failed.Findings)
	default:
		fmt.Fprintf(v.app.err, "error: %s\n", sentence(err))
	}
	return exitCode(exitNo)
}

// pipelinePlan prints what a run would do: the processes in the order of the data,
// their ports, the edges with their capacities. The exit code is 1 if a
// process cannot run here. A process that represents the program which embeds the pipeline can
// always run: for it, the plan names the ports at which that program sends and receives.
func (a *app) pipelinePlan(plan *pipe.Plan, opt flow.Options, as format) error {
	missing := append(pipe.Unrunnable(plan), flow.Probe(context.Background(), plan, opt)...)
	for _, n := range pipe.Embedding(plan) {
		missing = slices.DeleteFunc(missing, func(q *problem.Problem) bool { return q.Subject.Name == n.Name })
	}
	write := func() error { a.printPlan(plan, missing, opt); return nil }
	if as == asJSON {
		write = func() error { return a.json(jsonPlanOf(plan, missing, opt)) }
	}
	if err := a.buffered(write); err != nil {
		return err
	}
	if missing.HasErrors() {
		return exitCode(exitNo)
	}
	return nil
}

// jsonPlan is the output of `run --dry-run --format json` for a pipeline.
type jsonPlan struct {
	Version   int           `json:"version"`
	Scheduler string        `json:"scheduler"`
	Processes []jsonProcess `json:"processes"` // in the order of the data
	Edges     []jsonEdge    `json:"edges"`
}

type jsonProcess struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Path    string   `json:"path"`
	Line    int      `json:"line"`
	Missing []string `json:"missing"` // why it cannot run here
}

type jsonEdge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Type     string `json:"type"`
	Capacity int    `json:"capacity"` // 0: unlimited
	Drops    bool   `json:"drops"`    // whether it drops data when it is full
}

func jsonPlanOf(plan *pipe.Plan, missing problem.List, opt flow.Options) jsonPlan {
	out := jsonPlan{Version: 1, Scheduler: opt.Scheduler, Processes: []jsonProcess{}, Edges: []jsonEdge{}}
	for _, i := range plan.Order {
		n := &plan.Nodes[i]
		p := jsonProcess{Name: n.Name, Type: n.Type.Name, Missing: []string{}}
		if !n.Span.IsZero() {
			p.Path, p.Line = n.Span.File.Path(), n.Span.Position().Line
		}
		for _, q := range missing {
			if q.Subject.Name == n.Name && q.Severity == problem.Error {
				p.Missing = append(p.Missing, cmp.Or(q.Expected, q.Message))
			}
		}
		out.Processes = append(out.Processes, p)
	}
	for i := range plan.Edges {
		e := &plan.Edges[i]
		out.Edges = append(out.Edges, jsonEdge{e.From.String(), e.To.String(), e.Type, e.Capacity, !e.Blocking})
	}
	return out
}

func (a *app) printPlan(plan *pipe.Plan, missing problem.List, opt flow.Options) {
	out := a.out
	fmt.Fprintf(out, "%s under scheduler %s", quantity.Count(len(plan.Nodes), "process", "processes"), opt.Scheduler)
	if opt.Workers > 0 && opt.Scheduler == flow.PoolScheduler {
		fmt.Fprintf(out, " with %s", quantity.Count(opt.Workers, "worker", "workers"))
	}
	fmt.Fprintln(out)
	embedding := pipe.Embedding(plan)
	for _, i := range plan.Order {
		n := &plan.Nodes[i]
		fmt.Fprintf(out, "\nprocess %s :: %s%s\n", n.Name, n.Type.Name, at(n.Span))
		for _, q := range missing {
			switch {
			case q.Subject.Name != n.Name:
			case q.Severity == problem.Warning:
				fmt.Fprintln(out, "  warning: "+strings.TrimPrefix(q.Message, "process `"+n.Name+"`: "))
			default:
				fmt.Fprintln(out, "  cannot run here: "+cmp.Or(q.Expected, strings.TrimPrefix(q.Message, "process `"+n.Name+"` cannot run here: ")))
			}
		}
		if slices.Contains(embedding, n) {
			a.embeddingPorts("sends", n.Out)
			a.embeddingPorts("receives", n.In)
		}
		a.edgesAt("in", n.In, func(e int) string { return "from " + plan.Edges[e].From.String() })
		a.edgesAt("out", n.Out, func(e int) string { return "to " + plan.Edges[e].To.String() })
	}
	if len(plan.Edges) > 0 {
		fmt.Fprintln(out)
	}
	rows := make([][]string, 0, len(plan.Edges))
	for i := range plan.Edges {
		e := &plan.Edges[i]
		full := "the producer waits when it is full"
		switch {
		case !e.Blocking:
			full = "data are dropped when it is full"
		case e.Capacity == 0:
			full = ""
		}
		rows = append(rows, []string{"edge " + e.From.String() + " → " + e.To.String(), e.Type, "capacity " + capacity(e.Capacity), full})
	}
	a.columns(rows, columns.Name, columns.Name, columns.Text, columns.Line)
}

// embeddingPorts prints the connected ports at which the program that embeds the pipeline sends or receives.
func (a *app) embeddingPorts(does string, ports []pipe.PlanPort) {
	var names []string
	for i := range ports {
		if len(ports[i].Edges) > 0 {
			names = append(names, "`"+ports[i].Name+"`")
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(a.out, "  the program that embeds the pipeline %s %s\n", does, strings.Join(names, ", "))
	}
}

// edgesAt prints the connected ports of one side.
func (a *app) edgesAt(side string, ports []pipe.PlanPort, end func(int) string) {
	for i := range ports {
		port := &ports[i]
		for _, e := range port.Edges {
			fmt.Fprintf(a.out, "  %-3s %s : %s  %s\n", side, port.Name, port.Type, end(e))
		}
	}
}

func capacity(n int) string {
	if n == 0 {
		return "unlimited"
	}
	return strconv.Itoa(n)
}

func at(span source.Span) string {
	if span.IsZero() {
		return ""
	}
	return "  at " + span.String()
}

// launchPlan prints what a launch would start. The exit code is 1 if its file has errors.
func (a *app) launchPlan(c *lang.Config, o runs.Options, as format) error {
	found := c.Diagnostics()
	a.say(found)
	plan, err := runs.NewPlan(c, o)
	if refused := (*runs.Refusal)(nil); errors.As(err, &refused) {
		said := workspace.Unique(found)
		a.say(workspace.Unique(append(said[:len(said):len(said)], refused.Findings...))[len(said):])
		return exitCode(exitNo)
	}
	if err != nil {
		return a.notRun(err)
	}
	if err := a.writePlan(plan, as); err != nil {
		return err
	}
	if found.HasErrors() {
		return exitCode(exitNo)
	}
	return nil
}

// writePlan prints the programs of a launch, in the order in which they start.
func (a *app) writePlan(plan *launch.Plan, as format) error {
	if len(plan.Nodes) == 0 {
		a.sayNothing()
	}
	if as == asJSON {
		return plan.WriteJSON(a.out)
	}
	return plan.WriteText(a.out)
}

func (a *app) sayNothing() {
	fmt.Fprintln(a.err, "there is nothing to start: no daemon, no process, no visualisation")
}

// sayFound prints the names of the files that the search found.
func (a *app) sayFound(layers []*lang.Document) {
	var names []string
	for _, d := range layers {
		names = append(names, d.File.Path())
	}
	fmt.Fprintf(a.err, "found by the search: %s\n", strings.Join(names, ", "))
}
