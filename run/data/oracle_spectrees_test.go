package data_test

import (
	"bytes"
	"fmt"
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

// TestOracleSpectrees loads every whole tree of the oracle that needs no other
// file and compares the class of the outcome and, where it loads, the log.
func TestOracleSpectrees(t *testing.T) {
	var cases []treeCase
	datatest.Oracle(t, "spectrees.json", &cases)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) {
			dir := t.TempDir()
			text := strings.ReplaceAll(c.Input, "@DIR@", filepath.ToSlash(dir))
			root := datatest.Tree(t, text)
			if root.Lookup("include") != nil {
				t.Skip("includes are resolved before the engine sees a tree")
			}
			var log bytes.Buffer
			s, err := data.New(data.Tree(root), data.Options{
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
