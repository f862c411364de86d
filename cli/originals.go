package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/workspace"
	"github.com/pentode-dev/pentode/workspace/project"
)

// KwiverPrograms are the names of the KWIVER programs whose command lines this program accepts.
var KwiverPrograms = []string{"pipeline_runner", "plugin_explorer", "kwiver"}

// AsKwiver acts as a program of KWIVER: it translates the command line into one of
// this program, and runs it.
func AsKwiver(program string, o Options, args []string, in io.Reader, out, errs io.Writer) int {
	errs = visible.NewWriter(errs)
	own, text, err := kwiverLine(program, args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprint(out, kwiverUsage)
		return exitOK
	case err != nil:
		fmt.Fprintf(errs, "%s: %s\n", program, err)
		return exitMisuse
	}
	if text != "" {
		in = strings.NewReader(text)
	}
	return Run(o, own, in, out, errs)
}

const kwiverUsage = `usage: pipeline_runner [flags] PIPELINE    (or: kwiver runner [flags] PIPELINE)
  -p, --pipeline FILE       the pipeline, if it is not the last argument
  -c, --config FILE         read more settings after the pipeline (repeatable)
  -s, --setting KEY=VALUE   override a setting (repeatable)
  -I, --include DIR         look for included files in DIR (repeatable)
  -S, --scheduler NAME      the scheduler, whatever the file says

usage: plugin_explorer [flags]             (or: kwiver explorer [flags])
      --proc all|TYPE       process types, all or one
  -d, --detail, -b, --brief ignored: one type is always shown in full, several on a line each
`

// kwiverLine translates a command line of KWIVER into one of this program. If the command needs
// standard input, text is its content.
func kwiverLine(program string, args []string) (own []string, text string, err error) {
	if program == "kwiver" {
		if len(args) == 0 || args[0] == "help" || strings.HasPrefix(args[0], "-") {
			return nil, "", pflag.ErrHelp
		}
		switch args[0] {
		case "runner", "pipeline_runner":
			program = "pipeline_runner"
		case "explorer", "plugin_explorer":
			program = "plugin_explorer"
		default:
			return nil, "", fmt.Errorf("there is no `%s` here: expected runner or explorer", args[0])
		}
		args = args[1:]
	}
	if program == "plugin_explorer" {
		own, err = explorerLine(args)
		return own, "", err
	}
	return runnerLine(args)
}

// quietFlags makes a set of flags that prints nothing: the caller reports errors.
func quietFlags(name string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	return f
}

func runnerLine(args []string) (own []string, text string, err error) {
	f := quietFlags("pipeline_runner")
	pipeline := f.StringP("pipeline", "p", "", "")
	configs := f.StringArrayP("config", "c", nil, "")
	settings := f.StringArrayP("setting", "s", nil, "")
	include := f.StringArrayP("include", "I", nil, "")
	scheduler := f.StringP("scheduler", "S", "", "")
	if err := f.Parse(args); err != nil {
		return nil, "", err
	}
	files := f.Args()
	if *pipeline != "" {
		files = slices.Insert(files, 0, *pipeline)
	}
	if len(files) != 1 {
		return nil, "", fmt.Errorf("%d pipelines are given: expected one; `--help` shows the flags", len(files))
	}
	own = []string{"run"}
	for _, s := range *settings {
		own = append(own, "-s", s)
	}
	for _, dir := range *include {
		own = append(own, "-I", dir)
	}
	if *scheduler != "" {
		own = append(own, "--scheduler", *scheduler)
	}
	if len(*configs) == 0 {
		return append(own, files[0]), "", nil
	}
	// The settings of the command line become a file that includes the pipeline before them.
	var b strings.Builder
	for _, file := range append(files, *configs...) {
		full, err := filepath.Abs(file)
		if err != nil {
			return nil, "", err
		}
		fmt.Fprintf(&b, "include %s\n", full)
	}
	return append(own, "--filename", "pipeline_runner.pipe", "-"), b.String(), nil
}

func explorerLine(args []string) ([]string, error) {
	f := quietFlags("plugin_explorer")
	types := f.String("proc", "", "")
	f.Lookup("proc").NoOptDefVal = "all"
	for _, name := range []string{"detail", "brief", "hidden", "all"} {
		f.BoolP(name, map[string]string{"detail": "d", "brief": "b"}[name], false, "")
	}
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if rest := f.Args(); len(rest) > 0 && *types == "all" { // KWIVER users also write `--proc TYPE`
		*types, args = rest[0], rest[1:]
		if len(args) > 0 {
			return nil, fmt.Errorf("`%s` is a second type: expected one", args[0])
		}
	} else if len(rest) > 0 {
		return nil, fmt.Errorf("`%s` belongs to no flag; `--proc %[1]s` shows a process type", rest[0])
	}
	if *types == "" || *types == "all" {
		return []string{"types", "list"}, nil
	}
	return []string{"types", "show", *types}, nil
}

// validatorName is the name of the validator in COIL's documentation.
const validatorName = "coil-config-validate"

// ValidateCoil is the validator that COIL's documentation names. It returns 0 if every file is valid,
// 1 if one is invalid or cannot be read, and 2 for misuse. It reports errors and warnings, except
// about sections of vendors.
func ValidateCoil(args []string, in io.Reader, out, errs io.Writer) int {
	p := &project.Project{}
	errs = visible.NewWriter(errs)
	v := validator{in: in, errs: errs}
	flags := flag.NewFlagSet(validatorName, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	strict := flags.Bool("strict", false, "count warnings as errors")
	fragment := flags.Bool("fragment", false, "the file is only included by others: sections and keys may be missing")
	paths := flags.Bool("check-paths", false, "warn about folders that do not exist on this machine")
	flags.Int64Var(&v.maxSize, "max-size", source.DefaultMaxSize, "the largest file to read, in `BYTES`")
	flags.Func("I", "look for included files in `DIR`", func(dir string) error { v.include = append(v.include, dir); return nil })
	flags.Func("targets", "a `FILE.json` with further machines", func(path string) error { p.Targets = append(p.Targets, project.Path{Name: path}); return nil })
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
	v.options, err = coilOptions(p)
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

// parseMixed parses flags before and after files, up to a `--`, and returns the files.
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
			d.Fixes = nil // this program applies no fixes
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
