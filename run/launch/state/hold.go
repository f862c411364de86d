package state

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// maxHeld returns how many pieces of a log are kept for a reader that makes no progress: at least a hundred, more if they are small, up to 256 MB in
// all, and never so many that their number becomes a problem.
func (r Rotation) maxHeld() int {
	const bytes, fewest, most = 256 << 20, 100, 1000
	if r.Size == 0 {
		return fewest
	}
	return int(min(max(bytes/r.Size, fewest), most))
}

// A hold keeps the writer of a log from dropping pieces that a reader has not read
// yet. It is a file beside the log. In it, the reader writes its process and the
// number of the first piece that it still needs. The hold of a process that has died
// is ignored.
type hold struct {
	file *os.File // nil: the folder cannot be written, and nothing is held
	self Identity
}

// newHold returns a hold on all existing pieces.
func newHold(path string) *hold {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+holdMark+"*")
	if err != nil {
		return &hold{}
	}
	h := &hold{f, Self()}
	h.move(0)
	return h
}

// holdMark separates the name of a log from the unique part of a hold's name.
const holdMark = ".reader-"

// holdForm has a fixed length, so that one write replaces the whole text.
const holdForm = "%20d %20d %20d\n"

// move releases the pieces before a number.
func (h *hold) move(from int) {
	if h.file != nil {
		_, _ = h.file.WriteAt(fmt.Appendf(nil, holdForm, h.self.Pid, h.self.Start, from), 0) // a failed write keeps more pieces than needed
	}
}

func (h *hold) release() {
	if h.file != nil {
		h.file.Close()
		_ = os.Remove(h.file.Name()) // the whole run may have been removed
		h.file = nil
	}
}

// held returns the first piece of the log that a reader needs. It ignores readers that make no progress and would need too many pieces.
func (w *LogWriter) held() int {
	first := math.MaxInt
	entries, _ := os.ReadDir(filepath.Dir(w.path)) // if the folder cannot be read, there are no readers
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), filepath.Base(w.path)+holdMark) {
			continue
		}
		file := filepath.Join(filepath.Dir(w.path), e.Name())
		text, err := os.ReadFile(file)
		if err != nil {
			continue // just released
		}
		var of Identity
		from := 0
		if _, err := fmt.Sscanf(string(text), holdForm, &of.Pid, &of.Start, &from); err == nil && !of.Alive() {
			_ = os.Remove(file) // another writer may have removed it first
			continue
		}
		first = min(first, from)
	}
	return max(first, w.newest-w.when.maxHeld()+1)
}
