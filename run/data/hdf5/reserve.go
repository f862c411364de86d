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
// where the file ends, then headers and what they lead to. HDF5's own library refuses a file
// that is shorter than its end, and what lies behind the end that it has read. So both run
// ahead of what is used:
//
//	need ─────▶ end in the superblock ─────▶ length of the file
//	     lead                         lead
//
// A length becomes the end, and what lies behind an older end is used, when all readers are
// gone that may know less, or have had a second. So a reader is refused where it takes longer, and the file
// grows by more than a lead meanwhile: nothing in the format tells a writer of its readers. A commit
// waits where it needs more than is ahead, and readers are there; then the lead is doubled, so that
// a file that somebody always reads is soon written as quickly as others.
// What is ahead takes no room on the disk. Close gives it back.

const (
	minLead   = 2 << 20 // bytes; a part of the file, or what the last commit took, where that is more
	maxLead   = 1 << 28 // of what waiting makes of it
	leadShare = 16
	// readerTime is how long a reader may take, and briefTime is the same where nothing tells whether there
	// are readers: writers would wait in vain there.
	readerTime = time.Second
	briefTime  = 10 * time.Millisecond
)

// ahead is how a file runs ahead of what is used.
type ahead struct {
	least      int64         // a lead that is long enough for the readers so far
	need       int64         // what the last commit used
	grown      time.Time     // when the file got its length
	passed     int64         // the end in the superblock before this one
	announced  time.Time     // when this one came
	alone      time.Time     // when no other program had the file open
	readerTime time.Duration // for tests; 0: the constant
}

// lead is how many bytes a file may grow by while a reader is on its way.
func (a *ahead) lead(need int64) int64 { return max(minLead, a.least, need/leadShare, need-a.need) }

// announce makes room for everything that was allocated: the length of the file, and
// the end that the superblock names.
func (f *File) announce() error {
	need, end := f.sb.base+int64(f.end), int64(f.sb.end)
	lead := f.ahead.lead(need)
	f.ahead.need = need
	if f.new != nil {
		return f.setEnd(need)
	}
	if end-need < 2*lead && (f.size <= end || f.size-need < lead) {
		if err := f.lengthen(need, need+4*lead); err != nil {
			return err
		}
	}
	if end-need < lead && f.size > end && (end < need || f.settled(f.ahead.grown)) {
		f.settle(f.ahead.grown, lead)
		if err := f.setEnd(f.size); err != nil {
			return err
		}
		f.ahead.passed, f.ahead.announced = end, time.Now()
	}
	if need > f.ahead.passed {
		f.settle(f.ahead.announced, lead)
	}
	return nil
}

// lengthen lets the file be as long as is wanted, or as a limit of the system allows.
func (f *File) lengthen(need, want int64) error {
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
	f.size, f.ahead.grown = want, time.Now()
	return nil
}

// settled reports whether all readers know what is there since then.
func (f *File) settled(since time.Time) bool {
	enough := briefTime
	if _, known := f.alone(); known {
		enough = cmp.Or(f.ahead.readerTime, readerTime)
	}
	return f.ahead.alone.After(since) || time.Since(since) >= enough
}

// settle waits for that; lead is what was too short then.
func (f *File) settle(since time.Time, lead int64) {
	for !f.settled(since) {
		f.ahead.least = min(2*lead, maxLead)
		time.Sleep(briefTime / 10)
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
