package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// checkout is a clone in which commits are checked out one after the other.
type checkout struct{ dir string }

// commit is a commit of the history.
type commit struct{ hash, parent, subject string }

// clone makes a checkout that shares the history of a repository.
func clone(repo, dir string) (*checkout, error) {
	if out, err := exec.Command("git", "clone", "--quiet", "--shared", "--no-checkout", repo, dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s cannot be cloned: %s", repo, bytes.TrimSpace(out))
	}
	return &checkout{dir}, nil
}

// git runs a command in the clone.
func (c *checkout) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", c.dir}, args...)...)
	out, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		return "", fmt.Errorf("git %s: %s", args[0], bytes.TrimSpace(failed.Stderr))
	}
	return string(out), err
}

// commits returns the commits that match the options and have one parent, the newest first.
func (c *checkout) commits(o options) ([]commit, error) {
	args := []string{"log", "--no-merges", "--min-parents=1", "--format=%H%x09%P%x09%s", "-i", "-E"}
	if o.grep != "" {
		args = append(args, "--grep", o.grep)
	}
	if o.not {
		args = append(args, "--invert-grep")
	}
	if o.n > 0 {
		args = append(args, "-n", strconv.Itoa(o.n))
	}
	args = append(args, o.span, "--")
	out, err := c.git(append(args, o.paths...)...)
	if err != nil {
		return nil, err
	}
	var list []commit
	for line := range strings.Lines(out) {
		if parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3); len(parts) == 3 {
			list = append(list, commit{parts[0], parts[1], parts[2]})
		}
	}
	return list, nil
}

// show puts the files of a commit into the folder, and nothing else.
func (c *checkout) show(hash string) error {
	if _, err := c.git("checkout", "--quiet", "--force", "--detach", hash); err != nil {
		return err
	}
	_, err := c.git("clean", "-d", "-f", "-f", "-x", "--quiet")
	return err
}

// project creates a project file if the folder has none, so that the settings of the command line apply to all its
// subfolders.
func (c *checkout) project() error {
	f, err := os.OpenFile(filepath.Join(c.dir, "pentode.toml"), os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// edits are the changes of a commit to files.
type edits struct {
	touched []string          // names before and after
	renamed map[string]string // the new name by the old one
	deleted map[string]bool
}

// edits reads the changes of a commit to files that match patterns.
func (c *checkout) edits(of commit, patterns []string) (edits, error) {
	e := edits{renamed: map[string]string{}, deleted: map[string]bool{}}
	out, err := c.git(append([]string{"diff", "--name-status", "-M", "-z", of.parent, of.hash, "--"}, patterns...)...)
	if err != nil {
		return e, err
	}
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		status, name := fields[i], fields[i+1]
		e.touched = append(e.touched, name)
		switch {
		case status == "D":
			e.deleted[name] = true
		case strings.HasPrefix(status, "R") && i+2 < len(fields):
			i++
			e.renamed[name] = fields[i+1]
			e.touched = append(e.touched, fields[i+1])
		}
	}
	return e, nil
}

// affected returns the files of a commit that match patterns and either are among names, or mention one of them directly
// or through other files.
func (c *checkout) affected(hash string, names, patterns []string) ([]string, error) {
	var list []string
	seen := map[string]bool{}
	for len(names) > 0 {
		args := []string{"grep", "-l", "-z", "-F", "-I"}
		for _, name := range names {
			args = append(args, "-e", path.Base(name))
		}
		args = append(append(args, hash, "--"), patterns...)
		out, err := c.git(args...)
		if err != nil && err.Error() != "git grep: " { // nothing was found
			return nil, err
		}
		names = slices.Clone(names)
		for mention := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
			names = append(names, strings.TrimPrefix(mention, hash+":"))
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			again := seen[name] || name == ""
			seen[name] = true
			if !again {
				list = append(list, name)
			}
			return again
		})
	}
	return list, nil
}
