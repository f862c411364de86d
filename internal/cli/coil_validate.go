package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/workspace"
)

// ValidateCoil is the validator that the language's document names: 0 where every
// file is valid, 1 where one is not or cannot be read, 2 for misuse. It has errors
// and warnings to say, and nothing about vendors' sections.
func ValidateCoil(args []string, out, errs io.Writer) int {
	var o all.Options
	var include []string
	flags := flag.NewFlagSet("coil-config-validate", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	strict := flags.Bool("strict", false, "warnings count as errors")
	fragment := flags.Bool("fragment", false, "the file is only included by others: sections and keys may be missing")
	paths := flags.Bool("check-paths", false, "warn about folders that do not exist on this machine")
	flags.Func("I", "look for included files in `DIR`", func(dir string) error { include = append(include, dir); return nil })
	flags.Func("targets", "a `FILE.json` with further machines", func(path string) error { o.Targets = append(o.Targets, path); return nil })
	usage := func(w io.Writer) {
		fmt.Fprintf(w, "usage: coil-config-validate [flags] FILE...\n\n")
		flags.SetOutput(w)
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		usage(out)
		return exitOK
	case err != nil:
		fmt.Fprintf(errs, "coil-config-validate: %s\n", err)
		return exitMisuse
	case flags.NArg() == 0:
		usage(errs)
		return exitMisuse
	}
	options, err := o.Coil()
	if err != nil {
		fmt.Fprintf(errs, "coil-config-validate: %s\n", err)
		return exitMisuse
	}
	options.Validator, options.Fragment = true, *fragment
	if *paths {
		options.PathExists = coil.FolderExists
	}
	v := validator{options: options, include: include, errs: errs}
	for _, path := range flags.Args() {
		v.file(path)
	}
	return v.finish(out, *strict)
}

type validator struct {
	options    coil.Options
	include    []string
	errs       io.Writer
	report     render.Report
	unreadable bool
}

func (v *validator) file(path string) {
	env := load.NewEnv()
	env.Include = v.include
	f, err := env.Opener.Open(path)
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
			v.report.Diagnostics.Add(d)
		}
	}
}

func (v *validator) finish(out io.Writer, strict bool) int {
	found := v.report.Diagnostics
	if err := render.Terminal(out, found, colour(out)); err != nil {
		return exitMisuse
	}
	if len(found) > 0 {
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
