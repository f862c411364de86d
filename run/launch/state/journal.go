package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// What is the kind of an event.
type What string

const (
	Started    What = "started"
	Ready      What = "ready"
	Unwell     What = "unwell"     // it failed a health check
	Background What = "background" // a daemon left its first process
	Ended      What = "ended"
	Failed     What = "failed" // it ended or was given up while other programs need it
	Restarting What = "restarting"
	Skipped    What = "skipped" // it will not be started
	Killing    What = "killing"
	Log        What = "log" // a message about something that does not change the run
	Stopping   What = "stopping"
	Over       What = "over"
)

// Event is an event of a run, and one line of its journal.
type Event struct {
	Time    time.Time `json:"time"`
	Node    string    `json:"node"` // empty: the event is about the run
	What    What      `json:"what"`
	Process Identity  `json:"process,omitzero"`
	Code    int       `json:"code,omitempty"`
	Again   bool      `json:"again,omitempty"` // the node has ended and will be started again
	Text    string    `json:"text,omitempty"`  // a sentence for people
}

// Journal appends events. Each line is short and written in one call, so a reader sees at most the last line incomplete.
type Journal struct{ file *os.File }

// Journal opens the run's journal for writing.
func (d *Dir) Journal() (*Journal, error) {
	f, err := os.OpenFile(filepath.Join(d.Path, "journal.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the journal of the run: %w", err)
	}
	return &Journal{f}, nil
}

// Append writes one event.
func (j *Journal) Append(e Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// Events reads the journal. A last line that a dying supervisor left
// unfinished is ignored.
func (d *Dir) Events() ([]Event, error) {
	text, err := os.ReadFile(filepath.Join(d.Path, "journal.jsonl"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal of the run: %w", err)
	}
	var all []Event
	for line := range bytes.Lines(text) {
		var e Event
		if json.Unmarshal(line, &e) == nil {
			all = append(all, e)
		}
	}
	return all, nil
}

// Over reports whether the last event in the journal is the end of the run.
func (d *Dir) Over() bool {
	f, err := os.Open(filepath.Join(d.Path, "journal.jsonl"))
	if err != nil {
		return false
	}
	defer f.Close()
	const longestEnd = 512
	if info, err := f.Stat(); err == nil && info.Size() > longestEnd {
		_, _ = f.Seek(-longestEnd, io.SeekEnd) // fails if the file is shorter
	}
	tail, _ := io.ReadAll(f)
	tail = bytes.TrimRight(tail, "\n")
	var e Event
	return json.Unmarshal(tail[bytes.LastIndexByte(tail, '\n')+1:], &e) == nil && e.What == Over
}
