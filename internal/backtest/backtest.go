package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// finding is what makes one the same before and after a commit.
type finding struct {
	Severity, Code, Path, Message string
}

func (f finding) String() string {
	return fmt.Sprintf("%s[%s] %s: %s", f.Severity, f.Code, f.Path, f.Message)
}

// backtest checks commits.
type backtest struct {
	options
	clone *checkout
	check func(dir string, files []string) ([]finding, error)
	out   io.Writer
	known map[string][]finding // by commit and files
}

// change is what a commit did to the findings.
type change struct{ lost, fresh []finding }

// all checks commits and prints a line for each that changes something, and the sums.
func (b *backtest) all(commits []commit) {
	var errorsLost, anyLost, errorsFresh, failed int
	for _, c := range commits {
		x, err := b.one(c)
		if err != nil {
			failed++
			fmt.Fprintf(b.out, "%.9s  not checked: %v\n", c.hash, err)
			continue
		}
		lost, fresh := count(x.lost, "error"), count(x.fresh, "error")
		if lost > 0 {
			errorsLost++
		}
		if len(x.lost) > 0 {
			anyLost++
		}
		errorsFresh += fresh
		if len(x.lost)+len(x.fresh) == 0 && !b.verbose {
			continue
		}
		fmt.Fprintf(b.out, "%.9s  loses %d errors of %d findings, brings %d of %d  %s\n", c.hash, lost, len(x.lost), fresh, len(x.fresh), c.subject)
		if b.verbose {
			for _, f := range x.lost {
				fmt.Fprintln(b.out, "    -", f)
			}
			for _, f := range x.fresh {
				fmt.Fprintln(b.out, "    +", f)
			}
		}
	}
	fmt.Fprintf(b.out, "%d commits: %d lose an error, %d any finding; %d new errors; %d not checked\n", len(commits), errorsLost, anyLost, errorsFresh, failed)
}

// one compares the findings before and after a commit. Those of a file that it moves move with it, and those of a file
// that it deletes are not lost.
func (b *backtest) one(c commit) (change, error) {
	e, files := edits{}, []string(nil)
	if len(b.paths) > 0 {
		var err error
		if e, err = b.clone.edits(c, b.paths); err != nil {
			return change{}, err
		}
		for _, hash := range []string{c.parent, c.hash} {
			list, err := b.clone.affected(hash, e.touched, b.paths)
			if err != nil {
				return change{}, err
			}
			files = append(files, list...)
		}
		slices.Sort(files)
		files = slices.Compact(files)
	}
	before, err := b.at(c.parent, files)
	if err != nil {
		return change{}, err
	}
	after, err := b.at(c.hash, files)
	if err != nil {
		return change{}, err
	}
	var stay []finding
	for _, f := range before {
		if e.deleted[f.Path] {
			continue
		}
		if name, moved := e.renamed[f.Path]; moved {
			f.Path = name
		}
		stay = append(stay, f)
	}
	return change{without(stay, after), without(after, stay)}, nil
}

// at are the findings of a commit in some files; without any, in all.
func (b *backtest) at(hash string, files []string) ([]finding, error) {
	key := hash + "\x00" + strings.Join(files, "\x00")
	if have, ok := b.known[key]; ok {
		return have, nil
	}
	if err := b.clone.show(hash); err != nil {
		return nil, err
	}
	if b.prepare != "" {
		cmd := exec.Command("sh", "-c", b.prepare)
		cmd.Dir, cmd.Env = b.clone.dir, append(os.Environ(), "PENTODE="+b.program)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %v: %.200s", b.prepare, err, out)
		}
	}
	there := slices.DeleteFunc(slices.Clone(files), func(name string) bool {
		_, err := os.Lstat(filepath.Join(b.clone.dir, filepath.FromSlash(name)))
		return err != nil
	})
	var list []finding
	var err error
	if len(there) > 0 || len(files) == 0 {
		list, err = b.check(b.clone.dir, there)
	}
	if err == nil {
		b.known[key] = list
	}
	return list, err
}

// pentode checks files of a folder, or all of it, with the program.
func (b *backtest) pentode(dir string, files []string) ([]finding, error) {
	args := []string{"check", "--format", "json"}
	for _, s := range b.settings {
		args = append(args, "--config", s)
	}
	if len(files) == 0 {
		files = []string{"."}
	}
	cmd := exec.Command(b.program, append(append(args, "--"), files...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var answer struct{ Diagnostics []finding }
	if broken := json.Unmarshal(out, &answer); broken != nil {
		if failed, ok := err.(*exec.ExitError); ok {
			return nil, fmt.Errorf("the check failed: %.200s", failed.Stderr)
		}
		return nil, errors.Join(err, broken)
	}
	return answer.Diagnostics, nil
}

// without are the findings of one list that another does not have, each as often.
func without(list, other []finding) (rest []finding) {
	left := map[finding]int{}
	for _, f := range other {
		left[f]++
	}
	for _, f := range list {
		if left[f]--; left[f] < 0 {
			rest = append(rest, f)
		}
	}
	return rest
}

func count(list []finding, severity string) (n int) {
	for _, f := range list {
		if f.Severity == severity {
			n++
		}
	}
	return n
}

// build makes the program from the folder that this one is started in.
func build(path string) error {
	out, err := exec.Command("go", "build", "-trimpath", "-o", path, "./cmd/pentode").CombinedOutput()
	if err != nil {
		return fmt.Errorf("the program cannot be built: %s", out)
	}
	return nil
}
