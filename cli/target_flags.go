package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/target"
)

func (a *app) flagsVerb() *cobra.Command {
	var stage, program string
	var versions, verbose bool
	var c target.Compiler
	cmd := &cobra.Command{
		Use:   "flags --for COMPILER [FILE|PRESET]",
		Short: "Print what a compiler must be told to build for a target",
		Long: "Print what a compiler must be told to build for a target, this machine where none is given.\n" +
			"What the compiler cannot be told is said on standard error.",
		Example: examples("echo gcc $(pentode target flags --for gcc examples/heat/heat.coilcfg) -c main.c", "pentode target flags --for gcc --versions sapphirerapids"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if c.Name == "" {
				return fmt.Errorf("give the compiler with --for: %s", strings.Join(target.Compilers(), ", "))
			}
			if c.Major < 0 {
				return fmt.Errorf("--compiler-version takes the compiler's first number, such as 14, not `%d`", c.Major)
			}
			if versions && c.Name != "gcc" && c.Name != "clang" {
				return fmt.Errorf("--versions is known of gcc and clang, not of `%s`", c.Name)
			}
			name := thisHost
			if len(args) == 1 {
				name = args[0]
			}
			if program != "" && c.Major != 0 {
				return errors.New("--cc names a compiler that can be asked for its version; give one of --cc and --compiler-version")
			}
			return a.flags(name, program, c, map[string]target.Stage{"compile": target.Compiling, "link": target.Linking}[stage], versions, verbose)
		},
	}
	cmd.Flags().StringVar(&c.Name, "for", "", "the `COMPILER`: "+strings.Join(target.Compilers(), ", "))
	cmd.Flags().StringVar(&stage, "stage", "compile", "`compile|link`")
	cmd.Flags().IntVar(&c.Major, "compiler-version", 0, "its major version `N`; unset, the installed one is asked")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "also name the flags by which the compiler defines no macro")
	cmd.Flags().BoolVar(&c.Unstable, "unstable", false, "for rustc: with the features that it warns of as unstable")
	cmd.Flags().StringVar(&c.Tune, "tune", "", "make code fast for the `PROCESSOR`, one of the presets, though it runs on every target like this one (-mtune)")
	cmd.Flags().StringVar(&program, "cc", "", "the `PROGRAM` that will be used, such as aarch64-linux-gnu-gcc: a file for a build system names it and has its flags alone")
	cmd.Flags().BoolVar(&versions, "versions", false, "one flag to a line, with the first version of the compiler that has it")
	return a.reads(cmd, "coil")
}

func (a *app) flags(name, program string, c target.Compiler, stage target.Stage, versions, verbose bool) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	machines, err := a.machines()
	if err != nil {
		return err
	}
	t, err := a.target(w, name)
	if err != nil {
		return err
	}
	unstable, tune := c.Unstable, c.Tune
	switch {
	case program != "":
		if c, err = target.ThisHost().Using(c.Name, program); err != nil {
			return err
		}
	case c.Major == 0:
		c = target.ThisHost().Compiler(c.Name)
	}
	c.Unstable, c.Tune = unstable, tune
	flags, notes, err := machines.Flags(t, c, stage)
	if err != nil {
		return err
	}
	a.notes(slices.DeleteFunc(slices.Clone(notes), func(p *problem.Problem) bool { return p.Kind == target.NoMacro && !verbose }))
	if slices.ContainsFunc(notes, func(p *problem.Problem) bool { return p.Kind == target.NoTarget }) {
		return exitCode(exitNo)
	}
	if c.WritesFile() {
		_, err = fmt.Fprintln(a.out, strings.Join(flags, "\n"))
		return err
	}
	words := make([]string, len(flags))
	for i, f := range flags {
		words[i] = launch.Quote(f)
	}
	if versions {
		since, err := machines.Versions(t, c, stage)
		if err != nil {
			return err
		}
		rows := [][]string{{"FLAG", "SINCE"}}
		for i, f := range flags {
			first := fmt.Sprintf("%s %d", c.Name, since[f])
			if since[f] == 0 {
				first = fmt.Sprintf("%s %d or older", c.Name, target.Oldest(c.Name))
			}
			rows = append(rows, []string{words[i], first})
		}
		a.columns(rows)
		return nil
	}
	_, err = fmt.Fprintln(a.out, strings.Join(words, " "))
	return err
}

// notes prints what an engine remarks. They are about the target as a whole, so
// they have no place in front.
func (a *app) notes(list problem.List) {
	for _, p := range list {
		text := p.Message
		if p.Expected != "" {
			text += "; " + p.Expected
		}
		fmt.Fprintf(a.err, "pentode: %s\n", text)
	}
}
