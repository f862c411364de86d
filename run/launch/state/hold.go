package state

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// maxHeld is how many pieces of a log are kept for a reader that does not get on:
// a hundred, of small ones as many as are 256 MB, and never so many that their number alone is a burden.
func (r Rotation) maxHeld() int {
	const bytes, fewest, most = 256 << 20, 100, 1000
	if r.Size == 0 {
		return fewest
	}
	return int(min(max(bytes/r.Size, fewest), most))
}

// A hold keeps the writer of a log from dropping pieces that a reader has not
// read yet, however fast they arise. It is a file beside the log, in which the
// reader writes who it is and from which piece on it needs them; that of a
// process that has died counts for nothing.
type hold struct {
	file *os.File // nil: the folder cannot be written, and nothing is held
	self Identity
}

// newHold holds all pieces that there are.
func newHold(path string) *hold {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+holdMark+"*")
	if err != nil {
		return &hold{}
	}
	h := &hold{f, Self()}
	h.move(0)
	return h
}

// holdMark stands between the name of a log and what makes the name of a hold unique.
const holdMark = ".reader-"

// holdForm has a fixed length, so that one write replaces the whole text.
const holdForm = "%20d %20d %20d\n"

// move releases the pieces before a number.
func (h *hold) move(from int) {
	if h.file != nil {
		_, _ = h.file.WriteAt(fmt.Appendf(nil, holdForm, h.self.Pid, h.self.Start, from), 0) // what is not written holds more
	}
}

func (h *hold) release() {
	if h.file != nil {
		h.file.Close()
		_ = os.Remove(h.file.Name()) // it may be gone with the whole run
		h.file = nil
	}
}

// held is the first piece of the log that a reader needs. Of readers that stand
// still it forgets those that would need too many.
func (w *LogWriter) held() int {
	first := math.MaxInt
	entries, _ := os.ReadDir(filepath.Dir(w.path)) // without it there is no reader either
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), filepath.Base(w.path)+holdMark) {
			continue
		}
		file := filepath.Join(filepath.Dir(w.path), e.Name())
		text, err := os.ReadFile(file)
		if err != nil {
			continue // released meanwhile
		}
		var of Identity
		from := 0
		if _, err := fmt.Sscanf(string(text), holdForm, &of.Pid, &of.Start, &from); err == nil && !of.Alive() {
			_ = os.Remove(file) // another writer may have been faster
			continue
		}
		first = min(first, from)
	}
	return max(first, w.newest-w.when.maxHeld()+1)
}
