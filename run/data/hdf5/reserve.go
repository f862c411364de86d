package hdf5

import (
	"bytes"
	"cmp"
	"errors"
	"syscall"
	"time"
)

// The end of a file that is read while it grows.
//
// A reader asks the system for the length of the file, then reads in the superblock
// where the file ends, then headers. HDF5's own library refuses a file that is shorter
// than its end, and what lies behind the end that it has read. So both run ahead of
// what is used: first the length grows, then the end, then headers refer to what is
// there, and a reader that is on its way from one to the next finds what it needs.
// What is ahead takes no room on the disk. Close gives it back.

const (
	minAhead   = 4 << 20 // bytes; a quarter of the file where that is more
	aheadShare = 4
	// step is how long a reader may take from one of the three to the next, where the
	// file grows by more than what was ahead.
	step = 10 * time.Millisecond
	// patience is the same where what was ahead is not used up: a reader may wait for its turn on a loaded machine.
	patience = 20 * step
)

// ahead is how far the length of a file with this end runs ahead.
func ahead(end int64) int64 { return max(minAhead, end/aheadShare) }

// announce makes room for everything that was allocated: the length of the file, and
// the end that the superblock names.
func (f *File) announce() error {
	need, end := f.sb.base+int64(f.end), int64(f.sb.end)
	if f.new != nil {
		return f.setEnd(need)
	}
	if end-need >= ahead(need)/2 {
		return nil
	}
	// A length that is almost as far ahead stays: growing with each commit it would always be too young.
	if want := need + ahead(need); f.size < want-ahead(need)/4 {
		err := f.w.Truncate(want)
		if errors.Is(err, syscall.EFBIG) && f.size < need { // a limit that leaves room for what is needed alone
			want, err = need, f.resize(need)
		}
		if errors.Is(err, syscall.EFBIG) && f.size >= need {
			want, err = f.size, nil
		}
		if err != nil {
			f.failed = cmp.Or(f.failed, err)
			return err
		}
		f.size, f.grown = want, time.Now()
	}
	if need <= end && time.Since(f.grown) < patience && !f.alone() {
		return nil // The next commit does it.
	}
	f.settle(f.grown)
	if err := f.setEnd(f.size); err != nil || need <= end {
		return err
	}
	f.settle(time.Now())
	return nil
}

// settle waits until readers that began before have seen what is there since then.
func (f *File) settle(since time.Time) {
	for time.Since(since) < step && !f.alone() {
		time.Sleep(step / 10)
	}
}

// setEnd writes the superblock with a new end, and lets the file be at least that long.
func (f *File) setEnd(end int64) error {
	if f.size < end {
		if err := f.resize(end); err != nil {
			return err
		}
	}
	if sb := f.sb.encode(uint64(end - f.sb.base)); !bytes.Equal(sb, f.sb.fields) {
		if err := f.write(0, sb); err != nil {
			return err
		}
		f.sb.fields = sb
	}
	f.sb.end = uint64(end)
	return nil
}

// Ahead reports whether a file that was closed by Pause is longer than it has to be.
func (f *File) Ahead() bool { return f.kept != nil && f.size > f.sb.base+int64(f.end) }

// trim takes back what ran ahead: the end first, so that no reader finds a file that is
// shorter than its end.
func (f *File) trim() error {
	need := f.sb.base + int64(f.end)
	if f.commits == 0 || f.size <= need {
		return nil
	}
	if err := f.setEnd(need); err != nil {
		return err
	}
	return f.resize(need)
}
