package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// history makes a repository with commits; each has a message and the lines of a file.
func history(t *testing.T, commits [][2]string) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command(need.Program(t, "git"), append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-C", dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	git("init", "--quiet")
	for _, c := range commits {
		for name, text := range map[string]string{"conf/list": c[1], "notes": c[0]} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "--quiet", "-m", c[0])
	}
	return dir
}

// lines finds an error in each line that begins with `e`, and a warning in each with `w`.
func lines(dir string, _, _ []string) ([]finding, error) {
	text, err := os.ReadFile(filepath.Join(dir, "conf", "list"))
	if err != nil {
		return nil, err
	}
	var list []finding
	for _, line := range strings.Fields(string(text)) {
		switch line[0] {
		case 'e':
			list = append(list, finding{"error", "x/e", "list", line})
		case 'w':
			list = append(list, finding{"warning", "x/w", "list", line})
		}
	}
	return list, nil
}

// nameless returns a table without the hashes of commits.
func nameless(table string) string {
	var b strings.Builder
	for line := range strings.Lines(table) {
		if hash, rest, ok := strings.Cut(line, "  "); ok && len(hash) == 9 {
			line = rest
		}
		b.WriteString(line)
	}
	return b.String()
}

// TestBacktest: the table lists the matching commits that remove a finding, with the findings that they
// add, and the sums.
func TestBacktest(t *testing.T) {
	need.Program(t, "sh")
	repo := history(t, [][2]string{
		{"begin", "e1 w1 w1"}, {"fix: the first", "w1 w1"}, {"add", "e2 w1 w1"}, {"Fix a warning", "e2 w1"}, {"fix something else", "w1 e2"}, {"fix by breaking", "w2 e3"},
	})
	for _, c := range []struct {
		options options
		want    string
	}{
		{options{grep: "^fix", span: "HEAD", paths: repeated{"conf"}}, `loses 1 errors of 2 findings, brings 1 of 2  fix by breaking
loses 0 errors of 1 findings, brings 0 of 0  Fix a warning
loses 1 errors of 1 findings, brings 0 of 0  fix: the first
4 commits: 2 lose an error, 3 any finding; 1 new errors; 0 not checked
`},
		{options{grep: "^fix", span: "HEAD", paths: repeated{"conf"}, not: true}, `loses 0 errors of 0 findings, brings 1 of 1  add
1 commits: 0 lose an error, 0 any finding; 1 new errors; 0 not checked
`},
		{options{grep: "first", span: "HEAD", prepare: "echo e9 >> conf/list", verbose: true}, `loses 1 errors of 1 findings, brings 0 of 0  fix: the first
    - error[x/e] list: e1
1 commits: 1 lose an error, 1 any finding; 0 new errors; 0 not checked
`},
		{options{grep: "first", span: "HEAD", prepare: "exit 3"}, `not checked: exit 3: exit status 3: 
1 commits: 0 lose an error, 0 any finding; 0 new errors; 1 not checked
`},
	} {
		clone, err := clone(repo, filepath.Join(t.TempDir(), "clone"))
		if err != nil {
			t.Fatal(err)
		}
		commits, err := clone.commits(c.options)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		b := &backtest{options: c.options, clone: clone, types: &types{}, check: lines, out: &out, known: map[string]state{}}
		b.all(commits)
		if got := nameless(out.String()); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.options, got, c.want)
		}
	}
}

// TestAffected: the files that a commit changes are checked, and files that mention them. The findings of a renamed file move
// with it, and the findings of a deleted file do not count as lost.
func TestAffected(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command(need.Program(t, "git"), append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-C", dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet")
	write("base.x", "e1\n")
	write("middle.x", "include base.x\n")
	write("top.x", "include middle.x\n")
	write("apart.x", "e9\n")
	write("notes", "base.x is the base\n")
	git("add", "-A")
	git("commit", "--quiet", "-m", "begin")
	write("base.x", "fine\n")
	git("commit", "--quiet", "-a", "-m", "mend")
	git("mv", "apart.x", "aside.x")
	git("commit", "--quiet", "-m", "move")
	git("rm", "--quiet", "aside.x")
	git("commit", "--quiet", "-m", "delete")

	clone, err := clone(dir, filepath.Join(t.TempDir(), "clone"))
	if err != nil {
		t.Fatal(err)
	}
	o := options{span: "HEAD", paths: repeated{"*.x"}}
	commits, err := clone.commits(o)
	if err != nil {
		t.Fatal(err)
	}
	var asked [][]string
	check := func(dir string, files, _ []string) (list []finding, _ error) {
		asked = append(asked, files)
		for _, name := range files {
			if text, _ := os.ReadFile(filepath.Join(dir, name)); text[0] == 'e' {
				list = append(list, finding{"error", "x/e", name, string(text)})
			}
		}
		return list, nil
	}
	b := &backtest{options: o, clone: clone, types: &types{}, check: check, known: map[string]state{}}
	for i, want := range []struct {
		lost, fresh int
		asked       [][]string
	}{
		{asked: [][]string{{"aside.x"}}},
		{asked: [][]string{{"apart.x"}, {"aside.x"}}},
		{lost: 1, asked: [][]string{{"base.x", "middle.x", "top.x"}, {"base.x", "middle.x", "top.x"}}},
	} {
		asked = nil
		got, err := b.one(commits[i])
		if err != nil {
			t.Fatal(err)
		}
		if len(got.lost) != want.lost || len(got.fresh) != want.fresh {
			t.Errorf("%s: lost %v, fresh %v", commits[i].subject, got.lost, got.fresh)
		}
		if !reflect.DeepEqual(asked, want.asked) {
			t.Errorf("%s: checked %v, want %v", commits[i].subject, asked, want.asked)
		}
	}
}

// TestRaised: warnings that are errors of a run are searched from the folder of the file, and counted separately. A warning that
// changes only a name in its message, or moves to another file, is not lost.
func TestRaised(t *testing.T) {
	w := newWork(t)
	w.commit("2020-01-01", "", map[string]string{"sub/a.x": "one", "sub/b.x": "one", "sub/here": "", "c.x": "one"})
	w.commit("2020-01-02", "", map[string]string{"sub/a.x": "here"})
	w.commit("2020-01-03", "", map[string]string{"sub/b.x": "two"})
	w.commit("2020-01-04", "", map[string]string{"sub/a.x": "three"})
	w.commit("2020-01-05", "", map[string]string{"sub/a.x": "here", "sub/d.x": "three"})

	c, err := clone(w.dir, filepath.Join(t.TempDir(), "clone"))
	if err != nil {
		t.Fatal(err)
	}
	// A file names another file, which is searched in the folder of the check.
	missing := func(dir string, files, _ []string) (list []finding, _ error) {
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			if _, err := os.Stat(filepath.Join(dir, string(text))); err != nil && filepath.Base(name) == name {
				list = append(list, finding{"warning", "x/missing", name, string(text)}, finding{"info", "x/missing", name, "perhaps"}, finding{"warning", "x/other", name, ""})
			}
		}
		return list, nil
	}
	o := options{span: "HEAD", paths: repeated{"*.x"}, raise: repeated{"x/missing"}, verbose: true}
	commits, err := c.commits(o)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	b := &backtest{options: o, clone: c, types: &types{}, check: missing, out: &out, known: map[string]state{}}
	b.all(commits)
	const want = `loses 0 errors of 0 findings, brings 0 of 0; of a run 0 more, 0  at 2020-01-05
loses 0 errors of 0 findings, brings 0 of 0; of a run 0 more, 1  at 2020-01-04
    + of a run [x/missing] sub/a.x
loses 0 errors of 0 findings, brings 0 of 0; of a run 0 more, 0  at 2020-01-03
loses 0 errors of 0 findings, brings 0 of 0; of a run 1 more, 0  at 2020-01-02
    - of a run [x/missing] sub/a.x
4 commits: 0 lose an error (1 one of a run), 0 any finding; 0 new errors; 0 not checked
`
	if got := nameless(out.String()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestNoRepository: a folder that is no repository is an error.
func TestNoRepository(t *testing.T) {
	need.Program(t, "git")
	if err := run(options{repo: filepath.Join(t.TempDir(), "none"), program: "pentode"}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "cannot be cloned") {
		t.Errorf("got %v", err)
	}
}
