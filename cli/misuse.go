package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// refuseMisuse makes a verb refuse wrong arguments with what was expected, and
// where to read more.
func refuseMisuse(verb *cobra.Command) {
	if verb.HasSubCommands() {
		verb.Args = isVerb
		if verb.RunE == nil {
			verb.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		for _, sub := range verb.Commands() {
			refuseMisuse(sub)
		}
		return
	}
	counts := verb.Args
	verb.Args = func(cmd *cobra.Command, args []string) error {
		if err := refuseOthers(cmd.Flags()); err != nil || counts == nil || counts(cmd, args) == nil {
			return err
		}
		return fmt.Errorf("expected `%s`, but found %s; `%s --help` shows examples",
			strings.TrimSuffix(cmd.UseLine(), " [flags]"), arguments(len(args)), cmd.CommandPath())
	}
}

// refuseOthers refuses a value that is none of those which the help of its flag lists.
func refuseOthers(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		words, value := choices(f), f.Value.String()
		if last := len(words) - 1; err == nil && last > 0 && !slices.Contains(words, value) {
			err = fmt.Errorf("--%s takes %s or %s, not `%s`%s", f.Name, strings.Join(words[:last], ", "), words[last], value, near(value, words))
		}
	})
	return err
}

func arguments(n int) string {
	switch n {
	case 0:
		return "no arguments"
	case 1:
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// isVerb refuses a first word that is not a verb.
func isVerb(group *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range group.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	what := "a verb"
	if group.HasParent() {
		what = "a verb of `" + group.CommandPath() + "`"
	}
	return fmt.Errorf("`%s` is not %s; %s", args[0], what, problem.Advise(args[0], names, "`"+group.CommandPath()+" --help` lists them"))
}

// flagMisuse rewords an error about a flag.
func flagMisuse(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var lacks *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		if unknown.GetSpecifiedShortnames() != "" {
			return fmt.Errorf("there is no flag `-%s`; `%s --help` lists them", unknown.GetSpecifiedName(), cmd.CommandPath())
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		for _, name := range names {
			if strings.HasPrefix(name, unknown.GetSpecifiedName()) {
				return fmt.Errorf("there is no flag `--%s`; did you mean `--%s`?", unknown.GetSpecifiedName(), name)
			}
		}
		if near, ok := problem.Nearest(unknown.GetSpecifiedName(), names); ok {
			return fmt.Errorf("there is no flag `--%s`; did you mean `--%s`?", unknown.GetSpecifiedName(), near)
		}
		return fmt.Errorf("there is no flag `--%s`; `%s --help` lists them", unknown.GetSpecifiedName(), cmd.CommandPath())
	case errors.As(err, &lacks):
		return fmt.Errorf("`--%s` needs a value: %s", lacks.GetFlag().Name, plainUsage(lacks.GetFlag()))
	case errors.As(err, &wrong):
		return fmt.Errorf("`--%s` cannot be `%s`: %s", wrong.GetFlag().Name, wrong.GetValue(), plainUsage(wrong.GetFlag()))
	}
	return err
}

// plainUsage is the help text of a flag.
func plainUsage(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	return usage
}

// helpVerb is `pentode help VERB`, the same as `pentode VERB --help`.
func helpVerb() *cobra.Command {
	return &cobra.Command{
		Use: "help", Hidden: true,
		RunE: func(cmd *cobra.Command, words []string) error {
			verb, rest, err := cmd.Root().Find(words)
			if err == nil && len(rest) > 0 {
				err = isVerb(verb, rest)
			}
			if err != nil {
				return err
			}
			return verb.Help()
		},
	}
}
