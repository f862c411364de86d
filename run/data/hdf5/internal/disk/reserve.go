package disk

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
	least     int64     // a lead that is long enough for the readers so far
	need      int64     // what the last commit used
	grown     time.Time // when the file got its length
	passed    int64     // the end in the superblock before this one
	announced time.Time // when this one came
	alone     time.Time // when no other program had the file open
}

// lead is how many bytes a file may grow by while a reader is on its way.
func (a *ahead) lead(need int64) int64 { return max(minLead, a.least, need/leadShare, need-a.need) }

// Announce makes room for everything that was allocated: the length of the file, and
// the end that the superblock names.
func (f *File) Announce() error {
	need, end := f.Base+int64(f.End), int64(f.Announced)
	lead := f.ahead.lead(need)
	f.ahead.need = need
	if f.new != nil {
		return f.setEnd(need)
	}
	if end-need < 2*lead && (f.Size <= end || f.Size-need < lead) {
		if err := f.lengthen(need, need+4*lead); err != nil {
			return err
		}
	}
	if end-need < lead && f.Size > end && (end < need || f.settled(f.ahead.grown)) {
		f.settle(f.ahead.grown, lead)
		if err := f.setEnd(f.Size); err != nil {
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
	err := f.W.Truncate(want)
	if errors.Is(err, syscall.EFBIG) && f.Size < need { // a limit that leaves room for what is needed alone
		want, err = need, f.resize(need)
	}
	if errors.Is(err, syscall.EFBIG) && f.Size >= need {
		want, err = f.Size, nil
	}
	if err != nil {
		f.Failed = cmp.Or(f.Failed, err)
		return err
	}
	f.Size, f.ahead.grown = want, time.Now()
	return nil
}

// settled reports whether all readers know what is there since then.
func (f *File) settled(since time.Time) bool {
	enough := briefTime
	if _, known := f.alone(); known {
		enough = cmp.Or(f.ReaderTime, readerTime)
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
	if f.Size < end {
		if err := f.resize(end); err != nil {
			return err
		}
	}
	if sb := f.encode(uint64(end - f.Base)); !bytes.Equal(sb, f.fields) {
		if err := f.Write(0, sb); err != nil {
			return err
		}
		f.fields = sb
	}
	f.Announced = uint64(end)
	return nil
}

// Ahead reports whether a file that was closed after Keep is longer than it has to be.
func (f *File) Ahead() bool { return f.kept != nil && f.Size > f.Base+int64(f.End) }

// Trim takes back what ran ahead: the end first, so that no reader finds a file that is
// shorter than its end.
func (f *File) Trim() error {
	need := f.Base + int64(f.End)
	if f.Commits == 0 || f.Size <= need {
		return nil
	}
	if err := f.setEnd(need); err != nil {
		return err
	}
	return f.resize(need)
}
