package results

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/runs/record"
)

// begun is when the runs of tests began.
var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// TestBoundIndexes: the least recently used indexes are deleted first, and the newest is never deleted.
func TestBoundIndexes(t *testing.T) {
	states := t.TempDir()
	for i, name := range []string{"a", "b", "c", "new"} {
		dir := record.Store{Dir: states}.TimelineDir(fmt.Sprint("r", i/2))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path, at := filepath.Join(dir, name), begun.Add(time.Duration(i)*time.Hour)
		if name == "new" {
			at = begun.Add(-time.Hour)
		}
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (list []string) {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(states, "*", "timeline", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			list = append(list, filepath.Base(p))
		}
		return list
	}
	for _, c := range []struct {
		limit int64
		want  string
	}{{400, "[a b c new]"}, {399, "[b c new]"}, {200, "[c new]"}, {0, "[new]"}} {
		boundIndexes(states, "new", c.limit)
		if got := fmt.Sprint(left()); got != c.want {
			t.Errorf("limit %d: %s are left", c.limit, got)
		}
	}
}

// TestTimelineIsBounded: making an index stops with a clear error when it exceeds its limit, and writes no more than that.
func TestTimelineIsBounded(t *testing.T) {
	var b strings.Builder
	w := &limitedWriter{&b, 10}
	if n, err := w.Write(make([]byte, 8)); n != 8 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := w.Write(make([]byte, 3)); n != 0 || err == nil || !strings.Contains(err.Error(), "too large for a time line") || b.Len() != 8 {
		t.Errorf("%d %v, %d bytes", n, err, b.Len())
	}
}

var _ fs.ReadDirFS = (*Files)(nil)
var _ fs.StatFS = (*Files)(nil)
