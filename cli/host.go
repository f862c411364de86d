package cli

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/suite"
)

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
