package outfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A Ledger is the file in which all processes of a run note their results when these are complete, each as one line at the end: so
// they are known with their hashes without being read again, also those of a run that is killed. Whoever makes the file asks for
// notes; where there is none, or no room, nothing is noted, and the run goes on. Those of a nil Ledger are none.
type Ledger struct{ Path string }

// LedgerVariable names the variable of the environment that tells the programs of a run where the ledger is.
const LedgerVariable = "PENTODE_LEDGER"

// A Note is what a ledger says of a result.
type Note struct {
	Path string    `json:"path"` // absolute
	Size int64     `json:"size"` // with its seal
	Time time.Time `json:"time"`
	Hash string    `json:"hash"` // SHA-256 of what was written, without the seal
}

// maxNotes is how many bytes of a ledger are read.
const maxNotes = 64 << 20

// Notes are what the ledger says of results, by their paths, as they were when they were complete. A line that was cut off is
// none.
func (l *Ledger) Notes() map[string]Note {
	if l == nil {
		return nil
	}
	f, err := os.Open(l.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	content, _ := io.ReadAll(io.LimitReader(f, maxNotes)) // as far as it can be read
	notes := map[string]Note{}
	for line := range bytes.Lines(content) {
		var n Note
		if json.Unmarshal(line, &n) == nil {
			notes[n.Path] = n // the file may have been written again
		}
	}
	return notes
}

// Of reports whether a note is about a file as it is now.
func (n Note) Of(info os.FileInfo) bool {
	return n.Hash != "" && n.Size == info.Size() && n.Time.Equal(info.ModTime())
}

func (l *Ledger) add(n Note) {
	line, err := json.Marshal(n)
	if err != nil {
		return
	}
	f, err := os.OpenFile(l.Path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return // it is another machine's, or gone with its run
	}
	defer f.Close()
	_, _ = f.Write(append(line, '\n')) // at once, so that lines of several processes do not mix
}

// Note lets a ledger know the file when it is complete. A device or a pipe is no result.
func (f *File) Note(l *Ledger) {
	if f.path != "" && l != nil {
		f.ledger, f.hash = l, sha256.New()
	}
}

// noted is what a ledger will say of the file; one that was written over has none. It is asked for when all but the name is there:
// what another program puts in its place later has another time.
func (f *File) noted() (Note, bool) {
	if f.ledger == nil || f.failed || f.patched {
		return Note{}, false
	}
	path, err := filepath.Abs(f.path)
	if err != nil {
		return Note{}, false
	}
	info, err := f.file.Stat()
	if err != nil {
		return Note{}, false
	}
	return Note{path, info.Size(), info.ModTime(), sumText(f.hash)}, true
}

func sumText(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
