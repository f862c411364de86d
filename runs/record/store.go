package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// Store is the place of records: the folder with the states of runs.
type Store struct{ Dir string }

// Here returns the store of this user.
func Here() (Store, error) {
	dir, err := control.StateDir(os.Getenv)
	return Store{dir}, err
}

// Path returns the file of a record.
func (s Store) Path(id string) string { return filepath.Join(s.Dir, id, state.RecordFile) }

// TimelineDir returns the folder with the indexes of a run's traces, which can be rebuilt.
func (s Store) TimelineDir(id string) string { return filepath.Join(s.Dir, id, "timeline") }

// Open reads the record of a run by its name, by the unambiguous end of its name, or by a tag.
func (s Store) Open(name string) (*Record, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	if slices.Contains(ids, name) {
		return s.read(name)
	}
	var found []*Record
	for _, id := range ids {
		r, err := s.read(id)
		if err == nil && (slices.Contains(r.Tags, name) || len(name) >= 4 && strings.HasSuffix(id, name)) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no run `%s` is recorded in `%s`; `pentode runs list` lists the recorded runs", name, s.Dir)
	case 1:
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, r := range found {
		names[i] = r.ID
	}
	return nil, fmt.Errorf("`%s` may be %s: give the whole name of the run", name, strings.Join(names, " or "))
}

// read reads a record. It adds the results of a run that was killed.
func (s Store) read(id string) (*Record, error) {
	r, err := s.load(id)
	if err == nil {
		s.recover(r)
	}
	return r, err
}

func (s Store) load(id string) (*Record, error) {
	text, err := os.ReadFile(s.Path(id))
	if err != nil {
		return nil, fmt.Errorf("the record of run `%s` cannot be read in `%s`", id, s.Dir)
	}
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil || r.ID != id {
		return nil, fmt.Errorf("`%s` is not the record of run `%s`", s.Path(id), id)
	}
	if r.Version != Version {
		return nil, fmt.Errorf("`%s` is of version %d, and this program reads version %d", s.Path(id), r.Version, Version)
	}
	return r, nil
}

// List reads all records, the newest last. It leaves out records that cannot be read.
func (s Store) List() ([]*Record, error) {
	ids, err := s.ids()
	var list []*Record
	for _, id := range ids {
		if r, err := s.read(id); err == nil {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b *Record) int { return a.Started.Compare(b.Started) })
	return list, err
}

// ids returns the names of the runs that have a record, the oldest first. Names begin with the second in which the run began; within one second, the
// time of writing the record decides.
func (s Store) ids() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the records in `%s` cannot be listed", s.Dir)
	}
	var ids []string
	written := map[string]time.Time{}
	for _, e := range entries {
		if info, err := os.Stat(s.Path(e.Name())); err == nil {
			ids, written[e.Name()] = append(ids, e.Name()), info.ModTime()
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int {
		return cmp.Or(strings.Compare(secondOf(a), secondOf(b)), written[a].Compare(written[b]))
	})
	return ids, nil
}

// Write stores a record, and the texts of its files by their hashes.
func (s Store) Write(r *Record, texts map[string]string) error {
	if err := control.Private(s.Dir); err != nil {
		return err
	}
	for hash, text := range texts {
		if err := s.keepText(hash, text); err != nil {
			return err
		}
	}
	r.Version = Version
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.Path(r.ID)), 0o700); err != nil {
		return notKept(err)
	}
	return s.writeFile(s.Path(r.ID), append(content, '\n'))
}

// writeFile writes a private file, completely or not at all.
func (s Store) writeFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new")
	if err != nil {
		return notKept(err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(notKept(err), os.Remove(f.Name()))
	}
	return nil
}

// notKept returns the error of a record that could not be written, without the name of the system call.
func notKept(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("the record cannot be written: %w", err)
}

// Hash returns the SHA-256 of a text.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (s Store) textPath(hash string) (string, bool) {
	if len(hash) != 2*sha256.Size {
		return "", false
	}
	if _, err := hex.DecodeString(hash); err != nil {
		return "", false
	}
	return filepath.Join(s.Dir, state.TextsDir, hash[:2], hash[2:]), true
}

// keepText stores a text. If the text is already stored, it updates the time of its last use, which Prune reads.
func (s Store) keepText(hash, text string) error {
	path, ok := s.textPath(hash)
	if !ok {
		return fmt.Errorf("`%s` is not a valid hash", hash)
	}
	if touch(path) == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return notKept(err)
	}
	return s.writeFile(path, []byte(text))
}

func touch(path string) error {
	now := time.Now()
	return os.Chtimes(path, now, now)
}

// Text returns the text of a file that a run has read.
func (s Store) Text(hash string) (string, error) {
	path, ok := s.textPath(hash)
	if !ok {
		return "", fmt.Errorf("the text of a file without a hash is not stored")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the text `%s` is no longer stored", hash[:12])
	}
	if Hash(string(text)) != hash {
		return "", fmt.Errorf("the stored text `%s` was changed in `%s`", hash[:12], path)
	}
	return string(text), nil
}

// Remove deletes the record of a run. Other files of the run stay.
func (s Store) Remove(id string) error {
	if err := os.Remove(s.Path(id)); err != nil {
		return fmt.Errorf("the record of run `%s` cannot be deleted in `%s`", id, s.Dir)
	}
	_ = os.RemoveAll(s.TimelineDir(id)) // most have none
	_ = os.Remove(s.kept(id))           // most have none
	s.Forget(id)
	_ = os.Remove(filepath.Dir(s.Path(id))) // fails if the run has a state or logs
	return nil
}

// Tag writes the tags of a record. A tagged record stays until it is removed by its name.
func (s Store) Tag(r *Record, tags []string) error {
	slices.Sort(tags)
	r.Tags = slices.Compact(tags)
	if err := s.Write(r, nil); err != nil {
		return err
	}
	if len(r.Tags) == 0 {
		_ = os.Remove(s.kept(r.ID)) // it may have had no tags before
		return nil
	}
	return s.writeFile(s.kept(r.ID), nil)
}

// kept returns the file that keeps Prune from deleting the folder of a run.
func (s Store) kept(id string) string { return filepath.Join(s.Dir, id, state.KeptFile) }

// Prune deletes the oldest records, and the texts that no record needs afterwards. It keeps the newest and the tagged records. It returns the names
// of the records that it deleted.
func (s Store) Prune(keep int) (gone []string, err error) {
	ids, err := s.ids()
	if err != nil || len(ids) <= keep {
		return nil, err
	}
	oldest := time.Now()
	for _, id := range slices.Backward(ids) {
		if keep > 0 {
			keep--
			if at, ok := startOf(id); ok {
				oldest = at
			}
			continue
		}
		if _, err := os.Stat(s.kept(id)); err == nil {
			if r, err := s.read(id); err == nil {
				s.use(r)
			}
			continue
		}
		if err := s.Remove(id); err != nil {
			return gone, err
		}
		gone = append(gone, id)
	}
	s.sweep(oldest)
	return gone, nil
}

// use updates the time of last use of a record's texts.
func (s Store) use(r *Record) {
	for _, f := range r.Files {
		if path, ok := s.textPath(f.Hash); ok {
			_ = touch(path) // a missing text is reported when it is needed
		}
	}
}

// second is the format of the time with which the name of a run begins.
const second = "20060102-150405"

func secondOf(id string) string { return id[:min(len(id), len(second))] }

// startOf returns the time in the name of a run, which is before the run read its files.
func startOf(id string) (time.Time, bool) {
	at, err := time.Parse(second, secondOf(id))
	return at, err == nil
}

// sweep deletes the texts that were last used before the given time.
func (s Store) sweep(before time.Time) {
	_ = filepath.WalkDir(filepath.Join(s.Dir, state.TextsDir), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // there may be no texts
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.Remove(path) // another run may delete it at the same time
		}
		return nil
	})
}
