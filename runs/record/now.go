package record

import (
	"errors"
	"io/fs"
	"os"
)

// State says what became of something since a run.
type State string

// The states of something since a run.
const (
	Same    State = "same"
	Changed State = "changed"
	Gone    State = "gone"
	Unknown State = "unknown"
)

// JSONValues returns all states, for the JSON Schema of answers.
func (State) JSONValues() []string {
	return []string{string(Same), string(Changed), string(Gone), string(Unknown)}
}

// Now returns what became of a file that a run has read.
func (f File) Now() State {
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Gone
	case err != nil:
		return Unknown
	case info.Size() != f.Size:
		return Changed
	case f.Hash == "": // the file was too large for a hash
		return Unknown
	}
	text, err := os.ReadFile(f.Path)
	switch {
	case err != nil:
		return Unknown
	case Hash(string(text)) != f.Hash:
		return Changed
	}
	return Same
}
