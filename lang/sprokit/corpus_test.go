package sprokit

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// corpusFile is a real file with the result of the original program.
type corpusFile struct {
	Path, Kind, Upstream, Message string
	Config                        map[string]string
}

// project is one set of real files.
type project struct {
	list, root, dir string // the list, its files' root, the working directory
	include         []string
	env             map[string]string
}

// projects returns the sets that the corpus may contain.
func projects(dir string) []project {
	kwiver, viame := filepath.Join(dir, "kwiver"), filepath.Join(dir, "viame")
	pipelines := filepath.Join(viame, "configs", "pipelines")
	return []project{
		{filepath.Join(dir, "kwiver.json"), kwiver, kwiver, []string{filepath.Join(kwiver, "config")},
			map[string]string{"FoO": "config", "TEST_ENV": "expected"}},
		{filepath.Join(dir, "viame.json"), viame, pipelines, []string{pipelines},
			map[string]string{"VIAME_INSTALL": viame}},
	}
}

// eachCorpusFile runs a test for every file of the corpus.
func eachCorpusFile(t *testing.T, run func(t *testing.T, p project, f corpusFile)) {
	golden.Corpus(t, "sprokit", func(t *testing.T, s golden.Set) {
		found := 0
		for _, p := range projects(s.Dir) {
			if _, err := os.Stat(p.list); os.IsNotExist(err) {
				continue
			}
			for _, f := range golden.List[corpusFile](t, s, filepath.Base(p.list)) {
				found++
				t.Run(filepath.Base(p.root)+"/"+f.Path, func(t *testing.T) {
					t.Chdir(p.dir)
					run(t, p, f)
				})
			}
		}
		if found == 0 {
			t.Fatalf("%s lists no files", s.Dir)
		}
	})
}

// environment returns the environment in which the original program ran.
func (p project) environment(d load.Dialect) *load.Env {
	return &load.Env{Opener: source.Disk{}, Dir: p.dir, Dialect: d, Include: p.include, Lookup: func(name string) (string, bool) {
		if v, ok := map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/h"}[name]; ok {
			return v, true
		}
		v, ok := p.env[name]
		return v, ok
	}}
}

// open resolves a corpus file.
func (p project) open(t *testing.T, f corpusFile, d load.Dialect) *Model {
	file, err := source.Disk{}.Open(filepath.Join(p.dir, f.Path))
	if err != nil {
		t.Fatal(err)
	}
	return newOptions(Options{}).resolve(p.environment(d), syntax.Parse(file))
}

// refusal returns the first error of reading and resolving, or nil. Errors of setting up the pipeline do not count.
func refusal(m *Model) *diag.Diagnostic {
	for _, d := range append(m.tree.Problems(), m.problems...) {
		if d.Severity == diag.Error {
			return d
		}
	}
	return nil
}

// TestCorpusUpstream compares the outcome and every setting with the original program.
func TestCorpusUpstream(t *testing.T) {
	eachCorpusFile(t, func(t *testing.T, p project, f corpusFile) {
		m := p.open(t, f, load.Upstream)
		d := refusal(m)
		if f.Upstream != "ok" {
			if d == nil {
				t.Errorf("upstream says %s: %s, but nothing was found", f.Upstream, f.Message)
			}
			return
		}
		if d != nil {
			t.Fatalf("upstream reads it, but %s: %s", d.Span, d.Message)
		}
		if f.Config != nil { // it is not recorded for clusters
			compareConfig(t, m, p.root, f.Config)
		}
	})
}

func compareConfig(t *testing.T, m *Model, root string, want map[string]string) {
	have := map[string]string{}
	for s := range m.each {
		key := s.Key
		if s.is(readOnly) {
			key += "[ro]"
		}
		have[key] = s.Value
	}
	for key, value := range want {
		value = strings.ReplaceAll(value, "@ROOT@", root)
		if got, ok := have[key]; !ok {
			t.Errorf("%s is missing, want %q", key, value)
		} else if got != value {
			t.Errorf("%s is %q, want %q", key, got, value)
		}
		delete(have, key)
	}
	for key, value := range have {
		t.Errorf("%s = %q is too much", key, value)
	}
}

// TestCorpusReplay rebuilds every value from its recorded steps, in both
// dialects.
func TestCorpusReplay(t *testing.T) {
	eachCorpusFile(t, func(t *testing.T, p project, f corpusFile) {
		for _, d := range []load.Dialect{load.Documented, load.Upstream} {
			m := p.open(t, f, d)
			for e := range m.values {
				if got, problem := replay(&e); problem != "" || got != e.Value {
					t.Errorf("%s (%s): the steps make %q of it, not %q: %s", e.Key, d, got, e.Value, problem)
				}
			}
		}
	})
}

// replay follows the steps of an entry and checks each against the previous one and against the text at its place.
func replay(e *origin.Entry) (value, wrong string) {
	for i := range e.Steps {
		s := &e.Steps[i]
		switch s.What {
		case origin.Default, origin.Override, origin.Map:
			value = s.Text
		case origin.Set:
			// The text at the step's place must be the key of the entry.
			key := s.Span.Text()
			if !strings.ContainsAny(key, " \t\r\v\f\n#!") && !strings.HasSuffix(e.Key, key) {
				return value, "the step points at `" + s.Span.Text() + "`"
			}
			value = s.Text
		case origin.Macro:
			written := s.Span.Text()
			at := strings.Index(value, written)
			if at < 0 || !strings.HasPrefix(s.Text, value[:at]) || !strings.HasSuffix(s.Text, value[at+len(written):]) {
				return value, "no macro `" + written + "` makes " + s.Text
			}
			made := s.Text[at : len(s.Text)-len(value[at+len(written):])]
			if made != "" && !strings.Contains(s.Note, problem.Clip(made, problem.Short)) {
				return value, "the note `" + s.Note + "` does not tell " + made
			}
			value = s.Text
		case origin.Trim:
			value = trim(value)
		case origin.Path:
			value = strings.TrimSuffix(s.Text, value) + value
		case origin.Refused:
		default:
			return value, "an unknown step " + string(s.What)
		}
		if s.What != origin.Refused && s.What != origin.Set && value != s.Text {
			return value, "step " + string(s.What) + " says " + s.Text
		}
	}
	return value, ""
}

// TestCorpusLaws formats, flattens and converts real files, which must not change any setting.
func TestCorpusLaws(t *testing.T) {
	language := New(Options{})
	eachCorpusFile(t, func(t *testing.T, p project, f corpusFile) {
		file, err := source.Disk{}.Open(filepath.Join(p.dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		golden.Laws(t, language, p.environment(load.Documented), file)
		m := p.open(t, f, load.Documented)
		if len(m.tree.Problems()) > 0 {
			return
		}
		for name, convert := range map[string]func(*syntax.Tree, *Model, io.Writer) diag.List{"flatten": flatten, "new-style": toNewStyle} {
			var b strings.Builder
			if lost := convert(m.tree, m, &b); len(lost) > 0 {
				t.Errorf("%s: %s; want at most 0", name, lost[0].Message)
			}
			tree := syntax.Parse(source.NewFile(file.Path(), b.String()))
			if slices.ContainsFunc(tree.Stmts, func(s syntax.Stmt) bool { return s.Has(syntax.OldStyle) }) {
				t.Errorf("%s leaves an entry of the older style, want none", name)
			}
			again := newOptions(Options{}).resolve(p.environment(load.Documented), tree)
			if before, after := settings(m), settings(again); !maps.Equal(before, after) {
				t.Errorf("%s changes the settings:\n%v\n%v\nwant %v", name, before, after, after)
			}
		}
	})
}

func settings(m *Model) map[string]string {
	all := map[string]string{}
	for s := range m.each {
		if !s.is(refused) {
			all[s.Key] = s.Value
		}
	}
	return all
}
