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

// A Ledger is a file in which all processes of a run record their results. Each result is one line, added when it is complete. So
// the hashes of results are known without reading the results again, even if the run was killed. Results are recorded only if the
// file exists. If it is missing, or the disk is full, nothing is recorded and the run continues. A nil Ledger records nothing.
type Ledger struct{ Path string }

// LedgerVariable is the environment variable with the path of the ledger, for the programs of a run.
const LedgerVariable = "PENTODE_LEDGER"

// A Note is the entry of a result in a ledger.
type Note struct {
	Path string    `json:"path"` // absolute
	Size int64     `json:"size"` // including its seal
	Time time.Time `json:"time"`
	Hash string    `json:"hash"` // SHA-256 of the contents without the seal
}

// maxNotes is how many bytes of a ledger are read.
const maxNotes = 64 << 20

// Notes returns the entries of the ledger by path. Each describes a result at the time it was completed. Incomplete lines are
// ignored.
func (l *Ledger) Notes() map[string]Note {
	if l == nil {
		return nil
	}
	f, err := os.Open(l.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	content, _ := io.ReadAll(io.LimitReader(f, maxNotes)) // up to the first error
	notes := map[string]Note{}
	for line := range bytes.Lines(content) {
		var n Note
		if json.Unmarshal(line, &n) == nil {
			notes[n.Path] = n // the last entry of a file counts, since a file may be written again
		}
	}
	return notes
}

// Of reports whether a note describes a file as it is now.
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
		return // the ledger is on another machine, or was removed with its run
	}
	defer f.Close()
	_, _ = f.Write(append(line, '\n')) // one write, so that the lines of several processes do not mix
}

// Note makes a ledger record the file when it is complete. A device or a pipe is not recorded.
func (f *File) Note(l *Ledger) {
	if f.path != "" && l != nil {
		f.ledger, f.hash = l, sha256.New()
	}
}

// noted returns the ledger's entry for the file. A file with overwritten bytes has none. The entry is made just before the file
// gets its name, so another program that replaces the file later gives it another time.
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
