package hdf5

import (
	"fmt"
	"os"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestEndRunsAhead checks that a reader that has read the end of the file finds everything that headers lead to before that end, even while
// steps are written, and that the file is never shorter than its end.
func TestEndRunsAhead(t *testing.T) {
	path := inTemp(t, "a.h5")
	f := create(t, path)
	must(t, f.Pause())
	var known uint64 // the end known to a reader that opened the file a step ago
	for i := range 200 {
		f, err := f.Reopen()
		must(t, err)
		r := &recorder{Writer: f.disk.W}
		f.disk.W = r
		d, err := f.Root().CreateDataset(fmt.Sprint("step ", i), Int(8), dims(1000), Options{})
		must(t, err)
		must(t, d.Write(iota64(1000), Memory{}, Slab{}))
		must(t, f.Pause())
		if i > 0 && f.disk.End > known {
			t.Errorf("step %d reaches to %d, and the end was %d; want at most %v", i, f.disk.End, known, known)
		}
		size := int64(0)
		for _, c := range r.changes {
			if size = max(size, c.at+int64(len(c.data))); c.at == 0 && size < int64(f.disk.Announced) {
				t.Errorf("step %d: the end is %d before the file is as long", i, f.disk.Announced)
			}
		}
		if info, err := os.Stat(path); err != nil || info.Size() < int64(f.disk.Announced) {
			t.Errorf("step %d: %v, the end is %d", i, err, f.disk.Announced)
		}
		known = f.disk.Announced
	}
	f, err := f.Reopen()
	must(t, err)
	must(t, f.Close())
	if info, err := os.Stat(path); err != nil || info.Size() != int64(f.disk.End) {
		t.Errorf("%v, the closed file ends at %d", err, f.disk.End)
	}
}

// TestReadersMayStandStill checks a reader that pauses while the file grows by less than a lead. It must find everything that headers lead
// to before the end that it knows, and an end before the length that it knows.
func TestReadersMayStandStill(t *testing.T) {
	need.Slow(t)
	path := inTemp(t, "a.h5")
	must(t, create(t, path).Close())
	f := openRW(t, path)
	type state struct{ need, end, length uint64 }
	var states []state
	for i := range 600 {
		d, err := f.Root().CreateDataset(fmt.Sprint("step ", i), Int(8), dims(10000), Options{})
		must(t, err)
		must(t, d.Write(iota64(10000), Memory{}, Slab{}))
		must(t, f.Flush())
		now := state{f.disk.End, f.disk.Announced, uint64(f.disk.Size)}
		states = append(states, now)
		for _, known := range states {
			if now.need-known.need < 2<<20*9/10 && (now.end > known.length || now.need > known.end) {
				t.Fatalf("step %d: a reader knows %+v, and the file is %+v; want its end within the length known, and all that is needed within the end known", i, known, now)
			}
		}
	}
	must(t, f.Close())
}
