package recorded_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// A caller that shows progress is told how many bytes of the streams were read; the count starts
// again in each walk.
func TestOpenWatched(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "traced")
	var text strings.Builder
	for rank := range 3 {
		fmt.Fprintf(&text, "rank %d\n", rank)
		for i := range 2000 {
			fmt.Fprintf(&text, "%dus MPI_Barrier_begin\n%dus MPI_Barrier_end\n", 10*i+1, 10*i+5)
		}
	}
	if err := played.Write(dir, text.String()); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var last, most, of int64
	read := func(done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		last, most, of = done, max(most, done), total
	}
	trace, err := recorded.OpenWatched(dir, read)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		last, most = 0, 0
		if err := trace.Walk(recorded.Handler{}); err != nil {
			t.Fatal(err)
		}
		if of == 0 || most > of || most < of/2 {
			t.Errorf("at most %d of %d bytes were told of, want nearly all and no more", most, of)
		}
	}
	last = 0
	if _, _, err := collect.Merge(filepath.Join(t.TempDir(), "merged"), []string{dir}, read); err != nil || last > of {
		t.Errorf("merging tells of %d of %d bytes, %v", last, of, err)
	}
}
