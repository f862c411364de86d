package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/run/control"
)

// Collect moves a run of another machine to the runs in base. The run must have finished there, or its supervisor and all that it had started must
// have been killed.
func Collect(d *Dir, base string) (*Dir, error) {
	if err := control.Private(base); err != nil {
		return nil, err
	}
	d.RemoveSockets() // nothing listens on them any more
	to := filepath.Join(base, d.Run.ID)
	if os.Rename(d.Path, to) != nil { // fails on another file system
		if err := os.CopyFS(to, os.DirFS(d.Path)); err != nil {
			return nil, fmt.Errorf("the run `%s` cannot be copied to `%s`", d.Path, to)
		}
		if err := os.RemoveAll(d.Path); err != nil {
			return nil, fmt.Errorf("the run `%s` was copied to `%s`, but cannot be deleted", d.Path, to)
		}
	}
	home, err := OpenDir(to)
	if err != nil || home.Over() {
		return home, err
	}
	j, err := home.Journal()
	if err != nil {
		return home, err
	}
	defer j.Close()
	return home, j.Append(Event{Time: time.Now(), What: Over, Text: "its supervisor was killed on another machine"})
}

// CollectTexts moves the texts that recorded runs of another machine have left in from to the texts in base.
func CollectTexts(from, base string) error {
	texts := filepath.Join(from, TextsDir)
	err := filepath.WalkDir(texts, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		to := filepath.Join(base, TextsDir, filepath.Base(filepath.Dir(path)), e.Name())
		if _, err := os.Stat(to); err == nil {
			return nil // runs of this machine have read it too
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o700)
		}
		if err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
		return err
	})
	if err == nil {
		err = os.RemoveAll(texts)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the texts in `%s` cannot be moved to `%s`", texts, base)
	}
	return nil
}
