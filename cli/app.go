package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/registry"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace"
)

// Options extend the command line of a Go program that embeds this package.
type Options struct {
	// Types are process types that pipelines may use besides Pentode's own.
	Types []*pipe.Type
	// Providers are additional values for `_instrumentation:type` of a process.
	Providers []*pipe.Provider
	// Plugins are additional plugins of the data store for specification trees.
	Plugins []data.Plugin

	program bool // this process runs only the command line, so it can be started again
}

// own returns the additions in the form that package runs takes.
func (o Options) own() runs.Own {
	return runs.Own{Types: o.Types, Providers: o.Providers, Plugins: o.Plugins}
}

// The exit codes of all verbs. A verb that runs a program exits with the code of that program,
// and a verb that a signal ends exits with 128 plus the number of the signal.
const (
	exitOK      = 0
	exitNo      = 1   // the answer is no, something was found, or it failed
	exitMisuse  = 2   // the request was wrong: no such file, run, flag or key
	exitTimeout = 124 // the time ran out; the same code as timeout(1)

	exitInterrupted = 128 + int(syscall.SIGINT) // also used when another program stopped the run
)

// exitCode is returned as the error of a verb that has already printed its messages.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// failure is the error of a correct request whose answer is no, or that failed.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// codeOf returns the exit code of a verb that ends with an error. An error that is neither a failure nor
// from the system means misuse.
func codeOf(err error) int {
	var code exitCode
	var failed failure
	var unwritten *workspace.Unwritten
	var ended *registry.Ended
	var system syscall.Errno
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &failed), errors.As(err, &unwritten), errors.As(err, &ended):
		return exitNo
	case errors.Is(err, fs.ErrNotExist): // also if the folder of an output file is missing
		return exitMisuse
	case errors.As(err, &system):
		return exitNo
	}
	return exitMisuse
}

// answer is standard output, or standard error on a terminal. It remembers a failed write, because a
// command whose output is lost has failed.
type answer struct {
	io.Writer
	before func() // called before each write: removes the progress line
	mu     sync.Mutex
	err    error
}

func (o *answer) Write(p []byte) (int, error) {
	if o.before != nil {
		o.before()
	}
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

// terminal returns the terminal that a writer writes to.
func terminal(w io.Writer) (*os.File, bool) {
	w = visible.Below(w)
	if o, ok := w.(*answer); ok {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// format is the output format of a verb.
type format string

const (
	asText  format = "text"
	asShort format = "short"
	asJSON  format = "json"
	asYAML  format = "yaml"
	asSARIF format = "sarif"
)

// app is the state that all verbs share.
type app struct {
	options  Options
	args     []string
	in       io.Reader
	out, err io.Writer // writers that make control characters visible
	files    fileFlags
	work     *live.Work                     // the progress line of long work
	color    string                         // auto, always or never
	width    int                            // width of the terminal; 0: unlimited
	wide     bool                           // --wide: ignore width
	anySize  bool                           // the size of pictures is not limited
	watch    *watch                         // the files that a verb with --watch has read
	asked    *sync.Map                      // names of the environment variables that files use; nil: not recorded
	tree     func(...string) *cobra.Command // root, to parse command lines without running them
}

// newWork returns a progress line for a terminal that can draw one, else nil, which shows nothing.
func newWork(errs io.Writer) *live.Work {
	f, ok := terminal(errs)
	if !ok || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return live.NewWork(f, func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 80
		}
		return width
	})
}

// colours reports whether output to w is coloured: --color decides, then the environment, then whether w is a terminal.
func (a *app) colours(w io.Writer) bool {
	if a.color == "always" || a.color == "never" {
		return a.color == "always"
	}
	return colour(w)
}

// colour is colours without the --color flag; NO_COLOR always wins.
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

// buffered prints through a buffer, for output of many lines.
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

// exact returns standard output for data that other programs read: the text of a file, a
// picture, the output of a program. The bytes are unchanged, except on a terminal.
func (a *app) exact() io.Writer {
	if _, ok := terminal(a.out); ok {
		return a.out
	}
	return visible.Below(a.out)
}

// programLog returns standard error for programs that this one starts. They get the terminal itself if standard error
// is one.
func (a *app) programLog() io.Writer {
	if f, ok := terminal(a.err); ok {
		return f
	}
	return visible.Below(a.err)
}

// examples are the last lines of a verb's help.
func examples(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }

// host gives the checks of a run access to this machine and this command line.
// Processes of a plan often have the same arguments, so each command line is parsed once.
func (a *app) host() suite.Host {
	type answer struct {
		paths []string
		word  string
		err   error
	}
	known := map[string]answer{}
	h := suite.Host{Arguments: func(args []string) ([]string, string, error) {
		key := strings.Join(args, "\x00")
		x, ok := known[key]
		if !ok {
			x.paths, x.word, x.err = a.readArguments(args)
			known[key] = x
		}
		return x.paths, x.word, x.err
	}}
	if len(a.files.inside) > 0 { // --inside forbids reading anything else on this machine
		h.LookPath = func(command string) (string, error) { return command, nil }
	}
	return h
}

// readArguments parses a command line of this program without running it. It returns the
// paths, or the wrong word and the error.
func (a *app) readArguments(args []string) (paths []string, word string, err error) {
	root := a.tree(args...)
	verb, rest, err := root.Find(args)
	if err != nil {
		return nil, "", err
	}
	if verb.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return nil, rest[0], isVerb(verb, rest)
	}
	if err := verb.ParseFlags(rest); err != nil {
		return nil, wordOf(rest, err), flagMisuse(verb, err)
	}
	paths = verb.Flags().Args()
	if err := verb.ValidateArgs(paths); err != nil {
		if len(paths) > 0 {
			word = paths[0]
		}
		return nil, word, err
	}
	return paths, "", nil
}

// wordOf returns the argument that an error about a flag refers to.
func wordOf(args []string, err error) string {
	var unknown *pflag.NotExistError
	var lacks *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	name := ""
	switch {
	case errors.As(err, &unknown):
		name = unknown.GetSpecifiedName()
	case errors.As(err, &lacks):
		name = lacks.GetFlag().Name
	case errors.As(err, &wrong):
		name = wrong.GetFlag().Name
	}
	for _, arg := range args {
		flag, _, _ := strings.Cut(arg, "=")
		if name != "" && (flag == "--"+name || flag == "-"+name) {
			return arg
		}
	}
	return ""
}

// program describes how to start this program again.
func (a *app) program() runs.Program {
	path, _ := os.Executable() // without a path, the program cannot be started again
	return runs.Program{Path: path, Name: os.Args[0], Args: a.args, Guards: a.options.program}
}

// interruptible returns a context that Ctrl-C cancels. The exit code is then its cause.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := ends()
	go func() {
		select {
		case s := <-c:
			cancel(exitBy(s))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(c)
		cancel(nil)
	}
}

// interrupted returns the error of a verb, or the exit code of the signal that ended it.
func interrupted(ctx context.Context, err error) error {
	var code exitCode
	if errors.As(context.Cause(ctx), &code) {
		return code
	}
	return err
}

// exitBy returns the exit code of a verb that a signal ended.
func exitBy(s os.Signal) exitCode {
	if n, ok := s.(syscall.Signal); ok {
		return exitCode(128 + int(n))
	}
	return exitCode(exitInterrupted)
}

// ends returns a channel of the signals that end a verb.
func ends() chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c
}

// Version is the version of the program.
const Version = "0.1.0"
