// Backtest applies checks to the history of a project: it checks the files before and after
// each commit whose message matches a pattern, and reports the commits that removed an error or
// a finding.
//
//	go -C tools run ./backtest -repo ../../viame -paths '*.pipe' -grep '\b(fix|correct)'            # fixes: what they take away
//	go -C tools run ./backtest -repo ../../viame -paths '*.pipe' -grep '\b(fix|correct)' -not -n 300 # others: what they bring
//	go -C tools run ./backtest -repo ../../gysela -range v1..main -set 'pdi.sources=["src/**"]'
//
// With -paths only the files are checked that a commit changes, and those that mention them, as by an include. A finding is the
// same before and after where its code, file and message are: lines move, and files do. With -import and -module the process
// types are those that the commit had; where no repository has the commit of a submodule, the nearest one stands for it, and
// the table says so. With -prepare a command runs in each checkout first. With -raise the table also counts what a check warns of
// and a run refuses, such as a file that is not there: `-raise sprokit/no-such-file`.
//
//	commit ──▶ files it affects ──┬─▶ checkout of the parent ──prepare, import, check──┐
//	                              └─▶ checkout of the commit ──prepare, import, check──┴──▶ lost and new findings ──▶ table
//
// It works in a clone, and runs for minutes to hours; no test of `.ci/run` needs it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

type options struct {
	repo, span, grep string
	paths            repeated
	program, prepare string
	keep             string
	imports, modules repeated
	settings, raise  repeated
	not              bool
	n                int
	verbose          bool
}

// repeated is a flag that may be given more than once.
type repeated []string

func (r *repeated) String() string     { return fmt.Sprint(*r) }
func (r *repeated) Set(s string) error { *r = append(*r, s); return nil }

func main() {
	var o options
	flag.StringVar(&o.repo, "repo", ".", "the `folder` of the project, a git repository")
	flag.StringVar(&o.span, "range", "HEAD", "the commits: a `range` of git")
	flag.StringVar(&o.grep, "grep", "", "a regular `expression` for messages, in any case; empty: all")
	flag.BoolVar(&o.not, "not", false, "the commits whose message does not fit")
	flag.Var(&o.paths, "paths", "only commits that change such files, a `pattern` of git (repeatable); without it all files are checked")
	flag.IntVar(&o.n, "n", 0, "at most so many commits, the newest first; 0: all")
	flag.StringVar(&o.program, "pentode", "", "the `program` that checks; empty: it is built from this checkout")
	flag.StringVar(&o.prepare, "prepare", "", "a `command` of the shell to run in each checkout, with $PENTODE as the program")
	flag.Var(&o.imports, "import", "import the process types of this `folder` of each checkout (repeatable)")
	flag.Var(&o.modules, "module", "import the types of a submodule, `FOLDER=REPOSITORY`; give several REPOSITORIES of one FOLDER if one lacks commits (repeatable)")
	flag.StringVar(&o.keep, "keep", "", "a `folder` where imported types stay for the next run, which must import alike")
	flag.Var(&o.settings, "set", "a setting of the project, `KEY=VALUE` (repeatable)")
	flag.Var(&o.raise, "raise", "a `code` whose warnings are errors of a run (repeatable)")
	flag.BoolVar(&o.verbose, "v", false, "also say which findings")
	flag.Parse()
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "backtest:", err)
		os.Exit(1)
	}
}

func run(o options, out io.Writer) error {
	dir, err := os.MkdirTemp("", "backtest")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.program == "" {
		o.program = filepath.Join(dir, "pentode")
		if err := build(o.program); err != nil {
			return err
		}
	}
	if o.program, err = filepath.Abs(o.program); err != nil {
		return err
	}
	c, err := clone(o.repo, filepath.Join(dir, "clone"))
	if err != nil {
		return err
	}
	commits, err := c.commits(o)
	if err != nil {
		return err
	}
	t, err := newTypes(o, dir)
	if err != nil {
		return err
	}
	b := &backtest{options: o, clone: c, types: t, out: out, known: map[string]state{}}
	b.check = b.pentode
	b.all(commits)
	return nil
}
