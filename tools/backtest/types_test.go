package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// work is a repository whose commits have given days.
type work struct {
	t   *testing.T
	dir string
}

func newWork(t *testing.T) work {
	w := work{t, t.TempDir()}
	w.git("2020-01-01", "init", "--quiet")
	return w
}

func (w work) git(day string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command(need.Program(w.t, "git"), append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-C", w.dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+day+"T12:00:00Z", "GIT_COMMITTER_DATE="+day+"T12:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %s", args, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files and, if module is set, the commit of the submodule `lib`.
func (w work) commit(day, module string, files map[string]string) string {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
		w.git(day, "add", name)
	}
	if module != "" {
		w.git(day, "update-index", "--add", "--cacheinfo", "160000,"+module+",lib")
	}
	w.git(day, "commit", "--quiet", "--allow-empty", "-m", "at "+day)
	return w.git(day, "rev-parse", "HEAD")
}

// TestNearest: the commit of a submodule is the commit that the project names; if no repository has it, the last commit that the project
// named before; if there is none, the newest commit of that day in all repositories.
func TestNearest(t *testing.T) {
	need.Slow(t)
	const gone = "1234567890123456789012345678901234567890"
	lib, fork, app := newWork(t), newWork(t), newWork(t)
	first := lib.commit("2020-01-02", "", map[string]string{"a": "1"})
	lib.commit("2020-03-01", "", map[string]string{"a": "2"})
	other := fork.commit("2020-02-01", "", map[string]string{"b": "1"})

	early := app.commit("2020-01-01", gone, map[string]string{"x": "1"})
	daily := app.commit("2020-02-03", gone, map[string]string{"x": "2"})
	named := app.commit("2020-04-01", first, nil)
	later := app.commit("2020-05-01", gone, nil)

	m := func() *module {
		m := &module{folder: "lib", nearby: map[string]place{}}
		for _, w := range []work{lib, fork} {
			c, err := clone(w.dir, filepath.Join(t.TempDir(), "clone"))
			if err != nil {
				t.Fatal(err)
			}
			m.clones = append(m.clones, c)
		}
		return m
	}
	project := &checkout{app.dir}
	for _, c := range []struct{ at, wanted, want string }{
		{named, first, first}, {later, gone, first}, {daily, gone, other},
	} {
		if got, err := m().nearest(project, c.at, c.wanted); err != nil || got.hash != c.want {
			t.Errorf("at %.9s: got %.9s and %v, want %.9s", c.at, got.hash, err, c.want)
		}
	}
	if got, err := m().nearest(project, early, gone); err == nil {
		t.Errorf("before the first commit: got %v, want an error", got)
	}
}

// TestTypes: a check gets the types of the commit's folders and submodules, and the table says which are from another commit.
func TestTypes(t *testing.T) {
	need.Program(t, "sh")
	const gone = "1234567890123456789012345678901234567890"
	lib, app := newWork(t), newWork(t)
	first := lib.commit("2020-01-02", "", map[string]string{"types.py": "alpha", "film": "long"})
	app.commit("2020-02-01", first, map[string]string{"plugins/types.py": "beta", "list": "alpha beta gamma"})
	app.commit("2020-03-01", gone, map[string]string{"plugins/types.py": "gamma", "list": "alpha beta gamma x"})

	// The import treats each word of a file as a type, and needs no other files.
	program := filepath.Join(t.TempDir(), "pentode")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n[ ! -e film ] && [ -s types.py ] || { echo there is no process type; exit 1; }\ncp types.py \"$4\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := options{span: "HEAD", paths: repeated{"list"}, program: program, imports: repeated{"plugins", "nowhere"}, modules: repeated{"lib=" + lib.dir}, verbose: true,
		keep: filepath.Join(t.TempDir(), "kept")}
	c, err := clone(app.dir, filepath.Join(t.TempDir(), "clone"))
	if err != nil {
		t.Fatal(err)
	}
	commits, err := c.commits(o)
	if err != nil {
		t.Fatal(err)
	}
	ty, err := newTypes(o, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	unknown := func(dir string, _, catalogues []string) (list []finding, _ error) {
		known := " x "
		for _, name := range catalogues {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			known += string(text) + " "
		}
		text, err := os.ReadFile(filepath.Join(dir, "list"))
		for _, name := range strings.Fields(string(text)) {
			if !strings.Contains(known, " "+name+" ") {
				list = append(list, finding{"error", "x/unknown", "list", name})
			}
		}
		return list, err
	}
	var out bytes.Buffer
	b := &backtest{options: o, clone: c, types: ty, check: unknown, out: &out, known: map[string]state{}}
	b.all(commits)
	_, got, _ := strings.Cut(out.String(), "  ")
	want := "loses 1 errors of 1 findings, brings 1 of 1  at 2020-03-01\n" +
		"    ~ " + first[:9] + " of 2020-01-02 is used for lib: no repository has 123456789\n" +
		"    - error[x/unknown] list: gamma\n    + error[x/unknown] list: beta\n" +
		"1 commits: 1 lose an error, 1 any finding; 1 new errors; 0 not checked\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	// Kept types need not be imported again.
	o.program = "none"
	if ty, err = newTypes(o, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	b = &backtest{options: o, clone: c, types: ty, check: unknown, out: &out, known: map[string]state{}}
	if b.all(commits); !strings.HasSuffix(out.String(), want) {
		t.Errorf("with kept types: got\n%s\nwant %q at the end", out.String(), want)
	}
	if _, err := newTypes(options{modules: repeated{"lib"}}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "FOLDER=REPOSITORY") {
		t.Errorf("a module without a repository: %v", err)
	}
}
