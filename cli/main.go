// Package cli is the command line: main.go lists the verbs, each has a file, and app.go
// is what they share. What runs is carried out by package runs.
//
// A Go program with process types of its own gets all verbs for its pipelines
// (check, run with statistics and the live view, graph, and the others) with
//
//	func main() {
//		os.Exit(cli.Main(cli.Options{Types: []*pipe.Type{double}}))
//	}
//
// A verb opens documents through the workspace, asks its question, and
// prints. What was asked for goes to standard output, everything else to standard error, and
// the exit code is the answer: 0 yes, 1 no, 2 the question was wrong.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/visible"
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
	answers := &answer{Writer: out}
	shown, remarks := visible.NewWriter(answers), visible.NewWriter(errs)
	a := &app{options: o, args: args, in: in, out: shown, err: remarks, asked: &sync.Map{}, tree: (&app{}).root}
	root := a.root(args...)
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		a.complete(root) // which takes time, and memory for good
	}
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(shown)
	root.SetErr(remarks)
	err := root.Execute()
	_, _ = shown.Flush(), remarks.Flush() // a lost answer is known below
	if lost := answers.lost(); lost != nil {
		err = lost
	}
	var exit exitCode
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return int(exit)
	}
	var full *fs.PathError
	if errors.As(err, &full) && full.Op == "write" {
		err = fmt.Errorf("`%s` cannot be written: %w", full.Path, full.Err)
	}
	fmt.Fprintf(remarks, "pentode: %s\n", strings.TrimSuffix(err.Error(), "\n"))
	return exitMisuse
}

// Command is the tree of all verbs, for manual pages.
func Command() *cobra.Command { return (&app{}).root() }

// root is the tree of the verb that a command line begins with, or of all verbs:
// making all of them is a tenth of what a short command takes.
func (a *app) root(args ...string) *cobra.Command {
	version := false // a flag of ours: cobra's own needs text/template, which makes the program a tenth larger
	root := &cobra.Command{
		Use:   "pentode",
		Short: "Check, format, explain and run the configuration of a scientific run",
		Long: "Pentode reads the five languages that describe a scientific run: what it is built for (COIL), how it is\n" +
			"launched (Paradyn), how its data flows (sprokit), what data it exposes (PDI), and what of it is traced (PInsight).",
		Example:           examples("pentode check examples", "pentode explain examples/trace/trace_config.txt OpenMP.default.omp_work"),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              isVerb,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return a.writeVersion()
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVarP(&version, "version", "v", false, "version for pentode")
	root.SetUsageFunc(usage)
	root.SetHelpCommand(helpVerb())
	root.SetFlagErrorFunc(flagMisuse)
	verbs := a.verbs()
	if len(args) > 0 {
		if i := slices.IndexFunc(verbs, func(v verb) bool { return v.name == args[0] }); i >= 0 {
			verbs = verbs[i : i+1]
		}
	}
	for _, v := range verbs {
		cmd := v.make()
		refuseMisuse(cmd)
		root.AddCommand(cmd)
	}
	return root
}

type verb struct {
	name string
	make func() *cobra.Command
}

// verbs is the list of what pentode does.
func (a *app) verbs() []verb {
	return []verb{
		{"init", a.initVerb}, {"check", a.checkVerb}, {"fmt", a.fmtVerb}, {"show", a.showVerb}, {"explain", a.explainVerb}, {"diff", a.diffVerb},
		{"fingerprint", a.fingerprintVerb}, {"origin", a.originVerb},
		{"set", a.setVerb}, {"graph", a.graphVerb}, {"convert", a.convertVerb}, {"flatten", a.flattenVerb}, {"schema", a.schemaVerb}, {"docs", a.docsVerb},
		{"run", a.runVerb}, {"runs", a.runsVerb}, {"rerun", a.rerunVerb}, {"serve", a.serveVerb}, {"top", a.topVerb}, {"lsp", a.lspVerb}, {"target", a.targetVerb}, {"launch", a.launchVerb},
		{"flow", a.flowVerb}, {"data", a.dataVerb}, {"trace", a.traceVerb}, {"completion", a.completionVerb}, {"version", a.versionVerb},
	}
}
