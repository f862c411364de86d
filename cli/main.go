// Package cli is the command line. main.go lists the verbs. Each verb, or a few related verbs, have
// a file, and app.go has what they share. Package runs carries out runs.
//
// A Go program with its own process types gets all verbs for its pipelines
// (check, run with statistics and the live view, graph, and the others) by calling Main:
//
//	func main() {
//		os.Exit(cli.Main(cli.Options{Types: []*pipe.Type{double}}))
//	}
//
// A verb opens documents through the workspace, does its work, and prints the
// result to standard output and everything else to standard error.
// The exit code is 0 for yes, 1 for no, and 2 for misuse.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/launch/collect"
	"github.com/pentode-dev/pentode/run/launch/guard"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/record"
)

// Main runs the command that the arguments of the process name, and returns
// its exit code. Under the name of COIL's validator, or of a program of KWIVER, it is that program.
func Main(o Options) int {
	switch name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); {
	case name == validatorName:
		return ValidateCoil(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	case slices.Contains(KwiverPrograms, name):
		o.program = true
		return AsKwiver(name, o, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	o.program = true
	return Run(o, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// Run runs one command.
func Run(o Options, args []string, in io.Reader, out, errs io.Writer) int {
	work, answers := newWork(errs), &answer{Writer: out}
	if work != nil {
		errs = &answer{Writer: errs, before: work.Clear}
		if _, both := terminal(out); both {
			answers.before = work.End
		}
	}
	shown, remarks := visible.NewWriter(answers), visible.NewWriter(errs)
	a := &app{options: o, args: args, in: in, out: shown, err: remarks, work: work, asked: &sync.Map{}, tree: (&app{}).root, width: widthOf(shown)}
	if now, ok := renamed(args); ok {
		fmt.Fprintf(remarks, "pentode: %s\n", now)
		_, _ = shown.Flush(), remarks.Flush()
		return exitMisuse
	}
	back, rest, err := inFolder(args)
	if err != nil {
		fmt.Fprintf(remarks, "pentode: %s\n", err)
		_, _ = shown.Flush(), remarks.Flush()
		return exitMisuse
	}
	defer back()
	args, a.args = rest, rest
	root := a.root(args...)
	if completes(args) {
		a.complete(root) // only when a shell asks: it takes time, and memory until the end
	} else {
		args = upToUnknown(root, args)
	}
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(shown)
	root.SetErr(remarks)
	err = root.Execute()
	work.End()
	_, _ = shown.Flush(), remarks.Flush() // a failed write is noticed below
	if lost := answers.lost(); lost != nil {
		err = lost
	}
	if code := exitCode(0); err != nil && !errors.As(err, &code) {
		fold(remarks, widthOf(remarks), 2, "pentode: "+strings.TrimSuffix(sentence(err), "\n"))
	}
	return codeOf(err)
}

// upToUnknown drops all arguments after an unknown verb, so that the verb is refused even if --help follows.
func upToUnknown(verb *cobra.Command, args []string) []string {
	for n, word := range args {
		if !verb.HasSubCommands() || strings.HasPrefix(word, "-") || word == "help" {
			break
		}
		i := slices.IndexFunc(verb.Commands(), func(v *cobra.Command) bool { return v.Name() == word })
		if i < 0 {
			return args[:n+1]
		}
		verb = verb.Commands()[i]
	}
	return args
}

// completes reports whether a shell asks for completions.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// inFolder carries out `-C DIR` before a verb: it changes to DIR, and returns a function that changes back, and the other arguments.
func inFolder(args []string) (back func(), rest []string, err error) {
	back = func() {}
	if completes(args) && len(args) > 3 { // a shell asks for completions after the folder
		back, rest, err = inFolder(args[1:])
		return back, slices.Concat(args[:1], rest), err
	}
	if len(args) == 0 || args[0] != "-C" {
		return back, args, nil
	}
	if len(args) == 1 {
		return back, nil, errors.New("`-C` needs a value: the folder to change to first")
	}
	here, err := os.Getwd()
	if err == nil {
		err = os.Chdir(args[1])
	}
	if err != nil {
		return back, nil, fmt.Errorf("there is no folder `%s` to change to", args[1])
	}
	return func() { _ = os.Chdir(here) }, args[2:], nil // it existed a moment ago
}

// Command returns the tree of all verbs, for manual pages.
func Command() *cobra.Command { return (&app{}).root() }

// root returns the command tree with only the verb that args begin with, or with all verbs:
// making all of them takes a tenth of the time of a short command.
func (a *app) root(args ...string) *cobra.Command {
	version := false // a flag of ours: cobra's own needs text/template, which makes the program a tenth larger
	root := &cobra.Command{
		Use:   "pentode [-C DIR]",
		Short: "Check, format, explain and run the configuration of a scientific run",
		Long: "Pentode reads the five languages that describe a scientific run: what it is built for (COIL), how it is\n" +
			"launched (Paradyn), how its data flows (sprokit), what data it exposes (PDI), and which of its events are traced (PInsight).\n" +
			"pentode.toml has the settings of a project (`pentode explain pentode.toml`); `--config KEY=VALUE` overrides one for a single call.\n" +
			"Exit: 0 done or yes, 1 no, found something or failed, 2 wrong usage or no such file.",
		Example:           examples("pentode check examples", "pentode explain examples/trace/trace_config.txt OpenMP.default.omp_work"),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              isVerb,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return a.writeVersion()
			}
			return a.welcome(cmd)
		},
	}
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "colour messages: `auto|always|never`; works with every verb")
	root.Flags().BoolVarP(&version, "version", "v", false, "version for pentode")
	root.SetUsageFunc(usage)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Long = wrapped(cmd.Long)
		help(cmd, args)
	})
	root.SetHelpCommand(helpVerb())
	root.SetFlagErrorFunc(flagMisuse)
	for _, g := range verbGroups {
		root.AddGroup(&cobra.Group{ID: g, Title: g})
	}
	verbs := a.verbs()
	if len(args) > 0 {
		if i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == args[0] }); i >= 0 {
			verbs = verbs[i : i+1]
		}
	}
	for _, v := range verbs {
		cmd := v.make()
		cmd.GroupID = v.group
		refuseMisuse(cmd)
		root.AddCommand(cmd)
	}
	return root
}

type verb struct {
	group, name string
	make        func() *cobra.Command
}

// The groups of verbs in the help, in this order. Verbs without a group are hidden: only programs call them.
const (
	fileVerbs  = "Files"
	runVerbs   = "Runs"
	afterwards = "Afterwards"
	areaVerbs  = "Areas"
	toolVerbs  = "Tools"
)

var verbGroups = []string{fileVerbs, runVerbs, afterwards, areaVerbs, toolVerbs}

// verbs lists all verbs of pentode.
func (a *app) verbs() []verb {
	return []verb{
		{fileVerbs, "check", a.checkVerb}, {fileVerbs, "fmt", a.fmtVerb}, {fileVerbs, "show", a.showVerb}, {fileVerbs, "explain", a.explainVerb},
		{fileVerbs, "set", a.setVerb}, {fileVerbs, "diff", a.diffVerb}, {fileVerbs, "convert", a.convertVerb}, {fileVerbs, "graph", a.graphVerb},
		{fileVerbs, "init", a.initVerb}, {fileVerbs, "schema", a.schemaVerb},
		{runVerbs, "run", a.runVerb}, {runVerbs, "ps", a.psVerb}, {runVerbs, "logs", a.logsVerb}, {runVerbs, "attach", a.attachVerb}, {runVerbs, "wait", a.waitVerb},
		{runVerbs, "signal", a.signalVerb}, {runVerbs, "restart", a.restartVerb}, {runVerbs, "stop", a.stopVerb}, {runVerbs, "exec", a.execVerb},
		{runVerbs, "control", a.controlVerb}, {runVerbs, "submit", a.submitVerb}, {runVerbs, "top", a.topVerb},
		{afterwards, "runs", a.runsVerb}, {afterwards, "origin", a.originVerb},
		{areaVerbs, "trace", a.traceVerb}, {areaVerbs, "target", a.targetVerb}, {areaVerbs, "data", a.dataVerb}, {areaVerbs, "types", a.typesVerb},
		{toolVerbs, "serve", a.serveVerb}, {toolVerbs, "lsp", a.lspVerb}, {toolVerbs, "completion", a.completionVerb}, {toolVerbs, "version", a.versionVerb},
		{"", "collect", a.collectVerb}, {"", "guard", a.guardVerb},
	}
}

// versionLine names the version, Go, the machine, and, if the program was built from
// a repository, the commit and its date.
func versionLine() string {
	line := fmt.Sprintf("pentode %s %s %s/%s", Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return line
	}
	of := map[string]string{}
	for _, s := range info.Settings {
		of[s.Key] = s.Value
	}
	if of["vcs.revision"] == "" {
		return line
	}
	line += fmt.Sprintf(" commit %.12s of %.10s", of["vcs.revision"], of["vcs.time"])
	if of["vcs.modified"] == "true" {
		line += ", changed"
	}
	return line
}

func (a *app) versionVerb() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the commit that it was built from",
		Example: examples("pentode version", "pentode version | cut -d' ' -f2"),
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.writeVersion() },
	}
}

func (a *app) writeVersion() error {
	_, err := fmt.Fprintln(a.exact(), versionLine())
	return err
}

func (a *app) completionVerb() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		Short:     "Print the completion script for a shell",
		Example:   examples("pentode completion bash > pentode.bash", "pentode completion zsh > _pentode"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.exact(), true)
			case "zsh":
				return root.GenZshCompletion(a.exact())
			case "fish":
				return root.GenFishCompletion(a.exact(), true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.exact())
			}
			return fmt.Errorf("completion is for bash, zsh, fish and powershell, not `%s`", args[0])
		},
	}
}

func (a *app) dataVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		Short:   "Inspect the data of a specification tree: memory layout, values, expressions, calls",
		Example: examples("pentode data layout --set rows=4 --set cols=3 examples/heat/heat.yml field", "pentode data eval --set n=5 '$n * 2'"),
	}
	cmd.AddCommand(a.dataLayoutVerb(), a.dataEvalVerb(), a.dataDecodeVerb(), a.dataImportVerb(), a.dataReplayVerb())
	return cmd
}

func (a *app) traceVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "trace",
		Short:   "Trace a program, analyse traces, or predict what a configuration traces",
		Example: examples("pentode trace decide --region 0x4010bd --event omp_work examples/trace/trace_config.txt", "pentode trace retarget --from old/app --to new/app -w trace_config.txt"),
	}
	cmd.AddCommand(a.traceRecordVerb(), a.traceReportVerb(), a.traceWhyVerb(), a.traceQueryVerb(), a.traceExportVerb(), a.traceMergeVerb(),
		a.traceDecideVerb(), a.traceForecastVerb(), a.traceRetargetVerb(), a.traceHeaderVerb())
	return cmd
}

func (a *app) runsVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "Show and compare the records of runs",
		Long: "Shows and compares the records of runs. On a terminal, without a verb, it opens a list to choose from: keys show a record\n" +
			"or compare two of them; ? lists the keys.",
		Example: examples("pentode runs list", "pentode runs diff"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, in, ok := a.wholeTerminal()
			if !ok {
				return cmd.Help()
			}
			store, err := record.Here()
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			return interrupted(ctx, live.Show(ctx, out, in, runsSource(store)))
		},
	}
	cmd.AddCommand(a.runsListVerb(), a.runsShowVerb(), a.runsDiffVerb(), a.runsTagVerb(), a.runsRmVerb(), a.runsPruneVerb(), a.runsRerunVerb())
	return cmd
}

func (a *app) typesVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "types",
		Short:   "Show the process types, algorithms and clusters that pipelines are made of",
		Example: examples("pentode types list", "pentode types show numbers"),
	}
	cmd.AddCommand(a.typesListVerb(), a.typesShowVerb(), a.typesImportVerb())
	return cmd
}

func (a *app) targetVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "target",
		Short:   "Describe machines: detect this one, compare targets, print compiler flags",
		Example: examples("pentode target detect > here.coilcfg", "pentode target flags gcc x86-64-v3"),
	}
	cmd.AddCommand(a.detectVerb(), a.flagsVerb(), a.compatVerb(), a.targetListVerb())
	return cmd
}

func (a *app) collectVerb() *cobra.Command {
	var socket string
	cmd := &cobra.Command{
		Use:    "collect",
		Hidden: true,
		Short:  "Collect the progress of a run's processes: a daemon for launch plans",
		Long: "Listens for the progress of the pipelines of its run, and prints a line for each report. When ready, it prints\n" +
			"`PARADYND` and its process id, as daemons of launch plans do. It ends on a signal.",
		Example: examples("pentode collect --socket /tmp/progress", "pentode collect --socket /tmp/progress > progress.log"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if socket == "" {
				socket = runs.ProgressSocket()
			}
			if socket == "" {
				return errors.New("`collect` belongs to a run: start it in a launch plan, or give the socket to listen on with --socket")
			}
			return a.collect(socket)
		},
	}
	cmd.Flags().StringVar(&socket, "socket", "", "listen on the socket `PATH` instead of the run's socket")
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
		fmt.Fprintf(a.out, "%s (rank %d) %s after %s\n", p.Name, p.Rank, p.State, quantity.Count(p.Done, "step", "steps"))
	}
	return err
}

// guardVerb is a hidden verb. A run starts it to end the run's remaining programs, even if the run
// is killed.
func (a *app) guardVerb() *cobra.Command {
	var w guard.Watched
	cmd := &cobra.Command{
		Use:     "guard",
		Short:   "End the remaining programs of a run",
		Example: examples("pentode guard < /dev/null", "pentode guard --mark none < /dev/null"),
		Hidden:  true,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // it ends when its run ends
			guard.Watch(a.in, w)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&w.Mark, "mark", "", "the `MARK` of the run")
	f.IntVar(&w.Pid, "pid", 0, "the `PID` of its program")
	f.StringVar(&w.Group, "group", "", "the `DIR` of its control group")
	f.StringVar(&w.State, "state", "", "the `DIR` of its state")
	f.StringVar(&w.Scratch, "scratch", "", "a `DIR` to remove when the run is killed")
	f.DurationVar(&w.Grace, "grace", time.Second, "how long programs have to end before they are killed")
	return cmd
}
