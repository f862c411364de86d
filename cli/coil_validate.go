package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// validatorName is what the language's document calls its validator.
const validatorName = "coil-config-validate"

// ValidateCoil is the validator that the language's document names: 0 where every
// file is valid, 1 where one is not or cannot be read, 2 for misuse. It reports
// errors and warnings, and nothing about vendors' sections.
func ValidateCoil(args []string, in io.Reader, out, errs io.Writer) int {
	var o languageFlags
	errs = visible.NewWriter(errs)
	v := validator{in: in, errs: errs}
	flags := flag.NewFlagSet(validatorName, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	strict := flags.Bool("strict", false, "warnings count as errors")
	fragment := flags.Bool("fragment", false, "the file is only included by others: sections and keys may be missing")
	paths := flags.Bool("check-paths", false, "warn about folders that do not exist on this machine")
	flags.Int64Var(&v.maxSize, "max-size", source.DefaultMaxSize, "the largest file to read, in `BYTES`")
	flags.Func("I", "look for included files in `DIR`", func(dir string) error { v.include = append(v.include, dir); return nil })
	flags.Func("targets", "a `FILE.json` with further machines", func(path string) error { o.targets = append(o.targets, path); return nil })
	usage := func(w io.Writer) {
		fmt.Fprintf(w, "usage: coil-config-validate [flags] FILE...    (- is standard input)\n\n")
		flags.SetOutput(w)
		flags.PrintDefaults()
	}
	files, err := parseMixed(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(out)
		return exitOK
	case err != nil:
		fmt.Fprintf(errs, "coil-config-validate: %s\n", plainFlagError(err))
		return exitMisuse
	case len(files) == 0:
		usage(errs)
		return exitMisuse
	}
	v.options, err = o.coil(&project.Project{})
	if err != nil {
		fmt.Fprintf(errs, "coil-config-validate: %s\n", err)
		return exitMisuse
	}
	v.options.Validator, v.options.Fragment = true, *fragment
	if *paths {
		v.options.PathExists = coil.FolderExists
	}
	for _, path := range files {
		v.file(path)
	}
	return v.finish(out, *strict)
}

// parseMixed takes flags also after files, up to a `--`, and returns the files.
func parseMixed(flags *flag.FlagSet, args []string) ([]string, error) {
	var after, files []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, after = args[:i], args[i+1:]
	}
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			return slices.Concat(files, after), nil
		}
		files, args = append(files, flags.Arg(0)), flags.Args()[1:]
	}
}

// plainFlagError rewords an error of the flag package.
func plainFlagError(err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return fmt.Sprintf("there is no flag `--%s`; `coil-config-validate --help` lists them", name)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return fmt.Sprintf("`-%s` needs a value; `coil-config-validate --help` says which", name)
	}
	return text
}

type validator struct {
	options    coil.Options
	include    []string
	in         io.Reader
	errs       io.Writer
	maxSize    int64
	report     render.Report
	unreadable bool
}

func (v *validator) file(path string) {
	env := load.NewEnv()
	env.Include = v.include
	env.Opener = source.Disk{MaxSize: v.maxSize}
	f, err := v.open(env.Opener, path)
	if refused := workspace.Refused(path, err); refused != nil {
		v.report.Diagnostics.Add(refused)
		return
	}
	if err != nil {
		fmt.Fprintf(v.errs, "coil-config-validate: %s\n", source.Explain(path, err))
		v.unreadable = true
		return
	}
	v.report.Files = append(v.report.Files, render.File{Path: path, Language: "coil"})
	for _, d := range coil.New(v.options).Parse(f).Resolve(env).Diagnostics() {
		if d.Severity != diag.Info {
			d.Fixes = nil // this program writes none
			v.report.Diagnostics.Add(d)
		}
	}
}

func (v *validator) open(o source.Opener, path string) (*source.File, error) {
	if path == "-" {
		return source.Read("-", v.in, v.maxSize)
	}
	return source.OpenNamed(o, path)
}

func (v *validator) finish(out io.Writer, strict bool) int {
	found := v.report.Diagnostics
	if len(found) > 0 {
		if err := render.Terminal(out, found, colour(out)); err != nil {
			return exitMisuse
		}
		fmt.Fprintln(out)
	}
	if len(v.report.Files) > 0 {
		fmt.Fprintln(v.errs, v.report.Summary())
	}
	if v.unreadable || found.HasErrors() || strict && found.Count(diag.Warning) > 0 {
		return exitNo
	}
	return exitOK
}
