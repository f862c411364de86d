package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/suite"
)

// Options is what a Go program adds to the command line.
type Options struct {
	// Types are process types that pipelines may have besides those of Pentode.
	Types []*pipe.Type
	// Providers are what `_instrumentation:type` of a process may name besides.
	Providers []*pipe.Provider

	program bool // this program is its command line, and can be started again
}

// The exit codes of all verbs.
const (
	exitOK     = 0
	exitNo     = 1 // the input has errors, or the answer is no
	exitMisuse = 2 // wrong arguments, or the input cannot be read

	exitInterrupted = 130 // as shells report SIGINT
)

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
	color    string                         // auto, always or never
	width    int                            // of the terminal; 0: answers are as wide as they are
	wide     bool                           // --wide: all the same
	maxNodes int                            // of a picture
	watch    *watch                         // what was read, with --watch
	asked    *sync.Map                      // names of variables that files have asked for; nil: they are not noted
	tree     func(...string) *cobra.Command // root, for command lines that are only read
}

// colours reports whether what is written there gets colour: as --color says, else as the environment does, else on terminals.
func (a *app) colours(w io.Writer) bool {
	if a.color == "always" || a.color == "never" {
		return a.color == "always"
	}
	return colour(w)
}

// colour is colours where there are no flags. Nothing there overrules NO_COLOR.
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

// host is what the checks of a run ask: this machine, and this command line.
// The processes of a plan often have the same arguments, which are read once.
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
	if len(a.files.inside) > 0 { // what else this machine has is not looked at
		h.LookPath = func(command string) (string, error) { return command, nil }
	}
	return h
}

// readArguments reads a command line of this program without running it: its
// paths, or what is wrong with which word.
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

// wordOf is the argument that an error about a flag is about.
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

// program is how this program is started again.
func (a *app) program() runs.Program {
	path, _ := os.Executable() // without it nothing is started again
	return runs.Program{Path: path, Name: os.Args[0], Args: a.args, Guards: a.options.program}
}

// interruptible is a context that Ctrl-C ends.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// interrupted is the end of a verb: what it has to say, unless Ctrl-C ended it.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return exitCode(exitInterrupted)
	}
	return err
}

// ends gives the signals that end a watch.
func ends() chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c
}

// Version is the version of the program.
const Version = "0.1.0"
