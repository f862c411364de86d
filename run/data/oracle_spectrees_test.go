package data_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
)

type treeCase struct {
	Group, Input string
	Result       struct {
		Status, Errmsg, Finalize, Log string

		NoYAML any `json:"yaml_error"`
		Crash  any // upstream crashed: an error or a store are both better
	}
}

var clockTime = regexp.MustCompile(`\[\d\d:\d\d:\d\d\]`)

// TestOracleSpectrees loads every whole tree of the oracle and compares the class of the
// outcome, and the log if the tree loads.
func TestOracleSpectrees(t *testing.T) {
	golden.Oracle(t, "pdi", func(t *testing.T, set golden.Set) {
		for i, c := range golden.List[treeCase](t, set, "spectrees.json") {
			t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) { c.load(t, set.Copy(t, "inc")) })
		}
	})
}

func (c *treeCase) load(t *testing.T, dir string) {
	if c.Result.NoYAML != nil {
		t.Skip("the engine does not see what is no YAML")
	}
	text := strings.ReplaceAll(c.Input, "@DIR@", filepath.ToSlash(dir))
	root, err := datatest.Read(text)
	if err != nil {
		t.Skipf("not YAML for the library of this test: %v", err)
	}
	spec := data.Tree(root)
	if include := root.Lookup("include"); include != nil {
		sections, ok := included(include, map[string]bool{})
		if !ok {
			t.Skip("an include with a subtree, a cycle or without its file is seen before the engine")
		}
		spec.Sections = append(sections, spec.Sections...)
	}
	var log bytes.Buffer
	s, err := data.New(spec, data.Options{
		Dialect: data.Upstream,
		Plugins: plugin.List(plugin.Program{}),
		Host:    data.Host{Console: &log},
	})
	if c.Result.Crash != nil {
		if err == nil {
			s.Close()
		}
		return
	}
	if got := data.StatusOf(err).String(); got != c.Result.Status {
		t.Fatalf("%s\n got %s %v\nwant %s %s", text, got, err, c.Result.Status, c.Result.Errmsg)
	}
	if err != nil {
		return
	}
	if got := data.StatusOf(s.Close()).String(); got != c.Result.Finalize {
		t.Errorf("%s: closing gives %s, upstream has %s; want %v", text, got, c.Result.Finalize, c.Result.Finalize)
	}
	want := strings.ReplaceAll(c.Result.Log, "@DIR@", filepath.ToSlash(dir))
	if got, want := plainLog(log.String()), plainLog(want); got != want {
		t.Errorf("%s\nlog\n%s\nupstream\n%s", text, got, want)
	}
}

var fullTime = regexp.MustCompile(`^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\]`)

// plainLog removes what may differ from a log: times, and lines in which upstream reports
// on its implementation or uses its own text for a warning.
func plainLog(log string) string {
	var out strings.Builder
	for line := range strings.Lines(log) {
		if strings.Contains(line, "*** trace: ") || strings.Contains(line, "`size`") || strings.Contains(line, "`size'") {
			continue
		}
		line = clockTime.ReplaceAllString(line, "[T]")
		out.WriteString(fullTime.ReplaceAllString(line, "[T]"))
	}
	return out.String()
}

// included reads the whole files that a tree includes, each once and before the including
// file. seen maps the files met so far to whether they are read completely.
func included(n *data.Node, seen map[string]bool) (list []data.Section, ok bool) {
	if n.Kind == data.SequenceNode {
		for _, item := range n.Items {
			sections, ok := included(item, seen)
			if !ok {
				return nil, false
			}
			list = append(list, sections...)
		}
		return list, true
	}
	if read, met := seen[n.Text]; met {
		return nil, read
	}
	seen[n.Text] = false
	text, err := os.ReadFile(n.Text)
	if n.Kind != data.ScalarNode || err != nil {
		return nil, false
	}
	root, err := datatest.Read(string(text))
	if err != nil {
		return nil, false
	}
	if include := root.Lookup("include"); include != nil {
		if list, ok = included(include, seen); !ok {
			return nil, false
		}
	}
	seen[n.Text] = true
	return append(list, data.Tree(root).Sections...), true
}
