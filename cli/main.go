// Package cli is the command line: main.go and one file for each verb.
//
// A Go program with process types of its own gets all verbs for its pipelines
// (check, run with statistics and the live view, graph, and the others) with
//
//	func main() {
//		os.Exit(cli.Main(cli.Options{Types: []*flow.Type{double}}))
//	}
//
// A verb opens documents through the workspace, asks its question, and
// prints. What was asked for goes to standard output, everything else to standard error, and
// the exit code is the answer: 0 yes, 1 no, 2 the question was wrong.
package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/suite"
)

// The exit codes of all verbs.
const (
	exitOK     = 0
	exitNo     = 1 // the input has errors, or the answer is no
	exitMisuse = 2 // wrong arguments, or the input cannot be read

	exitInterrupted = 130 // as shells report SIGINT
)

// Options is what a Go program adds to the command line.
type Options struct {
	// Types are process types that pipelines may have besides those of Pentode.
	Types []*flow.Type
	// Providers are what `_instrumentation:type` of a process may name besides.
	Providers []*flow.Provider

	program bool // this program is its command line, and can be started again
}

// Main runs the command that the arguments of the process name, and returns
// its exit code. Under the name of COIL's validator the program is that validator.
func Main(o Options) int {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == validatorName {
		return ValidateCoil(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	o.program = true
	return Run(o, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// Run runs one command.
func Run(o Options, args []string, in io.Reader, out, errs io.Writer) int {
	answers := &answer{Writer: out}
	shown, remarks := visible.NewWriter(answers), visible.NewWriter(errs)
	a := &app{options: o, args: args, in: in, out: shown, err: remarks}
	root := a.root()
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

// exitCode ends a verb that has printed everything already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// answer is standard output. It remembers a failed write: a command whose
// answer is lost has not succeeded.
type answer struct {
	io.Writer
	mu  sync.Mutex
	err error
}

func (o *answer) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.err = cmp.Or(o.err, err)
	}
	return n, err
}

func (o *answer) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// terminal is the terminal behind a writer.
func terminal(w io.Writer) (*os.File, bool) {
	w = visible.Below(w)
	if o, ok := w.(*answer); ok {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// format is how an answer is written.
type format string

const (
	asText  format = "text"
	asShort format = "short"
	asJSON  format = "json"
	asYAML  format = "yaml"
	asSARIF format = "sarif"
)

// app is what the verbs share.
type app struct {
	options  Options
	args     []string
	in       io.Reader
	out, err io.Writer // what is written there is visible
	files    fileFlags
	maxNodes int          // of a picture
	stores   suite.Stores // opens PDI trees for pipelines; nil: there are none
	watch    *watch       // what was read, with --watch
}

// Command is the tree of all verbs, for manual pages.
func Command() *cobra.Command { return (&app{}).root() }

func (a *app) root() *cobra.Command {
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
	root.AddCommand(a.verbs()...)
	for _, verb := range root.Commands() {
		refuseMisuse(verb)
	}
	return root
}

// verbs is the list of what pentode does.
func (a *app) verbs() []*cobra.Command {
	return []*cobra.Command{
		a.initVerb(), a.checkVerb(), a.fmtVerb(), a.showVerb(), a.explainVerb(), a.diffVerb(), a.setVerb(), a.graphVerb(),
		a.convertVerb(), a.flattenVerb(), a.schemaVerb(), a.docsVerb(),
		a.runVerb(), a.serveVerb(), a.topVerb(), a.lspVerb(), a.targetVerb(), a.launchVerb(), a.flowVerb(), a.dataVerb(), a.traceVerb(),
		a.completionVerb(), a.versionVerb(),
	}
}

// colour reports whether a writer is a terminal that wants colour. Nothing
// overrules NO_COLOR.
func colour(w io.Writer) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	_, ok := terminal(w)
	return ok && os.Getenv("TERM") != "dumb"
}

// buffered prints through a buffer, for answers of many lines.
func (a *app) buffered(print func() error) error {
	under := a.out
	buffer := bufio.NewWriterSize(under, 1<<16)
	a.out = buffer
	defer func() { a.out = under }()
	if err := print(); err != nil {
		return err
	}
	return buffer.Flush()
}

// exact is standard output for what other programs read: the text of a file, a
// picture, the output of a program. It is sent as it is, but not to a terminal.
func (a *app) exact() io.Writer {
	if _, ok := terminal(a.out); ok {
		return a.out
	}
	return visible.Below(a.out)
}

// examples are the last lines of a verb's help.
func examples(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }
