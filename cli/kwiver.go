package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pentode-dev/pentode/core/visible"
)

// KwiverPrograms are the names of KWIVER's programs whose command lines this one takes.
var KwiverPrograms = []string{"pipeline_runner", "plugin_explorer", "kwiver"}

// AsKwiver does what a program of KWIVER does with its command line: the line is
// said in the words of this program, and run.
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
  -p, --pipeline FILE       the pipeline, where it is not the last word
  -c, --config FILE         settings that are read after the pipeline (repeatable)
  -s, --setting KEY=VALUE   override a setting (repeatable)
  -I, --include DIR         look for included files in DIR (repeatable)
  -S, --scheduler NAME      the scheduler, whatever the file says

usage: plugin_explorer [flags]             (or: kwiver explorer [flags])
      --proc all|TYPE       process types, all or one
  -d, --detail, -b, --brief accepted: one type is shown whole, of many a line each
`

// kwiverLine is the line of this program for one of KWIVER's, and the text for its standard
// input where there is one.
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

// quietFlags makes a set of flags whose mistakes the caller reports.
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
	// A file that includes the pipeline and then the settings says the same.
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
	if rest := f.Args(); len(rest) > 0 && *types == "all" { // `--proc TYPE`, as people write it
		*types, args = rest[0], rest[1:]
		if len(args) > 0 {
			return nil, fmt.Errorf("`%s` is one type too many", args[0])
		}
	} else if len(rest) > 0 {
		return nil, fmt.Errorf("`%s` belongs to no flag; `--proc %[1]s` shows a process type", rest[0])
	}
	if *types == "" || *types == "all" {
		return []string{"flow", "list"}, nil
	}
	return []string{"flow", "describe", *types}, nil
}
