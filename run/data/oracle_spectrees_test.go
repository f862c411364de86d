package data_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/datatest"
	"github.com/pentode-dev/pentode/run/data/plugin"
)

type treeCase struct {
	Group, Input string
	Result       struct{ Status, Errmsg, Finalize, Log string }
}

var clockTime = regexp.MustCompile(`\[\d\d:\d\d:\d\d\]`)

// TestOracleSpectrees loads every whole tree of the oracle and compares the class
// of the outcome and, where it loads, the log.
func TestOracleSpectrees(t *testing.T) {
	var cases []treeCase
	datatest.Oracle(t, "spectrees.json", &cases)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) {
			text := strings.ReplaceAll(c.Input, "@DIR@/inc", filepath.ToSlash(filepath.Join(datatest.OracleDir(t), "inc")))
			text = strings.ReplaceAll(text, "@DIR@", filepath.ToSlash(t.TempDir()))
			root := datatest.Tree(t, text)
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
				Plugins: plugin.Builtin(nil),
				Host:    data.Host{Console: &log},
			})
			if got := data.StatusOf(err).String(); got != c.Result.Status {
				t.Fatalf("%s\n got %s %v\nwant %s %s", text, got, err, c.Result.Status, c.Result.Errmsg)
			}
			if err != nil {
				return
			}
			if got := data.StatusOf(s.Close()).String(); got != c.Result.Finalize {
				t.Errorf("%s: closing gives %s, upstream has %s", text, got, c.Result.Finalize)
			}
			if got, want := plainLog(log.String()), plainLog(c.Result.Log); got != want {
				t.Errorf("%s\nlog\n%s\nupstream\n%s", text, got, want)
			}
		})
	}
}

var fullTime = regexp.MustCompile(`^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\]`)

// plainLog takes away what may differ: times, and lines in which upstream's
// implementation talks about itself or words a warning of its own.
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

// included reads whole files that a tree includes, each once and before the one
// that includes it.
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
	if seen[n.Text] {
		return nil, true
	}
	seen[n.Text] = true
	text, err := os.ReadFile(n.Text)
	if n.Kind != data.ScalarNode || err != nil {
		return nil, false
	}
	root, err := datatest.Read(string(text))
	if err != nil {
		return nil, false
	}
	if include := root.Lookup("include"); include != nil {
		if strings.Contains(string(text), "@DIR@") {
			return nil, false
		}
		if list, ok = included(include, seen); !ok {
			return nil, false
		}
	}
	return append(list, data.Tree(root).Sections...), true
}
