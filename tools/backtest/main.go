// Backtest applies checks to the history of a project: it checks the files before and after
// each commit whose message matches a pattern, and reports the commits that removed an error or
// a finding.
//
//	go -C tools run ./backtest -repo ../../viame -paths '*.pipe' -grep '\b(fix|correct)'            # fixes: the findings that they remove
//	go -C tools run ./backtest -repo ../../viame -paths '*.pipe' -grep '\b(fix|correct)' -not -n 300 # others: the findings that they add
//	go -C tools run ./backtest -repo ../../gysela -range v1..main -set 'pdi.sources=["src/**"]'
//
// With -paths only the files that a commit changes are checked, and files that mention them, for example in an include. Findings
// before and after are the same if their code, file and message are: lines may move, and files may be renamed. With -import
// and -module the process types are the types at the commit; if no repository has the commit of a submodule, the nearest
// commit is used, and the table says so. With -prepare a command runs in each checkout first. With -raise the table also
// counts warnings of a check that are errors of a run, such as a missing file: `-raise sprokit/no-such-file`.
//
//	commit ──▶ files it affects ──┬─▶ checkout of the parent ──prepare, import, check──┐
//	                              └─▶ checkout of the commit ──prepare, import, check──┴──▶ lost and new findings ──▶ table
//
// It works in a clone and runs for minutes to hours; `.ci/run` does not need it.
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
	flag.StringVar(&o.grep, "grep", "", "a regular `expression` for commit messages, ignoring case; empty: all")
	flag.BoolVar(&o.not, "not", false, "take the commits whose message does not match")
	flag.Var(&o.paths, "paths", "only commits that change files matching this `pattern` of git (repeatable); without it all files are checked")
	flag.IntVar(&o.n, "n", 0, "the maximum number of commits, the newest first; 0: all")
	flag.StringVar(&o.program, "pentode", "", "the `program` that checks; empty: build it from this checkout")
	flag.StringVar(&o.prepare, "prepare", "", "a `command` of the shell to run in each checkout, with $PENTODE as the program")
	flag.Var(&o.imports, "import", "import the process types of this `folder` of each checkout (repeatable)")
	flag.Var(&o.modules, "module", "import the types of a submodule, `FOLDER=REPOSITORY`; give several REPOSITORIES of one FOLDER if one lacks commits (repeatable)")
	flag.StringVar(&o.keep, "keep", "", "a `folder` that keeps imported types for later runs, which must use the same imports")
	flag.Var(&o.settings, "set", "a setting of the project, `KEY=VALUE` (repeatable)")
	flag.Var(&o.raise, "raise", "a `code` whose warnings are errors of a run (repeatable)")
	flag.BoolVar(&o.verbose, "v", false, "also print the findings")
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
