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

// Ledger returns the ledger in which the processes of a run note their results until the run has ended. It is beside the folder of the run, because
// that folder may not exist yet when the first result is written.
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

// Forget deletes the ledger of a run that did not begin, or whose record has its results.
func (s Store) Forget(id string) { _ = os.Remove(s.Ledger(id).Path) } // most have none

// End stores the record of a run that has ended, with its results.
func (s Store) End(r *Record, texts map[string]string) error {
	err := s.Write(r, texts)
	if err == nil {
		s.Forget(r.ID)
	}
	return err
}

// recover finds the results of a run that was killed, and stores them in its record, because later runs may write to the same folder.
func (s Store) recover(r *Record) {
	if r.Writes == nil || r.Stage() != Killed {
		return
	}
	if d, err := state.OpenDir(filepath.Dir(s.Path(r.ID))); err == nil && !d.Finished() {
		return // processes that it has started are still live
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
	_ = s.End(r, nil) // after a failure, the next read finds them again
}

// nextIn returns the start of the next run with results in the same folder; zero: there is none.
func (s Store) nextIn(r *Record) (next time.Time) {
	ids, _ := s.ids() // if they cannot be listed, there is no other run
	for _, id := range ids {
		o, err := s.load(id)
		if err == nil && o.ID != r.ID && o.Out == r.Out && o.Started.After(r.Started) && (next.IsZero() || o.Started.Before(next)) {
			next = o.Started
		}
	}
	return next
}
