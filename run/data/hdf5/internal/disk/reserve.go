package disk

import (
	"bytes"
	"cmp"
	"errors"
	"syscall"
	"time"
)

// This file keeps the end of the file valid for readers while it grows.
//
// A reader gets the length of the file from the system, then reads the end of the file from the superblock,
// then headers and the data they lead to. HDF5's own library refuses a file that is shorter than its end,
// and data after the end that it has read. So both are ahead of what is used:
//
//	need ─────▶ end in the superblock ─────▶ length of the file
//	     lead                         lead
//
// A new length becomes the end, and space after the old end is used, once all readers that may know an
// older state are gone or have had a second. So a reader fails only if it takes longer and the file grows
// by more than a lead meanwhile: nothing in the format tells a writer about its readers. If a commit needs
// more than is ahead, it waits for the readers; then the lead is doubled. So a file that is always being
// read is soon written as quickly as others. The lead takes no space on the disk, and Close removes it.

const (
	minLead   = 2 << 20 // bytes; more if a share of the file or the last commit is larger
	maxLead   = 1 << 28 // the limit of doubling
	leadShare = 16
	// readerTime is the time that a reader may take. briefTime replaces it if the system cannot tell
	// whether there are readers, because writers would usually wait in vain.
	readerTime = time.Second
	briefTime  = 10 * time.Millisecond
)

// ahead describes how far a file is ahead of what is used.
type ahead struct {
	least     int64     // the shortest lead to use, after a shorter one was not enough for readers
	need      int64     // the length that the last commit needed
	grown     time.Time // when the length of the file last changed
	passed    int64     // the previous end in the superblock
	announced time.Time // when the current end was written to the superblock
	alone     time.Time // the last time when no other program had the file open
}

// lead returns by how many bytes the length of the file should exceed what is used, so that the file can
// grow while a reader is opening it.
func (a *ahead) lead(need int64) int64 { return max(minLead, a.least, need/leadShare, need-a.need) }

// Announce makes room for everything that was allocated: it sets the length of the file and the end in the
// superblock.
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
	if end-need < lead && f.Size > end && (end < need || f.readersKnow(f.ahead.grown)) {
		f.awaitReaders(f.ahead.grown, lead)
		if err := f.setEnd(f.Size); err != nil {
			return err
		}
		f.ahead.passed, f.ahead.announced = end, time.Now()
	}
	if need > f.ahead.passed {
		f.awaitReaders(f.ahead.announced, lead)
	}
	return nil
}

// lengthen makes the file want bytes long, or as long as a limit of the system allows.
func (f *File) lengthen(need, want int64) error {
	err := f.W.Truncate(want)
	if errors.Is(err, syscall.EFBIG) && f.Size < need { // the limit may still allow the length that is needed
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

// readersKnow reports whether all readers know the state since a time.
func (f *File) readersKnow(since time.Time) bool {
	enough := briefTime
	if _, known := f.alone(); known {
		enough = cmp.Or(f.ReaderTime, readerTime)
	}
	return f.ahead.alone.After(since) || time.Since(since) >= enough
}

// awaitReaders waits until readersKnow is true; lead is the lead that was too short.
func (f *File) awaitReaders(since time.Time, lead int64) {
	for !f.readersKnow(since) {
		f.ahead.least = min(2*lead, maxLead)
		time.Sleep(briefTime / 10)
	}
}

// setEnd writes the superblock with a new end, and makes the file at least that long.
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

// Ahead reports whether a file that was closed after Keep is longer than it needs to be.
func (f *File) Ahead() bool { return f.kept != nil && f.Size > f.Base+int64(f.End) }

// Trim removes the lead: the end first, so that a reader never finds a file that is shorter than its end.
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
