package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// wrote makes files in the results of a run: a noted file, a file that changed since, a file that was not noted, a file older than the run,
// a file of no run, a seal and a lock.
func wrote(t *testing.T, s Store, r *Record) {
	t.Helper()
	folder := outfile.Folder{Dir: r.Out, Ledger: s.Ledger(r.ID)}
	for _, name := range []string{"noted_1.csv", "changed.csv"} {
		f, err := folder.Create(name)
		if err == nil {
			_, err = f.Write([]byte("1,2\n"))
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	old, later := r.Started.Add(-time.Hour), time.Now().Add(time.Second)
	for _, name := range []string{"changed.csv", "found.csv", "old.csv", "else.txt", "else.txt.seal.json", LockFile} {
		at := map[string]time.Time{"old.csv": old, "changed.csv": later}[name]
		path := filepath.Join(r.Out, name)
		if err := os.WriteFile(path, []byte("3,4\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if !at.IsZero() {
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func begun(t *testing.T, all bool) (Store, *Record) {
	t.Helper()
	s := Store{filepath.Join(t.TempDir(), "states")}
	now := time.Now()
	r := &Record{
		ID: state.NewID(now), Kind: Pipeline, Started: now, Out: t.TempDir(),
		Writes: &Writes{all, []Writer{{"noted_*.csv", "p.pipe/w", "a.out"}, {"changed.csv", "p.pipe/w", ""}, {"found.csv", "", ""}, {"old.csv", "", ""}}},
	}
	if err := errors.Join(s.Expect(r.ID), s.Write(r, nil)); err != nil {
		t.Fatal(err)
	}
	return s, r
}

// A file that was hashed while it was written is not read again unless it has changed.
func TestFindResults(t *testing.T) {
	for _, all := range []bool{false, true} {
		s, r := begun(t, all)
		wrote(t, s, r)
		read := map[string]bool{}
		r.FindResults(s.Ledger(r.ID).Notes(), r.Since, func(path string, _ fs.FileInfo) string {
			read[filepath.Base(path)] = true
			return "read"
		})
		want := map[string]string{"noted_1.csv": Hash("1,2\n"), "changed.csv": "read", "found.csv": "read"}
		if all {
			want["else.txt"] = "read"
		}
		if len(r.Results) != len(want) || read["noted_1.csv"] {
			t.Errorf("all new %v: %+v, read %v; want %d, and noted_1.csv not read", all, r.Results, read, len(want))
		}
		for _, f := range r.Results {
			if f.Hash != want[f.Path] {
				t.Errorf("%+v, want %s", f, want[f.Path])
			}
		}
		if f, _ := r.Result("noted_1.csv"); f.Process != "p.pipe/w" || f.Edge != "a.out" {
			t.Errorf("%+v, want it of p.pipe/w, from a.out", f)
		}
	}
}

// The results of a killed run are found when its record is read, and stored. Files that later runs write to the same folder belong to those runs.
func TestKilled(t *testing.T) {
	s, r := begun(t, true)
	wrote(t, s, r)
	r.Host.Name, _ = os.Hostname()
	r.Process = state.Self()
	if r.Process.Start == 0 {
		t.Skip("this system does not say when a process began")
	}
	for _, killed := range []bool{false, true} {
		if killed {
			r.Process.Start--
		}
		if err := s.Write(r, nil); err != nil {
			t.Fatal(err)
		}
		got, err := s.Open(r.ID)
		if err != nil || (len(got.Results) > 0) != killed {
			t.Fatalf("killed %v: %+v, %v", killed, got, err)
		}
		for _, f := range got.Results {
			if noted := f.Path == "noted_1.csv"; f.Found == noted || (f.Hash == Hash("1,2\n")) != noted {
				t.Errorf("%+v, want noted_1.csv noted with its hash, and the others found", f)
			}
		}
		if killed && len(got.Results) != 4 {
			t.Errorf("%+v, want 4", got.Results)
		}
	}
	if _, err := os.Stat(s.Ledger(r.ID).Path); err == nil {
		t.Error("the ledger is left")
	}
	if err := os.Remove(filepath.Join(r.Out, "found.csv")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Open(r.ID); err != nil || len(got.Results) != 4 {
		t.Errorf("once more: %+v, %v", got, err)
	}
}

// If two runs leave their results in one folder, the first, killed run gets those that are older than the second run.
func TestKilledBefore(t *testing.T) {
	s, r := begun(t, true)
	r.Host.Name, _ = os.Hostname()
	if r.Process = state.Self(); r.Process.Start == 0 {
		t.Skip("this system does not say when a process began")
	}
	r.Process.Start--
	r.Started = time.Now().Add(-time.Hour)
	next := &Record{ID: "20990101-000000-aaaaaa", Started: time.Now().Add(-time.Minute), Ended: time.Now(), Out: r.Out}
	if err := errors.Join(s.Write(r, nil), s.Write(next, nil)); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]time.Time{"first.csv": time.Now().Add(-30 * time.Minute), "second.csv": time.Now()} {
		path := filepath.Join(r.Out, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Open(r.ID); err != nil || len(got.Results) != 1 || got.Results[0].Path != "first.csv" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestExpected: the ledger of a run exists before its folder, and is removed if the run did not begin.
func TestExpected(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "state")}
	if err := s.Expect("r1"); err != nil {
		t.Fatal(err)
	}
	if ids, err := s.ids(); len(ids) > 0 || err != nil {
		t.Errorf("a run that has not begun is listed: %v %v", ids, err)
	}
	s.Forget("r1")
	if list, _ := filepath.Glob(filepath.Join(s.Dir, "*")); len(list) > 0 {
		t.Errorf("%v is left", list)
	}
}
