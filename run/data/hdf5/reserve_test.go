package hdf5

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// A reader that has read where the file ends finds all that headers lead to in front of
// that end, though steps are written meanwhile; and the file is never shorter than its end.
func TestEndRunsAhead(t *testing.T) {
	path := inTemp(t, "a.h5")
	f := create(t, path)
	must(t, f.Pause())
	var known uint64 // the end that a reader knows who opened the file a step ago
	for i := range 200 {
		f, err := f.Reopen()
		must(t, err)
		r := &recorder{writer: f.r.(*os.File)}
		f.w = r
		d, err := f.Root().CreateDataset(fmt.Sprint("step ", i), Int(8), dims(1000), Options{})
		must(t, err)
		must(t, d.Write(iota64(1000), Memory{}, Slab{}))
		must(t, f.Pause())
		if i > 0 && f.end > known {
			t.Errorf("step %d reaches to %d, and the end was %d", i, f.end, known)
		}
		size := int64(0)
		for _, c := range r.changes {
			if size = max(size, c.at+int64(len(c.data))); c.at == 0 && size < int64(f.sb.end) {
				t.Errorf("step %d: the end is %d before the file is as long", i, f.sb.end)
			}
		}
		if info, err := os.Stat(path); err != nil || info.Size() < int64(f.sb.end) {
			t.Errorf("step %d: %v, the end is %d", i, err, f.sb.end)
		}
		known = f.sb.end
	}
	f, err := f.Reopen()
	must(t, err)
	must(t, f.Close())
	if info, err := os.Stat(path); err != nil || info.Size() != int64(f.end) {
		t.Errorf("%v, the closed file ends at %d", err, f.end)
	}
}

// Steps that come quickly while a reader has the file open reach no end that is not announced yet: the reader would
// have to be quick between reading that end and what lies behind it.
func TestEndRunsAheadOfReaders(t *testing.T) {
	path := inTemp(t, "a.h5")
	must(t, create(t, path).Close())
	reader, err := Open(path)
	must(t, err)
	defer reader.Close()
	f := openRW(t, path)
	for i := range 400 { // 6.4 MB, of which 2 MB are between the moment when the end is due and the end itself
		known := f.sb.end
		d, err := f.Root().CreateDataset(fmt.Sprint("step ", i), Int(8), dims(2000), Options{})
		must(t, err)
		must(t, d.Write(iota64(2000), Memory{}, Slab{}))
		must(t, f.Flush())
		if i > 0 && f.end > known {
			t.Fatalf("step %d reaches to %d, and the end was %d", i, f.end, known)
		}
		time.Sleep(step / 4)
	}
	must(t, f.Close())
}
