package record

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// Ledger is where the processes of a run note their results until it has ended.
func (s Store) Ledger(id string) *outfile.Ledger {
	return &outfile.Ledger{Path: filepath.Join(s.Dir, id, "results.jsonl")}
}

// Begin keeps the record of a run that begins, and makes its ledger.
func (s Store) Begin(r *Record, texts map[string]string) error {
	err := s.Write(r, texts)
	if err == nil {
		err = s.writeFile(s.Ledger(r.ID).Path, nil)
	}
	return err
}

// End keeps the record of a run that has ended, with its results.
func (s Store) End(r *Record, texts map[string]string) error {
	err := s.Write(r, texts)
	if err == nil {
		s.forget(r.ID)
	}
	return err
}

// recover finds the results of a run that was killed, and keeps them in its record: later runs may write to the same folder.
func (s Store) recover(r *Record) {
	if r.Writes == nil || r.Stage() != Killed {
		return
	}
	if d, err := state.OpenDir(filepath.Dir(s.Path(r.ID))); err == nil && !d.Finished() {
		return // what it has started goes on
	}
	end := s.nextIn(r)
	notes := s.Ledger(r.ID).Notes()
	r.FindResults(notes, func(path string, info fs.FileInfo) bool {
		return r.Since(path, info) && (end.IsZero() || info.ModTime().Before(end))
	}, func(string, fs.FileInfo) string { return "" })
	for i := range r.Results {
		r.Results[i].Found = r.Results[i].Hash == ""
	}
	r.Writes = nil
	_ = s.End(r, nil) // it is found again
}

// forget deletes the ledger of a run, whose results its record has.
func (s Store) forget(id string) { _ = os.Remove(s.Ledger(id).Path) } // most have none

// nextIn is when the next run began that leaves its results in the same folder; zero: there is none.
func (s Store) nextIn(r *Record) (next time.Time) {
	ids, _ := s.ids() // without them there is no other run
	for _, id := range ids {
		o, err := s.load(id)
		if err == nil && o.ID != r.ID && o.Out == r.Out && o.Started.After(r.Started) && (next.IsZero() || o.Started.Before(next)) {
			next = o.Started
		}
	}
	return next
}
