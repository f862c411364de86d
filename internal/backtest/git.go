package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// checkout is a clone whose files are those of one commit after the other.
type checkout struct{ dir string }

// commit is one of the history.
type commit struct{ hash, parent, subject string }

// clone makes one that shares the history of a repository.
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

// commits are those of the options that have one parent, the newest first.
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
	if o.paths != "" {
		args = append(args, o.paths)
	}
	out, err := c.git(args...)
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

// tree names the files of a commit below a folder: two commits with the same have the same findings.
func (c *checkout) tree(hash, paths string) string {
	out, err := c.git("rev-parse", hash+":"+paths)
	if err != nil {
		return hash // the folder is not there yet
	}
	return out
}
