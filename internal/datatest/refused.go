package datatest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
)

// UpstreamErrors makes a store of each recorded tree that the original program refuses and that chosen selects. The status,
// the message and the start of the reported position must be the original's; its end is not compared, because nodes here do
// not know their end.
func UpstreamErrors(t *testing.T, root string, plugins []data.Plugin, chosen func(tree string) bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "capi", "testdata", "errors.txt"))
	if err != nil {
		t.Fatal(err)
	}
	end := regexp.MustCompile(`(\(\d+:\d+) -> \d+:\d+\)`)
	region := func(s source.Span) string {
		p := s.Position()
		return fmt.Sprintf("(%d:%d", p.Line, p.Column)
	}
	count := 0
	tree := ""
	for line := range strings.Lines(string(text)) {
		answer, ok := strings.CutPrefix(line, "=> ")
		if !ok {
			tree = strings.TrimPrefix(tree+line, "\n")
			continue
		}
		spec := tree
		tree = ""
		root, err := Read(spec)
		if err != nil || !chosen(spec) {
			continue
		}
		count++
		status, quoted, _ := strings.Cut(strings.TrimSpace(answer), " ")
		want, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", quoted, err)
		}
		_, err = data.New(data.Tree(root), data.Options{Dialect: data.Upstream, Plugins: plugins, Host: data.Host{Console: &strings.Builder{}}})
		if got := fmt.Sprint(int(data.StatusOf(err))); got != status {
			t.Errorf("%s\n got status %s, want %s", spec, got, status)
		}
		if got, want := data.UpstreamMessage(err, region), end.ReplaceAllString(want, "$1"); err != nil && got != want {
			t.Errorf("%s\n got %q\nwant %q", spec, got, want)
		}
	}
	if count < 10 {
		t.Errorf("%d trees were chosen, want at least 10", count)
	}
}
