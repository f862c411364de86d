package record

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// Ledger is where the processes of a run note their results until it has ended. It stands beside the folder of the run, which begins when
// the first of them may be there.
func (s Store) Ledger(id string) *outfile.Ledger {
	return &outfile.Ledger{Path: filepath.Join(s.Dir, id+".results")}
}

// Expect makes the ledger of a run that is about to begin.
func (s Store) Expect(id string) error {
	if err := control.Private(s.Dir); err != nil {
		return err
	}
	return s.writeFile(s.Ledger(id).Path, nil)
}

// Forget deletes the ledger of a run: it did not begin, or its record has its results.
func (s Store) Forget(id string) { _ = os.Remove(s.Ledger(id).Path) } // most have none

// End keeps the record of a run that has ended, with its results.
func (s Store) End(r *Record, texts map[string]string) error {
	err := s.Write(r, texts)
	if err == nil {
		s.Forget(r.ID)
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
